/** Optional features of a runtime besides the web's interfaces. Nothing here is imported, so every feature may be missing. */

interface ProcessLike {
  readonly env?: Readonly<Record<string, string | undefined>>;
  on?(event: 'beforeExit', listener: () => void): unknown;
  getBuiltinModule?(name: string): unknown;
}

export function runtimeProcess(): ProcessLike | undefined {
  return (globalThis as { process?: ProcessLike }).process;
}

/** An environment variable; undefined where there are none, or where they may not be read. */
export function environmentVariable(name: string): string | undefined {
  try {
    const value = runtimeProcess()?.env?.[name];
    return value === '' ? undefined : value;
  } catch {
    return undefined;
  }
}

/** A timer that does not keep a process alive, where the runtime can tell. */
export function quietTimer(action: () => void, delayMs: number): () => void {
  const timer: unknown = setTimeout(action, delayMs);
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) (timer as { unref(): void }).unref();
  return () => clearTimeout(timer as ReturnType<typeof setTimeout>);
}

export function pause(delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, delayMs);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

type Fetch = typeof globalThis.fetch;

/**
 * One request, whose answer comes from where it was sent: the key is for Weir alone. Workers know no `redirect: 'error'`.
 *
 * @throws what `fetch` throws, and when the answer sends elsewhere
 */
export async function fetchStraight(fetch: Fetch, url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  const { status, type } = response;
  if (type !== 'opaqueredirect' && (status < 300 || status > 399)) return response;
  await response.body?.cancel();
  throw new TypeError('The answer sends elsewhere');
}
