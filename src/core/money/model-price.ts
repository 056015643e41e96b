/**
 * Amounts in nano-dollars and prices of models, exact to the last digit. Rounding happens once, half to even.
 */
import type { OtherUsage } from '../model/call.js';
import { inputTokensOf, type UsageParts } from './usage-parts.js';

/**
 * Nano-dollars per million tokens. If the input is longer than the bound of a tier, the rate of that tier applies to the whole call.
 */
export interface Rate {
  readonly base: bigint;
  readonly tiers?: readonly { readonly aboveInputTokens: number; readonly rate: bigint }[];
}

/** The prices of a model's tokens. `ratesOf` replaces missing rates. */
export interface ModelPrice {
  readonly input: Rate;
  /** Absent for models that write nothing, such as those of embeddings. */
  readonly output?: Rate;
  readonly cacheRead?: Rate;
  readonly cacheWrite5m?: Rate;
  readonly cacheWrite1h?: Rate;
  readonly reasoning?: Rate;
  readonly audioInput?: Rate;
  readonly audioOutput?: Rate;
  /** Fees in nano-dollars per thousand calls, and per thousand runs of the provider's own tools. */
  readonly calls?: bigint;
  readonly webSearches?: bigint;
  readonly fileSearches?: bigint;
  /** The source of the price, with its version; stored with every cost. */
  readonly version: string;
  /** The maximum number of tokens that the model reads and writes in one call, if known. */
  readonly contextWindow?: number;
}

const THOUSAND = 1_000n;
const MILLION = 1_000_000n;

/**
 * The cost of a call in whole nano-dollars: the exact sum of tokens times rates and of fees, rounded half to even once.
 *
 * @param other billed usage other than plain tokens; `price` must already be the price of its service tier
 * @returns undefined if the price lacks the rate or fee of a billed item: the cost is never reported without that item
 */
export function costOf(parts: UsageParts, price: ModelPrice, other: OtherUsage = {}): bigint | undefined {
  const rates: Partial<Rates> = ratesOf(price);
  const input = inputTokensOf(parts);
  const fees = feesOf(price, other);
  if (fees === undefined) return undefined;
  let millionths = fees * THOUSAND;
  for (const key of PARTS) {
    if (parts[key] === 0) continue;
    const rate = rates[key];
    if (rate === undefined) return undefined;
    millionths += BigInt(parts[key]) * rateAt(rate, input);
  }
  return roundHalfEven(millionths, MILLION);
}

/** The fees in thousandths of nano-dollars; undefined if one of them is unknown. */
function feesOf(
  { calls = 0n, webSearches, fileSearches }: ModelPrice,
  { webSearches: searched = 0, fileSearches: looked = 0, unknownFees }: OtherUsage,
): bigint | undefined {
  const isUnknown = (searched > 0 && webSearches === undefined) || (looked > 0 && fileSearches === undefined);
  if (unknownFees === true || isUnknown) return undefined;
  return calls + BigInt(searched) * (webSearches ?? 0n) + BigInt(looked) * (fileSearches ?? 0n);
}

/** The maximum numbers of tokens and searches of a call. */
export interface TokenBound {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The request asks for a cache, which may then be kept for an hour. Some providers also write to a cache that no request asks for. */
  readonly writesCache: boolean;
  /** Maximum number of runs of the provider's own search tools. */
  readonly searches: number;
}

/**
 * The maximum cost of a call within these bounds, in whole nano-dollars, rounded up: each token counts with the highest rate that may
 * apply to it.
 */
export function highestCost(bound: TokenBound, price: ModelPrice): bigint {
  const rates = ratesOf(price);
  const inputs = [rates.inputUncached, rates.cacheRead, rates.cacheWrite5m];
  const input = highestRate(bound.writesCache ? [...inputs, rates.cacheWrite1h] : inputs, bound.inputTokens);
  // The output may be audio. Audio in the input was counted as base64 text, which gives far more tokens than the audio itself.
  const outputs = [rates.output, rates.reasoning, rates.audioOutput].filter((rate) => rate !== undefined);
  const output = highestRate(outputs, bound.inputTokens);
  const { calls = 0n, webSearches = 0n, fileSearches = 0n } = price;
  const search = webSearches > fileSearches ? webSearches : fileSearches;
  const fees = (calls + BigInt(bound.searches) * search) * THOUSAND;
  const millionths = BigInt(bound.inputTokens) * input + BigInt(bound.outputTokens) * output + fees;
  return (millionths + MILLION - 1n) / MILLION;
}

const PARTS = [
  'inputUncached',
  'cacheRead',
  'cacheWrite5m',
  'cacheWrite1h',
  'audioInput',
  'output',
  'reasoning',
  'audioOutput',
] as const satisfies readonly (keyof UsageParts)[];
type Rates = Readonly<Record<'inputUncached' | 'cacheRead' | 'cacheWrite5m' | 'cacheWrite1h', Rate>> &
  Readonly<Partial<Record<'output' | 'reasoning' | 'audioInput' | 'audioOutput', Rate>>>;

/**
 * The rate of each kind of tokens. A kind without its own rate has the rate of the input or output to which it belongs, except audio,
 * which costs more than text. Caching for an hour costs twice the input rate at Anthropic
 * (https://docs.claude.com/en/docs/build-with-claude/prompt-caching#pricing).
 */
function ratesOf({ input, output, cacheRead, cacheWrite5m, cacheWrite1h, reasoning, ...audio }: ModelPrice): Rates {
  const written = reasoning ?? output;
  return {
    inputUncached: input,
    cacheRead: cacheRead ?? input,
    cacheWrite5m: cacheWrite5m ?? input,
    cacheWrite1h: cacheWrite1h ?? (cacheWrite5m === undefined ? input : doubled(input)),
    ...(output === undefined ? {} : { output }),
    ...(written === undefined ? {} : { reasoning: written }),
    ...(audio.audioInput === undefined ? {} : { audioInput: audio.audioInput }),
    ...(audio.audioOutput === undefined ? {} : { audioOutput: audio.audioOutput }),
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
