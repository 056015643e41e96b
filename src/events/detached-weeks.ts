/**
 * Weeks are detached from the log in the transaction that replaces or archives them: that takes a moment. Their files are deleted
 * afterwards, with pauses, since the operating system needs seconds to delete gigabytes, and stored calls would wait for the disk.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { DETACHED_TABLES, type SqlExecutor, type SqlSession } from '../database/index.js';
import { tryLockWeeks, waitForTable } from './week-tables.js';

/** 15 GB take four minutes, for less than 1 % of which the disk deletes files. */
const BYTES_PER_MS = 64 * 1024;
const BUSY_PAUSE_MS = 500;

/**
 * Detaches the table of a week from the log: its events are gone for every reader, and `deleteDetached` deletes the table.
 *
 * @param transaction must have locked the log, see `takeAway`
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function detachWeek(transaction: SqlExecutor, table: string): Promise<void> {
  await transaction.query(`ALTER TABLE events DETACH PARTITION ${table}`);
  // Matches `DETACHED_TABLES`. The week gets another table when rows remain or a late event arrives, and that one may be detached before this one is deleted.
  await transaction.query(`ALTER TABLE ${table} RENAME TO detached_${table}_${Date.now()}`);
}

export interface Deletion {
  /** Ends the deletion before the next index or table. The next call continues. */
  readonly signal?: AbortSignal;
  /** Deletes without pauses, and waits for another server that is changing weeks; by default, the rest is left to that server. */
  readonly isUrgent?: boolean;
}

/** Deletes the tables of detached weeks, each index separately. @throws DatabaseError | DatabaseUnavailable */
export async function deleteDetached(maintenance: SqlSession, { signal, isUrgent = false }: Deletion): Promise<void> {
  while (signal?.aborted !== true) {
    const deleted = await maintenance.transaction(deleteNext);
    if (deleted === 'none' || (deleted === 'busy' && !isUrgent)) return;
    const pauseMs = deleted === 'busy' ? BUSY_PAUSE_MS : isUrgent ? 0 : deleted / BYTES_PER_MS;
    await wait(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

/** @returns the size of the deleted index or table in bytes; `busy`: another server is changing weeks */
async function deleteNext(transaction: SqlExecutor): Promise<number | 'none' | 'busy'> {
  const [next] = await transaction.query<{ table: string; index: string | null; bytes: number }>(
    `SELECT t.oid::regclass::text AS table, i.indexrelid::regclass::text AS index,
       coalesce(pg_relation_size(i.indexrelid), pg_total_relation_size(t.oid))::double precision AS bytes
     FROM pg_class t LEFT JOIN pg_index i ON i.indrelid = t.oid AND NOT i.indisprimary
     WHERE t.relkind = 'r' AND t.relname ~ '${DETACHED_TABLES}'
       AND t.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'events'::regclass)
     ORDER BY t.oid, i.indexrelid LIMIT 1`,
  );
  if (next === undefined) return 'none';
  if (!(await tryLockWeeks(transaction))) return 'busy';
  await waitForTable(transaction);
  // IF EXISTS: another server may have deleted it before the lock was taken.
  await transaction.query(
    next.index === null ? `DROP TABLE IF EXISTS ${next.table}` : `DROP INDEX IF EXISTS ${next.index}`,
  );
  return next.bytes;
}
