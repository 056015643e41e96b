import { sharedState } from './shared.js';

type Fetch = typeof globalThis.fetch;

/** The data of a guarded function. */
export interface Guard {
  /** The connection to the service that is asked. */
  readonly weir: object;
  readonly provider: string | undefined;
  /** The function that sends the calls. Undefined if it is the runtime's own. */
  readonly inner: Fetch | undefined;
  /** The runtime's own `fetch` at the time when the function was guarded. */
  readonly below: Fetch;
}

/** The functions that are already guarded. */
const guarded = sharedState('guarded', () => new WeakMap<object, Guard>());

export function rememberGuarded(fetch: Fetch, guard: Guard): void {
  guarded.set(fetch, guard);
}

/** Undefined for a function that is not guarded. */
export function guardOf(fetch: unknown): Guard | undefined {
  return typeof fetch === 'function' ? guarded.get(fetch) : undefined;
}

/**
 * The runtime's own `fetch`. It is looked up at each call, because test tools and instrumentation may replace it later. If a guarded
 * function has replaced it, this is the function below: requests to Weir must not be judged themselves.
 */
export function bareFetch(): Fetch {
  const { fetch } = globalThis;
  const guard = guardOf(fetch);
  return guard === undefined ? fetch : (guard.inner ?? guard.below);
}
