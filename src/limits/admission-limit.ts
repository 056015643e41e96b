import type { AppLimit, Caller } from '../access/index.js';
import type { RateLimits, SetHeader } from './rate-limits.js';

interface Asking {
  readonly caller: Caller;
  readonly source: 'rest' | 'proxy' | 'calls';
  setHeader: SetHeader;
}

interface AdmittedBy extends Asking {
  /** The number of events in a batch. */
  readonly events?: number;
}

/**
 * The limit per app (or the app's own if it is stricter), as an admission step shared by submitted events and proxied calls. Replays
 * are also counted.
 */
export class AdmissionLimit {
  readonly name = 'rate limit';

  constructor(private readonly limits: RateLimits) {}

  /** Without a promise if `RateLimits` counts without one. @throws {WeirError} 429 `rate_limit_exceeded` */
  admit(asking: AdmittedBy): undefined | Promise<undefined> {
    const { caller, source, events, setHeader } = asking;
    return this.limits.take(limitOf(asking), caller.appId, setHeader, ownLimit(caller, source), events);
  }

  /** Gives back the hit of one call or event that was refused without any effect. Never rejects. */
  async giveBack(asking: AdmittedBy): Promise<void> {
    const { caller, source, setHeader } = asking;
    await this.limits.giveBack(limitOf(asking), caller.appId, setHeader, ownLimit(caller, source));
  }

  /** Checks the limit before the body of a single call is read. @throws {WeirError} 429 `rate_limit_exceeded` */
  refuse({ caller, source, setHeader }: Asking): undefined | Promise<undefined> {
    const name = source === 'rest' ? 'events' : source;
    return this.limits.refuse(name, caller.appId, setHeader, ownLimit(caller, source));
  }
}

function limitOf({ caller, source, events }: AdmittedBy) {
  if (source !== 'rest') return source;
  // An app's own limit counts events, whether sent singly or in batches.
  return events === undefined || ownLimit(caller, source) !== undefined ? 'events' : 'batch';
}

function ownLimit({ limits }: Caller, source: Asking['source']): AppLimit | undefined {
  return source === 'rest' ? limits?.events : limits?.proxy;
}
