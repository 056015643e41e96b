import { WeirError } from '../http/index.js';
import type { SupervisorLine } from '../processes/index.js';
import type { HitStorage } from './storage-record.js';

/** A running supervisor answers at once; a stopped one must not delay every request for long. */
const ANSWERS_WITHIN_MS = 2_000;

/** Counts hits for all processes of this server in their supervisor. */
export class SupervisorStorage implements HitStorage {
  constructor(
    private readonly line: Pick<SupervisorLine, 'countHit'>,
    private readonly withinMs = ANSWERS_WITHIN_MS,
  ) {}

  /** @throws {WeirError} 503 `overloaded` while the supervisor does not answer: it fails closed */
  async increment(key: string, ttl: number, limit: number, _blockDuration: number, throttlerName: string, hits = 1) {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(refusal()), this.withinMs);
    const counted = this.line.countHit({ name: throttlerName, key, windowMs: ttl, limit, hits });
    try {
      return await Promise.race([counted.catch(() => Promise.reject(refusal())), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}

const refusal = (): WeirError => new WeirError('overloaded', { retryAfterSeconds: 1 });
