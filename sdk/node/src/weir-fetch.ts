import { bareFetch, guardOf, rememberGuarded } from './bare-fetch.js';
import { guardedCall, type Send } from './guard.js';
import type { WeirOptions } from './options.js';
import { initOf, readOutgoing, type FetchInput } from './outgoing.js';
import { isSameRequest, passedBy, whilePassed, type Passed } from './passed.js';
import { Weir } from './weir-client.js';

type Fetch = typeof globalThis.fetch;

/**
 * A `fetch` that asks Weir before each call and reports after it, for everything that takes a `fetch`.
 *
 * @param options settings, or a `Weir` shared with other clients
 * @param inner the `fetch` that sends the calls; the runtime's own by default. If it is guarded already, these options replace its own.
 * @throws WeirConfigError that names every option that is wrong
 */
export function weirFetch(options: WeirOptions | Weir = {}, inner?: Fetch): Fetch {
  return guardedAnew(weirFrom(options), undefined, inner);
}

export function weirFrom(options: WeirOptions | Weir): Weir {
  return options instanceof Weir ? options : new Weir(options);
}

/** Like `weirFetch`, for a client whose provider is known. The guard of another connection is replaced: each call is judged once. */
export function guardedAnew(weir: Weir, provider: string | undefined, inner?: Fetch): Fetch {
  const known = guardOf(inner);
  if (inner === undefined || known === undefined) return guardOver(weir, provider, inner);
  const own = provider ?? known.provider;
  return known.weir === weir && known.provider === own ? inner : guardOver(weir, own, known.inner);
}

/** Like `guardedAnew`, for a `fetch` that was given to a guarded client later: if it is guarded already, it is returned unchanged. */
export function guardedFetch(weir: Weir, provider: string | undefined, inner: Fetch): Fetch {
  return guardOf(inner) === undefined ? guardOver(weir, provider, inner) : inner;
}

function guardOver(weir: Weir, provider: string | undefined, inner: Fetch | undefined): Fetch {
  const below = bareFetch();
  const send: Send = (url, init, content) => {
    const next = inner ?? bareFetch();
    if (next === below) return below(url, init);
    return whilePassed({ by: result, url, method: init.method, content }, () => next(url, init));
  };
  // Without `inner`, requests to Weir itself never take the runtime's `fetch`, which may lead back to this function.
  const guard = { weir, provider, toWeir: inner === undefined ? below : send };
  const sendBelow = async (passed: Passed, input: FetchInput, init?: RequestInit): Promise<Response> => {
    const outgoing = await readOutgoing(input, init);
    const again = initOf(outgoing);
    if (isSameRequest(passed, outgoing)) return below(outgoing.url, again);
    // The functions in between changed the request, or have begun another one: Weir has not judged it.
    return guardedCall({ ...guard, toWeir: below }, below, outgoing.url, again);
  };
  const result: Fetch = (input, init) => {
    const passed = passedBy(result, input);
    return passed === undefined ? guardedCall(guard, send, input, init) : sendBelow(passed, input, init);
  };
  rememberGuarded(result, { weir, provider, inner, below });
  return result;
}
