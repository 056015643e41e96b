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
