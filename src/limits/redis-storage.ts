import { once } from 'node:events';
import { Redis } from 'ioredis';
import type { Hit } from './hit-window.js';
import { HIT_WINDOW_SCRIPT } from './hit-window-script.js';
import { redisConnector } from './redis-connector.js';
import { storageRecord, type HitStorage } from './storage-record.js';

const KEY_PREFIX = 'weir:limit:';
const CONNECT_TIMEOUT_MS = 2_000;
const MAX_RECONNECT_PAUSE_MS = 1_000;
/** A connection that is silent for less than this after a command is only slow. */
const LEAST_SILENCE_MS = 1_000;
const SILENCE_IN_DEADLINES = 4;

interface WithScript extends Redis {
  weirCountHit(key: string, limit: number, windowMs: number, hits: number): Promise<[number, number, number, number]>;
}

/** Counts hits in Redis, for all replicas together: one script, one round trip. It never waits longer than its deadline. */
export class RedisStorage implements HitStorage {
  private readonly redis: WithScript;

  constructor(url: string, deadlineMs: number) {
    this.redis = new Redis(url, {
      commandTimeout: deadlineMs,
      // A missed deadline leaves the connection open; if its server is gone without closing it, TCP takes about 15 minutes to notice.
      // This time runs only while an answer is awaited, so it closes no idle connection.
      socketTimeout: Math.max(LEAST_SILENCE_MS, SILENCE_IN_DEADLINES * deadlineMs),
      connectTimeout: CONNECT_TIMEOUT_MS,
      Connector: redisConnector(CONNECT_TIMEOUT_MS),
      // A command without a connection fails at once instead of waiting for one.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: (times) => Math.min(times * 50, MAX_RECONNECT_PAUSE_MS),
      connectionName: 'weir',
      // Limits need one command only; the ready check uses INFO, which may not be permitted.
      enableReadyCheck: false,
      // A primary that became a replica refuses writes. By then its address points to another server, which a new connection reaches.
      reconnectOnError: (error) => error.message.includes('READONLY'),
    }) as WithScript;
    this.redis.defineCommand('weirCountHit', { numberOfKeys: 1, lua: HIT_WINDOW_SCRIPT });
    // Without a listener, a lost connection would end the process. Callers notice it by failing hits.
    this.redis.on('error', () => undefined);
  }

  /** @throws when Redis does not answer in time */
  async increment(key: string, ttl: number, limit: number, _blockDuration: number, throttlerName: string, hits = 1) {
    return storageRecord(await this.countHit(`${throttlerName}:${key}`, limit, ttl, hits));
  }

  /** `atMs` is Redis' clock. @throws when Redis does not answer in time */
  async countHit(key: string, limit: number, windowMs: number, hits = 1): Promise<Hit & { readonly atMs: number }> {
    const name = `${KEY_PREFIX}${key}`;
    const [admitted, counted, waitMs, atMs] = await this.redis.weirCountHit(name, limit, windowMs, hits);
    return { admitted: admitted === 1, hits: counted, waitMs, atMs };
  }

  /** Resolves when the connection is established, or after `limitMs` without one. */
  async connected(limitMs: number): Promise<boolean> {
    if (this.redis.status !== 'ready') {
      const waiting = new AbortController();
      const given = AbortSignal.any([waiting.signal, AbortSignal.timeout(limitMs)]);
      this.redis.once('ready', () => waiting.abort());
      await once(given, 'abort');
    }
    return this.redis.status === 'ready';
  }

  close(): void {
    this.redis.disconnect();
  }
}
