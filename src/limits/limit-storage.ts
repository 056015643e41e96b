import { Inject, Injectable, Logger, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { Metrics } from '../metrics/index.js';
import { SupervisorLine } from '../processes/index.js';
import { FallbackStorage } from './fallback-storage.js';
import { MemoryStorage } from './memory-storage.js';
import { RedisStorage } from './redis-storage.js';
import type { HitStorage } from './storage-record.js';
import { SupervisorStorage } from './supervisor-storage.js';

/** The maximum time for which the start waits for Redis. */
const REDIS_START_MS = 2_000;

const nowMs = (): number => performance.now();

/** The storages of hits: one for all processes of this server, and with `REDIS_URL` one for all replicas. */
@Injectable()
export class LimitStorage implements OnModuleInit, OnApplicationShutdown {
  /** Counts hits of this server. */
  readonly own: HitStorage;
  /** Counts hits of all replicas if possible, otherwise of this server. */
  readonly shared: HitStorage;
  private readonly redis: RedisStorage | undefined;
  private readonly logger = new Logger('limits');

  constructor(
    @Inject(APP_CONFIG) { redisUrl, redisDeadlineMs }: AppConfig,
    @Inject(Metrics) metrics: Metrics,
    @Inject(SupervisorLine) line: SupervisorLine | null,
  ) {
    this.own = line === null ? new MemoryStorage(nowMs) : new SupervisorStorage(line);
    if (redisUrl === undefined) {
      this.shared = this.own;
      return;
    }
    const { logger } = this;
    this.redis = new RedisStorage(redisUrl, redisDeadlineMs);
    const events = {
      fellBack: (): void => metrics.rateLimitFellBack(),
      changed: (shared: boolean): void =>
        shared
          ? logger.log('Redis answers again: rate limits are shared')
          : logger.warn('Redis does not answer in time: each replica counts requests on its own'),
    };
    this.shared = new FallbackStorage(this.redis, this.own, events, nowMs);
  }

  /** Waits briefly for Redis, so that a new replica counts with the others from its first request on. */
  async onModuleInit(): Promise<void> {
    if ((await this.redis?.connected(REDIS_START_MS)) !== false) return;
    this.logger.warn('Redis is unreachable: until it answers, this replica counts requests on its own');
  }

  onApplicationShutdown(): void {
    this.redis?.close();
  }
}

/** Provides the single storage of this server. */
@Module({ providers: [LimitStorage], exports: [LimitStorage] })
export class LimitStorageModule {}
