import { LRUCache } from 'lru-cache';
import type { ModelPrice } from '../../core/index.js';
import type { PriceBook, PricedModel } from './price-book.js';

const MS_PER_MINUTE = 60_000;
/** The maximum number of cached models and minutes: clients choose the names, so the cache must stay small. */
const MAX_PRICES = 500;
/** Longer names and addresses are looked up each time. */
const MAX_NAME = 256;

/**
 * Caches the prices of another book for a minute for each model: published prices begin and end at full minutes, and looking up a price
 * takes longer than judging a short call.
 */
export class KnownPrices implements PriceBook {
  private readonly known = new LRUCache<string, { readonly price: ModelPrice | undefined }>({ max: MAX_PRICES });

  constructor(private readonly book: PriceBook) {}

  priceOf(model: PricedModel, at: Date): ModelPrice | undefined {
    const names = [model.provider, model.model, model.baseUrl, model.serviceTier];
    if (names.some((name) => name !== undefined && name.length > MAX_NAME)) return this.book.priceOf(model, at);
    const key = JSON.stringify([Math.floor(at.getTime() / MS_PER_MINUTE), ...names]);
    const known = this.known.get(key);
    if (known !== undefined) return known.price;
    const price = this.book.priceOf(model, at);
    this.known.set(key, { price });
    return price;
  }
}
