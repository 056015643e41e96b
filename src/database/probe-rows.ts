/** Rows that are updated repeatedly to check that written data can be read. */
import type { SqlExecutor } from './sql-runner.js';

/** Slots below this number are for readiness probes, the others for heartbeats of the read replica. */
export const READINESS_SLOTS = 64;

/** @param session a session of the duty `watch` */
export async function writeProbe(session: SqlExecutor, slot: number, token: string): Promise<void> {
  await session.query(
    `INSERT INTO readiness_probes (slot, token) VALUES ($1::smallint, $2::uuid)
     ON CONFLICT (slot) DO UPDATE SET token = EXCLUDED.token`,
    [slot, token],
    { prepareAs: 'write-probe' },
  );
}

/** @returns the token that was written last; undefined if there is no row */
export async function readProbe(session: SqlExecutor, slot: number): Promise<string | undefined> {
  const [row] = await session.query<{ token: string }>(
    'SELECT token::text AS token FROM readiness_probes WHERE slot = $1::smallint',
    [slot],
    { prepareAs: 'read-probe' },
  );
  return row?.token;
}
