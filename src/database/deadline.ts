import { noAnswer } from './database-error.js';

/** Returns the result of `promised`. @throws DatabaseUnavailable if there is none before the deadline */
export async function within<T>(deadlineMs: number | undefined, promised: Promise<T>): Promise<T> {
  if (deadlineMs === undefined) return promised;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(noAnswer()), deadlineMs);
  });
  try {
    return await Promise.race([promised, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns the result of `promised` unless the signal is aborted before. Its work is not ended, but nobody waits for it any more.
 *
 * @throws the reason of the signal
 */
export async function unlessAborted<T>(signal: AbortSignal | undefined, promised: Promise<T>): Promise<T> {
  if (signal === undefined) return promised;
  promised.catch(() => undefined);
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promised, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
