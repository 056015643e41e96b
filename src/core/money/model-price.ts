import { inputTokensOf, type UsageParts } from './usage-parts.js';

/** Nano-dollars per million tokens. Where `tiers` name the size of the input, the whole call has the tier's rate. */
export interface Rate {
  readonly base: bigint;
  readonly tiers?: readonly { readonly aboveInputTokens: number; readonly rate: bigint }[];
}

/** What a model's tokens cost. A rate that is not there is the one of `fallbackRates`. */
export interface ModelPrice {
  readonly input: Rate;
  /** Absent for models that write nothing, such as those of embeddings. */
  readonly output?: Rate;
  readonly cacheRead?: Rate;
  readonly cacheWrite5m?: Rate;
  readonly cacheWrite1h?: Rate;
  readonly reasoning?: Rate;
  /** Where the price comes from, with its version: stored with every cost. */
  readonly version: string;
  /** The most tokens that the model reads and writes in one call, where it is known. */
  readonly contextWindow?: number;
}

const MILLION = 1_000_000n;
const FREE: Rate = { base: 0n };

/**
 * What a call cost, in whole nano-dollars: the exact sum of tokens times rates, rounded half to even once.
 *
 * @returns undefined when tokens were written by a model that has no price for them
 */
export function costOf(parts: UsageParts, price: ModelPrice): bigint | undefined {
  if (price.output === undefined && parts.output + parts.reasoning > 0) return undefined;
  const rates = ratesOf(price);
  const input = inputTokensOf(parts);
  let millionths = 0n;
  for (const key of PARTS) millionths += BigInt(parts[key]) * rateAt(rates[key], input);
  return roundHalfEven(millionths, MILLION);
}

/** What a call may read and write at most. */
export interface TokenBound {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The request writes to the provider's cache, which costs more than reading uncached. */
  readonly writesCache: boolean;
}

/**
 * The most that a call within these bounds can cost, in whole nano-dollars, rounded up: every token at the highest rate
 * that could hold for it.
 */
export function highestCost(bound: TokenBound, price: ModelPrice): bigint {
  const rates = ratesOf(price);
  const inputs = bound.writesCache
    ? [rates.inputUncached, rates.cacheRead, rates.cacheWrite5m, rates.cacheWrite1h]
    : [rates.inputUncached, rates.cacheRead];
  const input = highestRate(inputs, bound.inputTokens);
  const output = highestRate([rates.output, rates.reasoning], bound.inputTokens);
  const millionths = BigInt(bound.inputTokens) * input + BigInt(bound.outputTokens) * output;
  return (millionths + MILLION - 1n) / MILLION;
}

type Rates = Readonly<Record<keyof UsageParts, Rate>>;
const PARTS = ['inputUncached', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'output', 'reasoning'] as const;

/**
 * What is not priced by itself costs what it is part of. An hour in Anthropic's cache costs twice the input
 * (https://docs.claude.com/en/docs/build-with-claude/prompt-caching#pricing).
 */
function ratesOf({ input, output = FREE, cacheRead, cacheWrite5m, cacheWrite1h, reasoning }: ModelPrice): Rates {
  return {
    inputUncached: input,
    cacheRead: cacheRead ?? input,
    cacheWrite5m: cacheWrite5m ?? input,
    cacheWrite1h: cacheWrite1h ?? (cacheWrite5m === undefined ? input : doubled(input)),
    output,
    reasoning: reasoning ?? output,
  };
}

function doubled({ base, tiers = [] }: Rate): Rate {
  return { base: base * 2n, tiers: tiers.map((tier) => ({ ...tier, rate: tier.rate * 2n })) };
}

function rateAt({ base, tiers = [] }: Rate, inputTokens: number): bigint {
  let [rate, reached] = [base, -1];
  for (const tier of tiers) {
    if (inputTokens > tier.aboveInputTokens && tier.aboveInputTokens > reached) {
      [rate, reached] = [tier.rate, tier.aboveInputTokens];
    }
  }
  return rate;
}

/** The highest of these rates for any input up to a size. */
function highestRate(rates: readonly Rate[], inputTokens: number): bigint {
  const reachable = rates.flatMap(({ base, tiers = [] }) => [
    base,
    ...tiers.filter(({ aboveInputTokens }) => inputTokens > aboveInputTokens).map(({ rate }) => rate),
  ]);
  return reachable.reduce((highest, rate) => (rate > highest ? rate : highest), 0n);
}

/** @param value not negative */
function roundHalfEven(value: bigint, divisor: bigint): bigint {
  const whole = value / divisor;
  const twice = (value % divisor) * 2n;
  return twice > divisor || (twice === divisor && whole % 2n === 1n) ? whole + 1n : whole;
}
