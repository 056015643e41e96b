import { bareFetch, isGuarded, rememberGuarded } from './bare-fetch.js';
import { guardedCall } from './guard.js';
import type { WeirOptions } from './options.js';
import { Weir } from './weir-client.js';

type Fetch = typeof globalThis.fetch;

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
  if (inner !== undefined && isGuarded(inner)) return inner;
  const below = bareFetch();
  /** The address of the request that is being passed on at this moment. */
  let passing: string | undefined;
  const send = (url: string, init: RequestInit): Promise<Response> => {
    passing = url;
    try {
      return (inner ?? bareFetch())(url, init);
    } finally {
      passing = undefined;
    }
  };
  const result: Fetch = (input, init) =>
    // The function below calls this one: the result has become the runtime's `fetch`, with something around it that hides this.
    passing !== undefined && isSameAddress(input, passing)
      ? below(input, init)
      : guardedCall({ weir, provider }, send, input, init);
  rememberGuarded(result, inner ?? below);
  return result;
}

function isSameAddress(input: Parameters<Fetch>[0], url: string): boolean {
  const address = typeof input === 'object' && 'url' in input ? input.url : String(input);
  try {
    return address === url || new URL(address).href === new URL(url).href;
  } catch {
    return false;
  }
}
