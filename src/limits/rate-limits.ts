import type { AppLimit } from '../access/index.js';
import type { AppConfig, RateLimit } from '../config/index.js';
import { WeirError } from '../http/index.js';
import { LIMITS, type LimitName } from './limit-names.js';
import { limitInForce } from './own-limit.js';
import type { HitStorage } from './storage-record.js';

/** Adds a header to any answer. */
export type SetHeader = (name: string, value: string) => void;

/** Told of every counted request, for metrics. */
export type LimitObserver = (limit: LimitName, outcome: 'admitted' | 'refused') => void;

const MS_PER_S = 1000;

/** The one place where hits are counted and refused, whichever door a request comes through. */
export class RateLimits {
  private readonly rates: ReadonlyMap<LimitName, RateLimit>;
  /** Counts are those of several processes together. */
  readonly isShared: boolean;
  /** Counts are those of all replicas: several processes of one server count for that one alone. */
  readonly isOfAllReplicas: boolean;

  constructor(
    config: AppConfig,
    private readonly storage: HitStorage,
    private readonly observe: LimitObserver,
  ) {
    this.isOfAllReplicas = config.redisUrl !== undefined;
    this.isShared = this.isOfAllReplicas || config.workers.count > 1;
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
   * @param own a stricter limit of whoever is counted
   * @param hits what the request counts as: all of it is let in, or nothing
   * @throws {WeirError} 429 `rate_limit_exceeded` with `Retry-After`
   */
  async take(name: LimitName, key: string, setHeader: SetHeader, own?: AppLimit, hits = 1): Promise<void> {
    const counted = await this.count(name, key, own, hits);
    if (counted === undefined) return;
    const { rate, left, waitSeconds, refused } = counted;
    setHeader('ratelimit-policy', `"${name}";q=${rate.limit};w=${rate.windowSeconds}`);
    setHeader('ratelimit', `"${name}";r=${left};t=${waitSeconds}`);
    if (!refused) return;
    const { limit, windowSeconds } = rate;
    const message = `${hits} events at once are more than the ${limit} that are let in within ${windowSeconds} s: send fewer at a time`;
    throw new WeirError('rate_limit_exceeded', {
      retryAfterSeconds: waitSeconds,
      ...(hits > limit && hits > 1 ? { message } : {}),
    });
  }

  /**
   * Refuses a request that `take` would refuse, as far as this process knows by itself, and counts nothing: others are not
   * asked twice.
   *
   * @throws {WeirError} 429 `rate_limit_exceeded` with `Retry-After`
   */
  async refuse(name: LimitName, key: string, setHeader: SetHeader, own?: AppLimit): Promise<void> {
    if (this.isShared) return;
    const use = await this.use(name, key, own);
    if (use !== null && use.used >= use.count) await this.take(name, key, setHeader, own);
  }

  /** What the operator allows; undefined: there is no limit. */
  operators(name: LimitName): RateLimit | undefined {
    return this.rates.get(name);
  }

  /** The limit in force and how much of it is used now; null when there is none. It counts nothing. */
  async use(name: LimitName, key: string, own?: AppLimit) {
    const rate = limitInForce(own, this.rates.get(name));
    if (rate === undefined) return null;
    // A hit at a limit of 0 is refused, and one that is refused is not counted.
    const { totalHits } = await this.storage.increment(key, rate.windowSeconds * MS_PER_S, 0, 0, name);
    return { count: rate.limit, seconds: rate.windowSeconds, used: totalHits - 1 };
  }

  private async count(name: LimitName, key: string, own: AppLimit | undefined, hits: number) {
    const rate = limitInForce(own, this.rates.get(name));
    if (rate === undefined) return undefined;
    const windowMs = rate.windowSeconds * MS_PER_S;
    const hit = [key, windowMs, rate.limit, 0, name, hits] as const;
    const { totalHits, timeToExpire, isBlocked } = await this.storage.increment(...hit);
    // The throttler counts a refused hit.
    const used = isBlocked ? totalHits - 1 : totalHits;
    this.observe(name, isBlocked ? 'refused' : 'admitted');
    return { rate, left: Math.max(0, rate.limit - used), waitSeconds: timeToExpire, refused: isBlocked };
  }
}
