/** Injection token: how long a stream may be silent before it is kept alive, in milliseconds. */
export const KEEP_ALIVE_MS = Symbol('KEEP_ALIVE_MS');

/** Shorter than the idle time of common load balancers and clients. */
export const DEFAULT_KEEP_ALIVE_MS = 10_000;

const EVENT_END = /(?:\r\n\r\n|\n\n|\r\r)$/;

/**
 * The chunks of an event stream as they come, and a frame whenever there was silence; a frame never falls into the
 * middle of an event.
 */
export async function* withKeepAlives(
  chunks: AsyncIterable<Buffer>,
  silenceMs: number,
  frame: string,
): AsyncGenerator<Buffer> {
  const iterator = chunks[Symbol.asyncIterator]();
  let tail = '\n\n';
  try {
    for (;;) {
      const next = iterator.next();
      let result = await orSilence(next, silenceMs);
      while (result === 'silence') {
        if (EVENT_END.test(tail)) yield Buffer.from(frame);
        result = await orSilence(next, silenceMs);
      }
      if (result.done === true) return;
      tail = (tail + result.value.subarray(-4).toString('latin1')).slice(-4);
      yield result.value;
    }
  } finally {
    await iterator.return?.();
  }
}

/** What comes within a time, or `silence`. */
export async function orSilence<T>(next: Promise<T>, silenceMs: number): Promise<T | 'silence'> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<'silence'>((resolve) => {
    timer = setTimeout(() => resolve('silence'), silenceMs);
  });
  try {
    return await Promise.race([next, silence]);
  } finally {
    clearTimeout(timer);
  }
}
