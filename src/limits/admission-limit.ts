import type { Caller } from '../access/index.js';
import type { RateLimits, SetHeader } from './rate-limits.js';

interface AdmittedBy {
  readonly caller: Caller;
  readonly source: 'rest' | 'proxy' | 'calls';
  setHeader: SetHeader;
}

/** The limit per app, the app's own where it has a stricter one, as a step of the way that submitted events and proxied calls share. Replays count, too. */
export class AdmissionLimit {
  readonly name = 'rate limit';

  constructor(private readonly limits: RateLimits) {}

  /** @throws {WeirError} 429 `rate_limit_exceeded` */
  async admit({ caller, source, setHeader }: AdmittedBy): Promise<undefined> {
    const door = source === 'rest' ? 'events' : source;
    const own = source === 'rest' ? caller.limits?.events : caller.limits?.proxy;
    await this.limits.take(door, caller.appId, setHeader, own);
  }
}
