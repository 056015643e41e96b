import type { ThrottlerStorage } from '@nestjs/throttler';
import type { AppConfig, RateLimit } from '../config/index.js';
import { WeirError } from '../http/index.js';
import { LIMITS, type LimitName } from './limit-names.js';

/** Adds a header to whatever answer is given. */
export type SetHeader = (name: string, value: string) => void;

/** Told of every counted request, for metrics. */
export type LimitObserver = (limit: LimitName, outcome: 'admitted' | 'refused') => void;

const MS_PER_S = 1000;

/** The one place where hits are counted and refused, whichever door a request comes through. */
export class RateLimits {
  private readonly rates: ReadonlyMap<LimitName, RateLimit>;

  constructor(
    config: AppConfig,
    private readonly storage: ThrottlerStorage,
    private readonly observe: LimitObserver,
  ) {
    const names = Object.keys(LIMITS) as LimitName[];
    this.rates = new Map(
      names.flatMap((name) => {
        const rate = LIMITS[name].rate(config);
        return rate === undefined ? [] : [[name, rate] as const];
      }),
    );
  }

  /**
   * Counts a request and tells what is left of the limit in `RateLimit` and `RateLimit-Policy`.
   * https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/ (10): `r` is what is left, `t` are the seconds
   * until more is available.
   *
   * @throws {WeirError} 429 `rate_limit_exceeded` with `Retry-After`
   */
  async take(name: LimitName, key: string, setHeader: SetHeader): Promise<void> {
    const counted = await this.count(name, key);
    if (counted === undefined) return;
    const { rate, left, waitSeconds, refused } = counted;
    setHeader('ratelimit-policy', `"${name}";q=${rate.limit};w=${rate.windowSeconds}`);
    setHeader('ratelimit', `"${name}";r=${left};t=${waitSeconds}`);
    if (refused) throw new WeirError('rate_limit_exceeded', { retryAfterSeconds: waitSeconds });
  }

  private async count(name: LimitName, key: string) {
    const rate = this.rates.get(name);
    if (rate === undefined) return undefined;
    const windowMs = rate.windowSeconds * MS_PER_S;
    const { totalHits, timeToExpire, isBlocked } = await this.storage.increment(key, windowMs, rate.limit, 0, name);
    this.observe(name, isBlocked ? 'refused' : 'admitted');
    return { rate, left: Math.max(0, rate.limit - totalHits), waitSeconds: timeToExpire, refused: isBlocked };
  }
}
