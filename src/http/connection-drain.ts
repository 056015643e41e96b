import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** The minimum time for which answers tell clients with open connections to reconnect elsewhere before the port is closed. */
const LEAST_NOTICE_MS = 250;
const SWEEP_MS = 100;

export interface DrainTimes {
  /** So long calls are taken as before, while load balancers find out that they should look elsewhere. */
  readonly noticeMs: number;
  /** After this, the notice included, answers that still run are cut. */
  readonly limitMs: number;
}

/**
 * Ends a server's connections without cutting an answer. Clients keep connections open and send the next request
 * whenever they like; one that is closed under them looks like a failure. So every answer first says
 * `connection: close`, and a connection goes only when nothing is on its way on it.
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
    // An answer whose headers were out before the notice leaves its connection open when it ends.
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
 * Closes idle connections only when what has arrived on them has been read: a request that waits in the system while the
 * process is busy makes its connection anything but idle.
 */
function closeIdleAfterReading(server: Server): void {
  const closeIdle = server.closeIdleConnections.bind(server);
  // Immediates run right after sockets were read. Node itself also closes idle connections by this name.
  server.closeIdleConnections = () => void setImmediate(closeIdle);
}

function openConnections(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.getConnections((error, count) => resolve(error === null ? count : 0));
  });
}
