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

  /** @throws {WeirError} 429 `rate_limit_exceeded` */
  async admit({ caller, source, events, setHeader }: AdmittedBy): Promise<undefined> {
    const own = ownLimit(caller, source);
    // An app's own limit counts events, whether sent singly or in batches.
    const rest = events === undefined || own !== undefined ? 'events' : 'batch';
    await this.limits.take(source === 'rest' ? rest : source, caller.appId, setHeader, own, events);
  }

  /** Checks the limit before the body of a single call is read. @throws {WeirError} 429 `rate_limit_exceeded` */
  async refuse({ caller, source, setHeader }: Asking): Promise<void> {
    const name = source === 'rest' ? 'events' : source;
    await this.limits.refuse(name, caller.appId, setHeader, ownLimit(caller, source));
  }
}

function ownLimit({ limits }: Caller, source: Asking['source']): AppLimit | undefined {
  return source === 'rest' ? limits?.events : limits?.proxy;
}
