import {
  bounding,
  costOf,
  highestCost,
  searchesAlways,
  termsOf,
  tokensOf,
  usageParts,
  type ModelPrice,
  type ServiceTier,
  type Usage,
} from '../core/index.js';
import { SUBMITTED_COST, type NewEvent, type SpendingCall } from '../events/index.js';
import { runCooperatively } from '../judgement/index.js';
import type { Amounts } from './charges.js';
import { priceOfCall } from './prices/call-prices.js';
import type { PriceBook } from './prices/price-book.js';
import type { TokenCounter } from './prices/token-counter.js';

/** Ungoverned routes for which no provider charges: https://platform.openai.com/docs/api-reference */
const FREE_ROUTE = /^[^?]*\/(?:(?:files|moderations|uploads)(?:\/[^?]*)?|models\/?|[^/?]+[/:]cancel\/?)(?:\?|$)/;
/** Methods with which clients read, delete, and ask what a route supports: no model answers them. */
const FREE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE']);

/** The cost of a call: its upper bound before the call, and its actual cost afterwards. */
export class CallCost {
  constructor(
    private readonly prices: PriceBook,
    private readonly tokens: TokenCounter,
  ) {}

  /**
   * The upper bound of a request's cost. `usd` is undefined when the model's price is unknown, `tokens` when the request's size is unknown.
   */
  async atMost(call: SpendingCall, addedBytes: number): Promise<Amounts> {
    const { doc, policy, route } = call;
    if (isFree(call)) return { usd: 0n, tokens: 0n };
    if (doc === undefined || route?.governed === false) return { usd: undefined, tokens: undefined };
    const price = this.priceOf(call, call.context.model, termsOf(doc, call.call).serviceTier);
    const { defaultMaxTokens } = policy.policy;
    const settings = {
      countTokens: await this.tokens.forModel(call.context.model, call.caller.appId),
      ...(price?.contextWindow === undefined ? {} : { contextWindow: price.contextWindow }),
      ...(defaultMaxTokens === undefined ? {} : { defaultMaxTokens }),
    };
    const bound = await runCooperatively(bounding(doc, call.call, settings));
    const inputTokens = bound.inputTokens + addedBytes;
    return {
      usd: price === undefined ? undefined : highestCost({ ...bound, inputTokens }, price),
      tokens: BigInt(inputTokens) + BigInt(bound.outputTokens),
    };
  }

  /**
   * Returns the event with the cost of its call, as far as it is known: the submitted cost, or the one computed from the event's usage. The
   * answer to a call that is free has no usage of its own: it repeats that of an earlier call, such as the one whose stored answer it returns.
   * A call that its provider continues has no known usage either: the received part does not show what the whole answer costs.
   */
  priced(call: SpendingCall, event: NewEvent): NewEvent {
    if (isFree(call) || mayContinue(call, event)) return withoutUsage(event);
    if (event.costNanoUsd !== undefined) return { ...event, priceVersion: SUBMITTED_COST };
    const { usage } = event;
    const price = usage === undefined ? undefined : this.priceOf(call, event.model, tierOf(usage, call));
    if (usage === undefined || price === undefined) return event;
    const cost = knownCost(withSearch(usage, call), price);
    return cost === undefined ? event : { ...event, costNanoUsd: cost.toString(), priceVersion: price.version };
  }

  private priceOf(
    { policy, context, route, receivedAt }: SpendingCall,
    model: string | undefined,
    serviceTier: ServiceTier | undefined,
  ) {
    const { provider } = context;
    const baseUrl = route?.baseUrl;
    return priceOfCall(
      policy,
      this.prices,
      {
        ...{ provider, model },
        ...(baseUrl === undefined ? {} : { baseUrl }),
        ...(serviceTier === undefined ? {} : { serviceTier }),
      },
      receivedAt,
    );
  }
}

/** The cost that an event states for its call. */
export function amountsOf({ costNanoUsd, usage }: NewEvent): Amounts {
  const counted = usage !== undefined && (usage.promptTokens ?? usage.completionTokens) !== undefined;
  return {
    usd: costNanoUsd === undefined ? undefined : BigInt(costNanoUsd),
    tokens: counted ? BigInt(tokensOf(usageParts(usage))) : undefined,
  };
}

/** Whether a call is free: reading a provider's lists and files, counting tokens and cancelling cost nothing. */
export function isFree({ route }: SpendingCall): boolean {
  if (route === undefined) return false;
  if (FREE_METHODS.has(route.method) || route.countsOnly === true) return true;
  return !route.governed && FREE_ROUTE.test(route.path);
}

/** Whether the answer of a call can only be retrieved after the call has ended, so that its own end reports no usage. */
export function answersLater({ doc, call }: SpendingCall): boolean {
  return doc !== undefined && termsOf(doc, call).answersLater;
}

/** Whether the provider may continue a call after its recorded end: its answer is retrieved later, and its usage was not reported yet. */
function mayContinue(call: SpendingCall, { usage }: NewEvent): boolean {
  return usage?.estimated === true && answersLater(call);
}

/** The tier that an answer reports. A part of an answer may not report it: then the tier that the request asks for counts. */
function tierOf({ other, estimated }: Usage, { doc, call }: SpendingCall): ServiceTier | undefined {
  if (other?.serviceTier !== undefined || estimated !== true || doc === undefined) return other?.serviceTier;
  return termsOf(doc, call).serviceTier;
}

function withoutUsage({ usage: _usage, ...event }: NewEvent): NewEvent {
  return event;
}

function knownCost(usage: Usage, price: ModelPrice): bigint | undefined {
  const counted = usage.promptTokens ?? usage.completionTokens;
  return counted === undefined ? undefined : costOf(usageParts(usage), price, usage.other);
}

/** Chats with web search do not report the search in their usage, so one search fee is added. */
function withSearch(usage: Usage, { doc, route }: SpendingCall): Usage {
  const searches = doc !== undefined && route !== undefined && searchesAlways(doc.root);
  return searches ? { ...usage, other: { webSearches: 1, ...usage.other } } : usage;
}
