/** Reading of bodies chunk by chunk, for every kind of stream. */

/** One reader for web streams, Node.js streams and other async iterables. */
export interface Reader {
  read(): Promise<{ done: boolean; value?: unknown }>;
  cancel(reason?: unknown): Promise<void>;
}

export function readerOf(body: unknown): Reader {
  if (typeof (body as { getReader?: unknown }).getReader === 'function') {
    return (body as ReadableStream<unknown>).getReader() as Reader;
  }
  const iterator = (body as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  return {
    async read() {
      const { done, value } = await iterator.next();
      return { done: done === true, value };
    },
    async cancel() {
      await iterator.return?.();
    },
  };
}

/**
 * Resolves like `work`; once the signal fires, it rejects as `fetch` does, without waiting for `work`.
 *
 * @param work also a plain value, as functions that replace `fetch` in tests return
 */
export function unlessAborted<T>(work: T | PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  const settled = Promise.resolve(work);
  if (signal === undefined) return settled;
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    void settled.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
