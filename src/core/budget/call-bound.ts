import type { DecodedCall } from '../model/call.js';
import { bodyIn, type CalledBody } from '../providers/called-body.js';
import { dialectFacts } from '../providers/dialects.js';
import type { Provider } from '../providers/provider.js';
import { PROVIDERS } from '../providers/providers.js';
import type { JsonDocument } from '../json/json-document.js';
import {
  isArray,
  isObject,
  isString,
  memberOf,
  type JsonNode,
  type ObjectNode,
  type TextNode,
} from '../json/json-node.js';
import type { TokenBound } from '../money/model-price.js';

/** An upper bound of the tokens of a text. */
export type CountTokens = (text: string) => number;

/** What a call may read and write at most, before it is made. */
export interface CallBound extends TokenBound {
  /** False when nothing limits the output: `outputTokens` is then an assumption. */
  readonly capped: boolean;
}

export interface BoundSettings {
  readonly countTokens: CountTokens;
  /** The model's, where it is known: what can be neither counted nor seen fits into it. */
  readonly contextWindow?: number;
  /** The policy's cap for a call that names none. */
  readonly defaultMaxTokens?: number;
}

/**
 * A picture is at most so many tokens, whatever its size: gpt-4o-mini counts 2,833 and 5,667 for each of eight tiles
 * (https://platform.openai.com/docs/guides/images-vision#calculating-costs); all others count less.
 */
const PICTURE_TOKENS = 50_000;
/** What is assumed of a call without any cap, and of an input that nobody can see when the model is not known. */
const ASSUMED_OUTPUT_TOKENS = 4_096;
const ASSUMED_HIDDEN_TOKENS = 200_000;
const MESSAGE_TOKENS = 16;

const DATA_PICTURE = /^data:image\/[\w.+-]{1,64};base64,/;
/** Several know pictures and files by the same marks. */
const OF_PROVIDERS: readonly Provider[] = Object.values(PROVIDERS);

/**
 * The most that a request can read and write. Input: the tokens of the request's own JSON, of which names and brackets
 * are more than what providers put around the texts; pictures at their most; what is only named in the request (files,
 * stored conversations, results of the provider's own tools) as the model's whole window. Output: the request's cap for
 * each of its answers, else the policy's.
 */
export function boundOf(doc: JsonDocument, request: DecodedCall, settings: BoundSettings): CallBound {
  const body = bodyIn(doc, request.dialect, 'request');
  const { root, facts } = body;
  const seen = new InputReader(settings.countTokens).read(root);
  const hidden = settings.contextWindow ?? Math.max(ASSUMED_HIDDEN_TOKENS, seen.tokens);
  const inputTokens = seen.hidden || facts.refersToStored(root) ? Math.max(hidden, seen.tokens) : seen.tokens;
  const searches = facts.searches(root);
  return { inputTokens, writesCache: seen.writesCache, searches, ...outputBound(body, request, settings) };
}

/** Whether a call of this kind writes anything that is paid for. */
export function writesOutput({ dialect }: DecodedCall): boolean {
  return dialectFacts(dialect).writes !== 'nothing';
}

function outputBound(
  { root, facts }: CalledBody,
  request: DecodedCall,
  { defaultMaxTokens, contextWindow }: BoundSettings,
): Pick<CallBound, 'outputTokens' | 'capped'> {
  if (!writesOutput(request)) return { outputTokens: 0, capped: true };
  const cap = request.maxTokens ?? defaultMaxTokens ?? facts.ownOutputTokens;
  const each = cap ?? Math.min(ASSUMED_OUTPUT_TOKENS, contextWindow ?? ASSUMED_OUTPUT_TOKENS);
  return { outputTokens: each * facts.answers(root), capped: cap !== undefined };
}

/** Walks a request once: counts its texts, cuts pictures out, notices what is only named. */
class InputReader {
  private tokens = 0;
  private hidden = false;
  private writesCache = false;

  constructor(private readonly count: CountTokens) {}

  read(root: JsonNode): { readonly tokens: number; readonly hidden: boolean; readonly writesCache: boolean } {
    this.walk(root);
    return { tokens: this.tokens, hidden: this.hidden, writesCache: this.writesCache };
  }

  private walk(node: JsonNode): void {
    if (isString(node)) return this.text(node.text);
    if (isArray(node)) return this.list(node.items);
    if (isObject(node)) return this.object(node);
    this.tokens += typeof node === 'object' && node !== null ? (node as TextNode).text.length : 4;
  }

  private text(text: string): void {
    const picture = DATA_PICTURE.test(text.slice(0, 128));
    this.tokens += picture ? Math.min(PICTURE_TOKENS, text.length) : this.count(text) + 1;
  }

  private list(items: readonly JsonNode[]): void {
    // A text given as tokens: one number each.
    if (items.length > 0 && items.every((item) => typeof item === 'number')) this.tokens += items.length;
    else for (const item of items) this.walk(item);
  }

  private object(node: ObjectNode): void {
    if (memberOf(node, 'role') !== undefined) this.tokens += MESSAGE_TOKENS;
    if (isPicture(node)) {
      this.tokens += PICTURE_TOKENS;
      this.writesCache ||= memberOf(node, 'cache_control') !== undefined;
      return;
    }
    if (namesFile(node)) this.hidden = true;
    for (const { key, value } of node.members) {
      this.writesCache ||= key.text === 'cache_control';
      this.tokens += this.count(key.text) + 1;
      this.walk(value);
    }
  }
}

function isPicture(node: ObjectNode): boolean {
  return OF_PROVIDERS.some((provider) => provider.isPicture(node));
}

function namesFile(node: ObjectNode): boolean {
  return OF_PROVIDERS.some((provider) => provider.namesFile(node));
}
