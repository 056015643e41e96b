import type { PriceOverride } from '../../core/model/compiled-policy.js';

/** The names of the prices of a model in policy files. */
export const PRICE_FIELDS = {
  input: 'input_usd_per_million',
  output: 'output_usd_per_million',
  cacheRead: 'cache_read_usd_per_million',
  cacheWrite: 'cache_write_usd_per_million',
  cacheWrite1h: 'cache_write_1h_usd_per_million',
  reasoning: 'reasoning_usd_per_million',
} as const satisfies Record<keyof PriceOverride, string>;
