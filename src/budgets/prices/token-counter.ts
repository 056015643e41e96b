import type { CountTokens } from '../../core/index.js';

type Encoding = 'o200k_base' | 'cl100k_base';

/**
 * The vocabularies of OpenAI's models (https://github.com/openai/tiktoken/blob/main/tiktoken/model.py). For a model that is not listed,
 * every byte of the text counts as a token.
 */
const ENCODINGS: readonly (readonly [RegExp, Encoding])[] = [
  [/^(?:ft:)?(?:gpt-4o|gpt-4\.1|gpt-4\.5|gpt-5|chatgpt-4o|gpt-oss|o1|o3|o4)(?=[-.:]|$)/, 'o200k_base'],
  [/^(?:ft:)?(?:gpt-4|gpt-3\.5|gpt-35|text-embedding-(?:3|ada))(?=[-.:]|$)/, 'cl100k_base'],
];
/** Longer words are counted by their bytes: pairs of bytes are merged in quadratic time. */
const LONGEST_WORD = 128;
/** Larger texts are counted by their bytes, so that counting never holds up other calls for long. */
const LARGEST_TEXT = 256 * 1024;
/** Cuts a text before each blank that follows a non-blank: every vocabulary begins a new piece there, so sums of parts are exact. */
const WORDS = /\s?\S+|\s+/g;
const PIECE = 4_096;

/** Every token has at least one byte of UTF-8. */
export const byteCount: CountTokens = (text) => Buffer.byteLength(text, 'utf8');

/**
 * Counts the tokens of texts, never too few: exactly for models whose vocabulary is public, by bytes for all others. The vocabularies
 * are large, so each is loaded when a call first needs it.
 */
export class TokenCounter {
  private readonly loaded = new Map<Encoding, Promise<CountTokens>>();

  /** @param model as the request names it */
  async forModel(model: string | undefined): Promise<CountTokens> {
    const encoding = model === undefined ? undefined : ENCODINGS.find(([names]) => names.test(model))?.[1];
    if (encoding === undefined) return byteCount;
    const known = this.loaded.get(encoding) ?? load(encoding);
    this.loaded.set(encoding, known);
    return known;
  }
}

async function load(encoding: Encoding): Promise<CountTokens> {
  const { countTokens } =
    encoding === 'o200k_base'
      ? await import('gpt-tokenizer/encoding/o200k_base')
      : await import('gpt-tokenizer/encoding/cl100k_base');
  // Names of special tokens in a text are counted as ordinary text.
  const count: CountTokens = (text) => countTokens(text, { disallowedSpecial: new Set() });
  return (text) => (text.length > LARGEST_TEXT ? byteCount(text) : countInPieces(text, count));
}

function countInPieces(text: string, count: CountTokens): number {
  let [tokens, piece] = [0, ''];
  for (const [word] of text.matchAll(WORDS)) {
    if (word.length > LONGEST_WORD) {
      tokens += byteCount(word);
      continue;
    }
    if (piece.length + word.length > PIECE) {
      tokens += count(piece);
      piece = '';
    }
    piece += word;
  }
  return piece === '' ? tokens : tokens + count(piece);
}
