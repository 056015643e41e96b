import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** The minimum time for which answers tell clients with open connections to reconnect elsewhere before the port is closed. */
const LEAST_NOTICE_MS = 250;
const SWEEP_MS = 100;

export interface DrainTimes {
  /** The time for which calls are still accepted, while load balancers learn to use other servers. */
  readonly noticeMs: number;
  /** After this time, including the notice, answers that still run are cut. */
  readonly limitMs: number;
}

/**
 * Closes a server's connections without cutting an answer. Clients keep connections open and send the next request at any time; a close
 * at that moment looks like a failure. So every answer first sends `connection: close`, and a connection is closed only when no request
 * or answer is in flight on it.
 */
export class ConnectionDrain {
  private draining = false;

  /** True from the moment at which the server was told to stop. */
  get isDraining(): boolean {
    return this.draining;
  }

  /** @param close stops listening and resolves when no connection is left */
  async run(server: Server, close: () => Promise<void>, { noticeMs, limitMs }: DrainTimes): Promise<void> {
    const startedMs = performance.now();
    const leftMs = (): number => Math.max(0, limitMs - (performance.now() - startedMs));
    this.draining = true;
    await delay(Math.min(noticeMs, limitMs));
    closeIdleAfterReading(server);
    if (noticeMs < LEAST_NOTICE_MS && (await openConnections(server)) > 0)
      await delay(Math.min(LEAST_NOTICE_MS, leftMs()));
    // An answer whose headers were sent before the notice leaves its connection open, so idle ones are closed repeatedly.
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
    const cut = setTimeout(() => server.closeAllConnections(), leftMs());
    try {
      await close();
    } finally {
      clearInterval(sweep);
      clearTimeout(cut);
    }
  }
}

/**
 * Closes idle connections only after the data that arrived on them was read: if a request waits in the receive buffer while the process
 * is busy, its connection is not idle.
 */
function closeIdleAfterReading(server: Server): void {
  const closeIdle = server.closeIdleConnections.bind(server);
  // Immediates run right after sockets were read. Node also calls this method itself.
  server.closeIdleConnections = () => void setImmediate(closeIdle);
}

function openConnections(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.getConnections((error, count) => resolve(error === null ? count : 0));
  });
}
