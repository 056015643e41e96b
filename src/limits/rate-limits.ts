import type { AppLimit } from '../access/index.js';
import type { AppConfig, RateLimit } from '../config/index.js';
import { WeirError } from '../http/index.js';
import { LIMITS, type LimitName } from './limit-names.js';
import { limitInForce } from './own-limit.js';
import type { HitStorage, StorageRecord } from './storage-record.js';

/** Adds a header to any answer. */
export type SetHeader = (name: string, value: string) => void;

/** Called for every counted request, for metrics. */
export type LimitObserver = (limit: LimitName, outcome: 'admitted' | 'refused') => void;

/** A limit and its current use. */
interface LimitUse {
  readonly count: number;
  readonly seconds: number;
  readonly used: number;
}

/** A request that was counted or refused. */
interface Taken {
  readonly name: LimitName;
  readonly rate: RateLimit;
  readonly hits: number;
  readonly setHeader: SetHeader;
}

const MS_PER_S = 1000;

/** The only place where requests are counted and refused, for all entry points. */
export class RateLimits {
  private readonly rates: ReadonlyMap<LimitName, RateLimit>;
  /** Whether counts include several processes. */
  readonly isShared: boolean;
  /** Whether counts include all replicas, not only the processes of this server. */
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
   * Counts a request and reports the rest of the limit in `RateLimit` and `RateLimit-Policy`.
   * https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/ (10): `r` is the remaining quota, `t` the number of seconds
   * until more is available. Without a promise if the storage counts without one.
   *
   * @param own a stricter limit of the app itself
   * @param hits the number of hits of the request: all are admitted, or none
   * @throws {WeirError} 429 `rate_limit_exceeded` with `Retry-After`
   */
  take(name: LimitName, key: string, setHeader: SetHeader, own?: AppLimit, hits = 1): undefined | Promise<undefined> {
    const rate = limitInForce(own, this.rates.get(name));
    if (rate === undefined) return undefined;
    const applyCount = (record: StorageRecord): undefined => this.applyCount({ name, rate, hits, setHeader }, record);
    const record = this.storage.increment(key, rate.windowSeconds * MS_PER_S, rate.limit, 0, name, hits);
    return record instanceof Promise ? record.then(applyCount) : applyCount(record);
  }

  /**
   * Refuses a request that `take` would refuse, without counting an admissible one. It does nothing with shared counts, which would
   * need a second query. Without a promise if the storage counts without one.
   *
   * @throws {WeirError} 429 `rate_limit_exceeded` with `Retry-After`
   */
  refuse(name: LimitName, key: string, setHeader: SetHeader, own?: AppLimit): undefined | Promise<undefined> {
    if (this.isShared) return undefined;
    const takeIfFull = (use: LimitUse | null): undefined | Promise<undefined> =>
      use !== null && use.used >= use.count ? this.take(name, key, setHeader, own) : undefined;
    const use = this.use(name, key, own);
    return use instanceof Promise ? use.then(takeIfFull) : takeIfFull(use);
  }

  /**
   * Gives back one hit that `take` counted, for a request that was refused for another reason without any effect. If this fails, the hit
   * stays counted.
   */
  async giveBack(name: LimitName, key: string, setHeader: SetHeader, own?: AppLimit): Promise<void> {
    const rate = limitInForce(own, this.rates.get(name));
    if (rate === undefined) return;
    try {
      const hit = [key, rate.windowSeconds * MS_PER_S, rate.limit, 0, name, -1] as const;
      const { totalHits, timeToExpire } = await this.storage.increment(...hit);
      setHeader('ratelimit', `"${name}";r=${Math.max(0, rate.limit - totalHits)};t=${timeToExpire}`);
    } catch {
      // The count is at most one too high, until the hit is forgotten.
    }
  }

  /** The operator's limit; undefined if there is none. */
  operators(name: LimitName): RateLimit | undefined {
    return this.rates.get(name);
  }

  /**
   * The active limit and its current use; null if there is none. It counts nothing, and returns no promise if the storage counts without
   * one.
   */
  use(name: LimitName, key: string, own?: AppLimit): LimitUse | null | Promise<LimitUse> {
    const rate = limitInForce(own, this.rates.get(name));
    if (rate === undefined) return null;
    const useOf = ({ totalHits }: StorageRecord): LimitUse => ({
      count: rate.limit,
      seconds: rate.windowSeconds,
      used: totalHits - 1,
    });
    // With a limit of 0, the hit is refused and therefore not counted.
    const record = this.storage.increment(key, rate.windowSeconds * MS_PER_S, 0, 0, name);
    return record instanceof Promise ? record.then(useOf) : useOf(record);
  }

  /** @throws {WeirError} 429 `rate_limit_exceeded` with `Retry-After` for a refused request */
  private applyCount({ name, rate, hits, setHeader }: Taken, record: StorageRecord): undefined {
    const { totalHits, timeToExpire: waitSeconds, isBlocked } = record;
    const { limit, windowSeconds } = rate;
    // The throttler's total includes a refused hit.
    const used = isBlocked ? totalHits - 1 : totalHits;
    this.observe(name, isBlocked ? 'refused' : 'admitted');
    setHeader('ratelimit-policy', `"${name}";q=${limit};w=${windowSeconds}`);
    setHeader('ratelimit', `"${name}";r=${Math.max(0, limit - used)};t=${waitSeconds}`);
    if (!isBlocked) return undefined;
    const message = `${hits} events at once exceed the limit of ${limit} within ${windowSeconds} s: send fewer at a time`;
    throw new WeirError('rate_limit_exceeded', {
      retryAfterSeconds: waitSeconds,
      ...(hits > limit && hits > 1 ? { message } : {}),
    });
  }
}
