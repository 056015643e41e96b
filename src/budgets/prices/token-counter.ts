import type { CountTokens } from '../../core/index.js';
import { KnownCounts } from './known-counts.js';
import { tokenCountOf } from './vocabulary.js';
import { byteCount, WordCounts } from './word-counts.js';

type Encoding = 'o200k_base' | 'cl100k_base';

/**
 * The vocabularies of OpenAI's models (https://github.com/openai/tiktoken/blob/main/tiktoken/model.py). For a model that is not listed,
 * every byte of the text counts as a token.
 */
const ENCODINGS: readonly (readonly [RegExp, Encoding])[] = [
  [/^(?:ft:)?(?:gpt-4o|gpt-4\.1|gpt-4\.5|gpt-5|chatgpt-4o|gpt-oss|o1|o3|o4)(?=[-.:]|$)/, 'o200k_base'],
  [/^(?:ft:)?(?:gpt-4|gpt-3\.5|gpt-35|text-embedding-(?:3|ada))(?=[-.:]|$)/, 'cl100k_base'],
];
/** A larger text is counted by its bytes. */
const LARGEST_TEXT = 256 * 1024;
/** So are the texts of a request that follow this many units: words that callers make up take long to count. */
const LARGEST_REQUEST = 4 * 1024 * 1024;

/**
 * Counts the tokens of texts, never too few: exactly for models whose vocabulary is public, by bytes for all others. The vocabularies
 * are large, so each is loaded when a call first needs it.
 */
export class TokenCounter {
  private readonly loaded = new Map<Encoding, Promise<KnownCounts>>();

  /**
   * Returns a function that counts the texts of one request.
   * @param model as the request names it
   * @param appId the app that sends the request: the counts of its texts are remembered for it
   */
  async forModel(model: string | undefined, appId: string): Promise<CountTokens> {
    const encoding = model === undefined ? undefined : ENCODINGS.find(([names]) => names.test(model))?.[1];
    if (encoding === undefined) return byteCount;
    const loading = this.loaded.get(encoding) ?? load(encoding);
    this.loaded.set(encoding, loading);
    const counts = await loading;
    let left = LARGEST_REQUEST;
    return (text) => {
      if (text.length > Math.min(left, LARGEST_TEXT)) return byteCount(text);
      left -= text.length;
      return counts.of(text, appId);
    };
  }
}

async function load(encoding: Encoding): Promise<KnownCounts> {
  const library =
    encoding === 'o200k_base'
      ? await import('gpt-tokenizer/encoding/o200k_base')
      : await import('gpt-tokenizer/encoding/cl100k_base');
  return new KnownCounts(new WordCounts(tokenCountOf(library)));
}
