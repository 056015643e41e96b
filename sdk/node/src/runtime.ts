/** Optional features of a runtime beyond the web APIs. No module of a runtime is imported, so every feature may be missing. */
import { unlessAborted } from './pieces.js';

interface ProcessLike {
  readonly env?: Readonly<Record<string, string | undefined>>;
  on?(event: 'beforeExit', listener: () => void): unknown;
  getBuiltinModule?(name: string): unknown;
}

export function runtimeProcess(): ProcessLike | undefined {
  return (globalThis as { process?: ProcessLike }).process;
}

/** An environment variable; undefined in a runtime without environment variables or without permission to read them. */
export function environmentVariable(name: string): string | undefined {
  try {
    const value = runtimeProcess()?.env?.[name];
    return value === '' ? undefined : value;
  } catch {
    return undefined;
  }
}

/** The part of `AsyncLocalStorage` that this package uses. */
export interface ContextStorage<Value> {
  run<R>(value: Value, work: () => R): R;
  getStore(): Value | undefined;
}

/** A new `AsyncLocalStorage`; null in a runtime without one. It is looked up by name, because an import would fail there. */
export function contextStorage<Value>(): ContextStorage<Value> | null {
  type Class = new () => ContextStorage<Value>;
  const hooks = runtimeProcess()?.getBuiltinModule?.('node:async_hooks') as { AsyncLocalStorage?: Class } | undefined;
  const found = hooks?.AsyncLocalStorage ?? (globalThis as { AsyncLocalStorage?: Class }).AsyncLocalStorage;
  return found === undefined ? null : new found();
}

/** The longest time of a timer, in milliseconds: timers with a longer one fire at once. */
export const LONGEST_TIMER_MS = 2_147_483_647;

/** A timer that does not keep the process alive, if the runtime supports that. */
export function quietTimer(action: () => void, delayMs: number): () => void {
  const timer: unknown = setTimeout(action, Math.min(delayMs, LONGEST_TIMER_MS));
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) (timer as { unref(): void }).unref();
  return () => clearTimeout(timer as ReturnType<typeof setTimeout>);
}

export function pause(delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      },
      Math.min(delayMs, LONGEST_TIMER_MS),
    );
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

type Fetch = typeof globalThis.fetch;

/**
 * Sends one request without following redirects, because the key must reach only Weir. Workers do not support `redirect: 'error'`. An
 * abort ends the wait even if the function that sends ignores the signal, as those of some test tools and instrumentation do.
 *
 * @throws the errors of `fetch`, the reason of the abort, and a TypeError for a redirect
 */
export async function fetchStraight(fetch: Fetch, url: string, init: RequestInit): Promise<Response> {
  const sent = fetch(url, { ...init, redirect: 'manual' });
  const response = await unlessAborted(sent, init.signal ?? undefined);
  const { status, type } = response;
  if (type !== 'opaqueredirect' && (status < 300 || status > 399)) return response;
  await response.body?.cancel();
  throw new TypeError('The response is a redirect');
}
