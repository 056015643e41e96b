import { guardedCall } from './guard.js';
import type { WeirOptions } from './options.js';
import { Weir } from './weir-client.js';

type Fetch = typeof globalThis.fetch;

/** The functions that are already guarded. */
const guarded = new WeakSet<object>();

/**
 * A `fetch` that asks Weir before each call and reports after it, for everything that takes a `fetch`.
 *
 * @param options settings, or a `Weir` shared with other clients
 * @param inner the `fetch` that sends the calls; the runtime's own by default
 * @throws WeirConfigError that names every option that is wrong
 */
export function weirFetch(options: WeirOptions | Weir = {}, inner?: Fetch): Fetch {
  return guardedFetch(weirFrom(options), undefined, inner);
}

export function weirFrom(options: WeirOptions | Weir): Weir {
  return options instanceof Weir ? options : new Weir(options);
}

/** Like `weirFetch`, for a client whose provider is known. A function that is already guarded is returned unchanged. */
export function guardedFetch(weir: Weir, provider: string | undefined, inner?: Fetch): Fetch {
  if (inner !== undefined && guarded.has(inner)) return inner;
  // Looked up at each call, because instrumentation may replace it later.
  const send = (url: string, init: RequestInit): Promise<Response> => (inner ?? globalThis.fetch)(url, init);
  const result: Fetch = (input, init) => guardedCall({ weir, provider }, send, input, init);
  guarded.add(result);
  return result;
}

export function isGuarded(fetch: unknown): boolean {
  return typeof fetch === 'function' && guarded.has(fetch);
}
