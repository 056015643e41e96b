/**
 * Prices of models and token counts, from the library or from the policy. Nothing is fetched at run time.
 */
import type { CompiledPolicy, ModelPrice, PriceOverride, Rate } from '../../core/index.js';
import type { ActivePolicy } from '../../policy-store/index.js';
import type { PriceBook, PricedModel } from './price-book.js';

/**
 * The price of a call: the policy's price for `provider/model`, then for `model`, then the published one. Rates that
 * the policy omits are the published ones. Only the standard tier has published prices: the policy names others as
 * `model@tier`.
 *
 * @returns undefined when neither the policy nor the library has a price for input
 */
export function priceOfCall(
  { policy, version }: ActivePolicy,
  book: PriceBook,
  model: PricedModel,
  at: Date,
): ModelPrice | undefined {
  const published = book.priceOf(model, at);
  const own = overrideOf(policy, model);
  if (own === undefined) return published;
  const rates = { ...published, ...ratesOf(own) };
  const { input } = rates;
  return input === undefined ? undefined : { ...rates, input, version: `policy@${version}` };
}

function overrideOf(
  { prices = {} }: CompiledPolicy,
  { provider, model, serviceTier }: PricedModel,
): PriceOverride | undefined {
  if (model === undefined) return undefined;
  const sold = serviceTier === undefined ? model : `${model}@${serviceTier}`;
  const names = provider === undefined ? [sold] : [`${provider}/${sold}`, sold];
  const name = names.find((each) => Object.hasOwn(prices, each));
  return name === undefined ? undefined : prices[name];
}

function ratesOf(own: PriceOverride): Partial<Omit<ModelPrice, 'version' | 'contextWindow'>> {
  const rates = {
    input: own.input,
    output: own.output,
    cacheRead: own.cacheRead,
    cacheWrite5m: own.cacheWrite,
    cacheWrite1h: own.cacheWrite1h,
    reasoning: own.reasoning,
  };
  const given = Object.entries(rates).flatMap(([key, nanoUsd]): [string, Rate][] =>
    nanoUsd === undefined ? [] : [[key, { base: BigInt(nanoUsd) }]],
  );
  return Object.fromEntries(given);
}
