import type { ThrottlerStorage } from '@nestjs/throttler';
import type { Hit } from './hit-window.js';

/** The throttler's storage, which can count a request as several hits. */
export interface HitStorage extends ThrottlerStorage {
  /** @param hits so many at once, 1 unless told: all of them are counted, or none */
  increment(
    ...hit: [...Parameters<ThrottlerStorage['increment']>, hits?: number]
  ): ReturnType<ThrottlerStorage['increment']>;
}

type StorageRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** A hit in the throttler's own words: times are whole seconds, rounded up, so that who waits so long does not come early. */
export function storageRecord({ admitted, hits, waitMs }: Hit): StorageRecord {
  const waitSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  return {
    totalHits: admitted ? hits : hits + 1,
    timeToExpire: waitSeconds,
    isBlocked: !admitted,
    timeToBlockExpire: admitted ? 0 : waitSeconds,
  };
}
