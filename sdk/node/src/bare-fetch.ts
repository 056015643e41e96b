import { sharedState } from './shared.js';

type Fetch = typeof globalThis.fetch;

/** The functions that are already guarded, each with the function that sends its calls. */
const guarded = sharedState('guarded', () => new WeakMap<object, Fetch>());

export function rememberGuarded(fetch: Fetch, inner: Fetch): void {
  guarded.set(fetch, inner);
}

export function isGuarded(fetch: unknown): boolean {
  return typeof fetch === 'function' && guarded.has(fetch);
}

/**
 * The runtime's own `fetch`. It is looked up at each call, because test tools and instrumentation may replace it later. If a guarded
 * function has replaced it, this is the function below: requests to Weir must not be judged themselves.
 */
export function bareFetch(): Fetch {
  const { fetch } = globalThis;
  return guarded.get(fetch) ?? fetch;
}
