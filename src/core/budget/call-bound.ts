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
import { append, atOnce, isHeavyStop, isStop, type Steps } from '../steps/steps.js';

/** An upper bound of the tokens of a text; for a long text in steps. */
export type CountTokens = (text: string) => number | Steps<number>;

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
const OF_PROVIDERS: readonly Provider[] = Object.values(PROVIDERS);
/** Several providers mark images and files in the same way: each test is made once. */
const PICTURE_MARKS = new Set(OF_PROVIDERS.map(({ isPicture }) => isPicture));
const FILE_MARKS = new Set(OF_PROVIDERS.map(({ namesFile }) => namesFile));

/**
 * The maximum numbers of input and output tokens of a request. Input: the tokens of the request's JSON, whose names and brackets cost
 * more than the tokens that providers add around texts; the maximum for each image; and the model's whole context window if the request
 * only refers to content (files, stored conversations, results of the provider's own tools). Output: the request's limit for each of
 * its answers, otherwise the policy's. Both are multiplied if the provider may summarise the conversation first.
 */
export function boundOf(doc: JsonDocument, request: DecodedCall, settings: BoundSettings): CallBound {
  return atOnce(bounding(doc, request, settings));
}

/** `boundOf` in steps. */
export function* bounding(doc: JsonDocument, request: DecodedCall, settings: BoundSettings): Steps<CallBound> {
  const body = bodyIn(doc, request.dialect, 'request');
  const { root, facts } = body;
  const seen = yield* new InputReader(settings.countTokens).reading(root);
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

interface SeenInput {
  readonly tokens: number;
  readonly hidden: boolean;
  readonly writesCache: boolean;
}

/** Visits a request once: counts the tokens of its texts and images, and detects content to which the request only refers. */
class InputReader {
  private tokens = 0;
  private hidden = false;
  private writesCache = false;
  /** The nodes to be visited, in reverse order. */
  private readonly open: JsonNode[] = [];
  /** The texts and names to be counted. */
  private readonly texts: string[] = [];

  constructor(private readonly count: CountTokens) {}

  *reading(root: JsonNode): Steps<SeenInput> {
    this.open.push(root);
    for (let visited = 0; this.open.length > 0; visited++) {
      this.visit(this.open.pop() ?? null);
      if (isStop(visited)) yield;
    }
    for (const [index, text] of this.texts.entries()) {
      const counted = this.count(text);
      const tokens = typeof counted === 'number' ? counted : yield* counted;
      this.tokens += tokens + 1;
      if (isHeavyStop(index)) yield;
    }
    return { tokens: this.tokens, hidden: this.hidden, writesCache: this.writesCache };
  }

  private visit(node: JsonNode): void {
    if (isString(node)) return this.text(node.text);
    if (isArray(node)) return this.list(node.items);
    if (isObject(node)) return this.object(node);
    this.tokens += typeof node === 'object' && node !== null ? (node as TextNode).text.length : 4;
  }

  private text(text: string): void {
    const picture = DATA_PICTURE.test(text.slice(0, 128));
    if (picture) this.tokens += Math.min(PICTURE_TOKENS, text.length);
    else this.texts.push(text);
  }

  private list(items: readonly JsonNode[]): void {
    // A text given as tokens: one number each.
    if (items.length > 0 && items.every((item) => typeof item === 'number')) this.tokens += items.length;
    else append(this.open, items.toReversed());
  }

  private object(node: ObjectNode): void {
    if (memberOf(node, 'role') !== undefined) this.tokens += MESSAGE_TOKENS;
    if (hasMark(node, PICTURE_MARKS)) {
      this.tokens += PICTURE_TOKENS;
      this.writesCache ||= memberOf(node, 'cache_control') !== undefined;
      return;
    }
    if (hasMark(node, FILE_MARKS)) this.hidden = true;
    for (const { key } of node.members) {
      this.writesCache ||= key.text === 'cache_control';
      this.texts.push(key.text);
    }
    append(this.open, node.members.map(({ value }) => value).reverse());
  }
}

function hasMark(node: ObjectNode, marks: ReadonlySet<(node: ObjectNode) => boolean>): boolean {
  for (const isMarked of marks) if (isMarked(node)) return true;
  return false;
}
