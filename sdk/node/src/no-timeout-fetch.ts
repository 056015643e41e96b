import { bareFetch } from './bare-fetch.js';

/** The part of Node.js behind its `fetch` that opens connections. */
interface Dispatcher {
  dispatch(options: object, handler: unknown): boolean;
}

const GLOBAL_DISPATCHER = Symbol.for('undici.globalDispatcher.1');

/**
 * The runtime's own `fetch`, without the 300 seconds after which Node.js ends a connection that sends nothing. Google's client removes this
 * limit from its long calls, but only while it has no `fetch` of its own, as a guarded client does.
 */
export const noTimeoutFetch: typeof globalThis.fetch = (input, init) => {
  const dispatcher = init !== undefined && 'dispatcher' in init ? undefined : noTimeoutDispatcher();
  const unlimited: object = { ...init, dispatcher };
  return bareFetch()(input, dispatcher === undefined ? init : (unlimited as RequestInit));
};

/** Undefined in runtimes other than Node.js, which have no such limit. */
function noTimeoutDispatcher(): Dispatcher | undefined {
  // Node.js creates its dispatcher with the first object of its web interfaces.
  new Headers();
  const common = (globalThis as { [GLOBAL_DISPATCHER]?: Partial<Dispatcher> })[GLOBAL_DISPATCHER];
  const dispatch = common?.dispatch;
  if (typeof dispatch !== 'function') return undefined;
  return {
    dispatch: (options, handler) => dispatch.call(common, { ...options, headersTimeout: 0, bodyTimeout: 0 }, handler),
  };
}
