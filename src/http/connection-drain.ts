import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** How long answers tell their clients to go elsewhere before the port closes. */
const NOTICE_MS = 250;
const SWEEP_MS = 100;

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

  /**
   * @param close stops listening and resolves when no connection is left
   * @param limitMs after this, answers that still run are cut
   */
  async run(server: Server, close: () => Promise<void>, limitMs: number): Promise<void> {
    this.draining = true;
    closeIdleAfterReading(server);
    if ((await openConnections(server)) > 0) await delay(Math.min(NOTICE_MS, limitMs));
    // An answer whose headers were out before the notice leaves its connection open when it ends.
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
    const cut = setTimeout(() => server.closeAllConnections(), limitMs);
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
  // Immediates run right after sockets were read. Node itself closes idle connections by this name, too.
  server.closeIdleConnections = () => void setImmediate(closeIdle);
}

function openConnections(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.getConnections((error, count) => resolve(error === null ? count : 0));
  });
}
