import type { Caller } from '../access/index.js';
import type { RateLimits, SetHeader } from './rate-limits.js';

interface AdmittedBy {
  readonly caller: Caller;
  readonly source: 'rest' | 'proxy' | 'calls';
  /** Of a batch: how many events it holds. */
  readonly events?: number;
  setHeader: SetHeader;
}

/** The limit per app, the app's own where it has a stricter one, as a step of the way that submitted events and proxied calls share. Replays count, too. */
export class AdmissionLimit {
  readonly name = 'rate limit';

  constructor(private readonly limits: RateLimits) {}

  /** @throws {WeirError} 429 `rate_limit_exceeded` */
  async admit({ caller, source, events, setHeader }: AdmittedBy): Promise<undefined> {
    const own = source === 'rest' ? caller.limits?.events : caller.limits?.proxy;
    // An app's own limit is one of events, however they come.
    const rest = events === undefined || own !== undefined ? 'events' : 'batch';
    await this.limits.take(source === 'rest' ? rest : source, caller.appId, setHeader, own, events);
  }
}
