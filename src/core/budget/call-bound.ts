import type { DecodedCall, ServiceTier } from '../model/call.js';
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

/** The maximum number of tokens that a call can use, estimated before the call is made. */
export interface CallBound extends TokenBound {
  /** False when nothing limits the output: `outputTokens` is then an assumption. */
  readonly capped: boolean;
}

export interface BoundSettings {
  readonly countTokens: CountTokens;
  /** The model's context window, if it is known: an upper bound for input that cannot be counted. */
  readonly contextWindow?: number;
  /** The policy's output limit for calls that set none. */
  readonly defaultMaxTokens?: number;
}

/**
 * An image counts as at most this many tokens, whatever its size: gpt-4o-mini counts 2,833 plus 5,667 for each of eight tiles
 * (https://platform.openai.com/docs/guides/images-vision#calculating-costs); all others count less.
 */
const PICTURE_TOKENS = 50_000;
/** Assumed output of a call without a limit, and assumed size of input that is not in the request if the model is unknown. */
const ASSUMED_OUTPUT_TOKENS = 4_096;
const ASSUMED_HIDDEN_TOKENS = 200_000;
const MESSAGE_TOKENS = 16;

const DATA_PICTURE = /^data:image\/[\w.+-]{1,64};base64,/;
/** Several providers mark images and files in the same way. */
const OF_PROVIDERS: readonly Provider[] = Object.values(PROVIDERS);

/**
 * The maximum numbers of input and output tokens of a request. Input: the tokens of the request's JSON, whose names and brackets cost
 * more than the tokens that providers add around texts; the maximum for each image; and the model's whole context window if the request
 * only refers to content (files, stored conversations, results of the provider's own tools). Output: the request's limit for each of
 * its answers, otherwise the policy's. Both are multiplied if the provider may summarise the conversation first.
 */
export function boundOf(doc: JsonDocument, request: DecodedCall, settings: BoundSettings): CallBound {
  const body = bodyIn(doc, request.dialect, 'request');
  const { root, facts } = body;
  const seen = new InputReader(settings.countTokens).read(root);
  const hidden = settings.contextWindow ?? Math.max(ASSUMED_HIDDEN_TOKENS, seen.tokens);
  const inputTokens = seen.hidden || facts.refersToStored(root) ? Math.max(hidden, seen.tokens) : seen.tokens;
  const searches = facts.searches(root);
  const { outputTokens, capped } = outputBound(body, request, settings);
  const samplings = facts.samplings(root);
  return {
    inputTokens: inputTokens * samplings,
    outputTokens: outputTokens * samplings,
    ...{ writesCache: seen.writesCache, searches, capped },
  };
}

/** What a request asks of its provider, apart from its tokens. */
interface CallTerms {
  /** Absent for the standard tier. */
  readonly serviceTier?: ServiceTier;
  /** Whether the answer, and with it the usage, can only be retrieved after the call has ended. */
  readonly answersLater: boolean;
}

export function termsOf(doc: JsonDocument, request: DecodedCall): CallTerms {
  const { root, facts } = bodyIn(doc, request.dialect, 'request');
  const serviceTier = facts.serviceTier(root);
  return { answersLater: facts.answersLater(root), ...(serviceTier === undefined ? {} : { serviceTier }) };
}

/** Whether calls of this kind have output tokens that are charged. */
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

/** Visits a request once: counts the tokens of its texts and images, and detects content to which the request only refers. */
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
