import type { ThrottlerStorage } from '@nestjs/throttler';
import type { Hit } from './hit-window.js';

/** A counted or refused hit in the throttler's format. */
export type StorageRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** A storage like the throttler's, which can count a request as several hits, and returns a promise only if it has to wait. */
export interface HitStorage {
  /** @param hits the number of simultaneous hits, 1 by default: all of them are counted, or none; a negative number of hits is given back */
  increment(
    ...hit: [...Parameters<ThrottlerStorage['increment']>, hits?: number]
  ): StorageRecord | Promise<StorageRecord>;
}

/** A storage in the form that the throttler requires. */
export function throttlerStorage(storage: HitStorage): ThrottlerStorage {
  return { increment: async (...hit) => storage.increment(...hit) };
}

/** Converts a hit to the throttler's format: times are whole seconds, rounded up, so that a client that waits is never too early. */
export function storageRecord({ admitted, hits, waitMs }: Hit): StorageRecord {
  const waitSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  return {
    totalHits: admitted ? hits : hits + 1,
    timeToExpire: waitSeconds,
    isBlocked: !admitted,
    timeToBlockExpire: admitted ? 0 : waitSeconds,
  };
}
