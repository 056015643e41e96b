import type { ThrottlerStorage } from '@nestjs/throttler';
import type { Hit } from './hit-window.js';

/** The throttler's storage, which can count a request as several hits. */
export interface HitStorage extends ThrottlerStorage {
  /** @param hits the number of simultaneous hits, 1 by default: all of them are counted, or none; a negative number of hits is given back */
  increment(
    ...hit: [...Parameters<ThrottlerStorage['increment']>, hits?: number]
  ): ReturnType<ThrottlerStorage['increment']>;
}

type StorageRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

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
