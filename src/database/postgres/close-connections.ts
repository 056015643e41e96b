/**
 * The end of the connections to PostgreSQL. Statements in flight may end, but a server that has stopped answering is not waited for.
 */

/** By now, queues are empty and no call is open: only work whose caller has left may still wait for an answer. */
const LIMIT_MS = 2_000;

/**
 * Closes the connections. After a time, those with unanswered statements are closed as well.
 *
 * @param close waits for the statements in flight
 * @param drop closes all connections at once
 */
export async function closeConnections(
  close: () => Promise<void>,
  drop: () => void,
  limitMs = LIMIT_MS,
): Promise<void> {
  const timer = setTimeout(drop, limitMs);
  try {
    await close();
  } finally {
    clearTimeout(timer);
  }
}
