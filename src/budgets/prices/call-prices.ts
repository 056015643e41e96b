/**
 * Prices of models and token counts, from the library or from the policy. Nothing is fetched at run time.
 */
import type { CompiledPolicy, ModelPrice, PriceOverride, Rate } from '../../core/index.js';
import type { ActivePolicy } from '../../policy-store/index.js';
import type { PriceBook, PricedModel } from './price-book.js';

/**
 * The price that holds for a call: what the policy says, for `provider/model` before `model`, over what is published. Where
 * the policy says only some of the rates, the others are the published ones. Of a tier other than the standard one
 * nothing is published: the policy names its prices as `model@tier`.
 *
 * @returns undefined when neither knows what input costs
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
