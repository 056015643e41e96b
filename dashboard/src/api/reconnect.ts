/** Requests that failed for lack of a connection are retried automatically, at growing intervals, until one is answered. */
import type { QueryClient } from '@tanstack/react-query';
import { ApiError, watchConnection } from './client.ts';

const MAX_MS = 30_000;

/** Waits 1, 2, 4 … 30 seconds, each up to 20 % more or less, so that many pages do not reconnect at the same moment. */
export const pauseMs = (attempt: number): number => Math.min(MAX_MS, 1000 * 2 ** attempt) * (0.8 + Math.random() * 0.4);

export function keepTrying(client: QueryClient): void {
  let attempt = 0;
  let timer: number | undefined;
  const again = (): void => {
    timer = undefined;
    void client.refetchQueries({
      type: 'active',
      predicate: ({ state }) => state.error instanceof ApiError && state.error.status === 0,
    });
  };
  const stop = (): void => {
    window.clearTimeout(timer);
    timer = undefined;
  };
  watchConnection((isUp) => {
    if (!isUp) timer ??= window.setTimeout(again, pauseMs(attempt++));
    else if (attempt > 0) {
      attempt = 0;
      stop();
      again();
    }
  });
  window.addEventListener('online', () => {
    stop();
    again();
  });
}
