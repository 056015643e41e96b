import type { Pool, PoolClient } from 'pg';

/** Usually a failed statement informs the holder, who releases the connection well within this time. */
const RELEASE_AFTER_MS = 1_000;

/**
 * Reclaims ended connections from holders that never release them. Kysely, below the EntityManager, keeps a connection for ever if
 * `BEGIN`, `COMMIT` or `ROLLBACK` fails on it: each transaction that an outage interrupts would make the pool smaller, until no call gets
 * a connection any more.
 */
export function releaseEndedConnections(pool: Pool): void {
  const held = new Set<PoolClient>();
  pool.on('acquire', (client) => held.add(client));
  pool.on('release', (_error, client) => held.delete(client));
  pool.on('connect', (client) => {
    client.once('end', () => {
      setTimeout(() => {
        if (held.has(client)) reclaim(client);
      }, RELEASE_AFTER_MS).unref();
    });
  });
}

function reclaim(client: PoolClient): void {
  client.release(new Error('the connection has ended'));
  // The pool throws when a connection is released twice; the holder may still do so.
  client.release = () => undefined;
}
