/**
 * Weeks are detached from the log in the transaction that replaces or archives them: that takes a moment. Their files are deleted
 * afterwards, with pauses, since the operating system needs seconds to delete gigabytes, and stored calls would wait for the disk.
 */
import { setTimeout as wait } from 'node:timers/promises';
import {
  DatabaseError,
  DETACHED_TABLES,
  type SqlExecutor,
  type SqlRow,
  type SqlRunner,
  type SqlSession,
} from '../database/index.js';
import { tryLockWeeks, waitForTable } from './week-tables.js';

/** 10 GB take ten minutes, in less than 0.5 % of which the disk is busy deleting files: the 99th percentile of stored events stays the same. */
const BYTES_PER_MS = 16 * 1024;
/** Other servers change weeks, and backups read all tables: an erasure waits for them for half a minute plus the duration of the tries. */
const URGENT_TRIES = 60;
const LOCKED_PAUSE_MS = 500;
const LEFT_OVER_MS = 60 * 60 * 1_000;

/**
 * Detaches the table of a week from the log: its events are gone for every reader, and `deleteDetached` deletes the table.
 *
 * @param transaction must have locked the log, see `withLockedLog`
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function detachWeek(transaction: SqlExecutor, table: string): Promise<void> {
  await transaction.query(`ALTER TABLE events DETACH PARTITION ${table}`);
  // Matches `DETACHED_TABLES`. The number: another table of the same week may be detached before this one is deleted.
  await transaction.query(`ALTER TABLE ${table} RENAME TO detached_${table}_${Date.now()}`);
}

export interface Deletion {
  /** Ends the deletion before the next index or table. The next call continues. */
  readonly signal?: AbortSignal;
  /** Deletes without pauses, and waits a while for locks; by default, locked tables are left to the next call. */
  readonly isUrgent?: boolean;
  /** Deletes only tables that were detached more than an hour ago, whose deletion was interrupted. */
  readonly isLeftOver?: boolean;
}

/**
 * Deletes the tables of detached weeks, each index separately. Several servers that do so at once are hardly faster than one: they go
 * through the same list in the same order, and each of them waits for the bytes of an object that another one has dropped as well.
 *
 * @returns whether no detached table is left
 * @throws DatabaseError | DatabaseUnavailable
 */
export async function deleteDetached(sql: SqlRunner, { signal, isUrgent, isLeftOver }: Deletion): Promise<boolean> {
  const maintenance = sql.forMaintenance();
  const locked = new Set<string>();
  let triesLeft = isUrgent === true ? URGENT_TRIES : 0;
  for (const detached of await findDetached(maintenance, isLeftOver === true ? Date.now() - LEFT_OVER_MS : Infinity)) {
    while (!locked.has(detached.table) && signal?.aborted !== true && !(await dropped(maintenance, detached))) {
      if (triesLeft === 0) locked.add(detached.table);
      else await wait(LOCKED_PAUSE_MS, undefined, { signal }).catch(() => undefined);
      triesLeft = Math.max(0, triesLeft - 1);
    }
    if (isUrgent !== true && !locked.has(detached.table))
      await wait(detached.bytes / BYTES_PER_MS, undefined, { signal }).catch(() => undefined);
  }
  return locked.size === 0 && signal?.aborted !== true;
}

interface Detached {
  readonly table: string;
  /** The object to drop: an index of the table, or the table itself. */
  readonly object: string;
  readonly isIndex: boolean;
  readonly bytes: number;
}

/** The indexes and tables of detached weeks, each table after its indexes. */
function findDetached(maintenance: SqlSession, beforeMs: number): Promise<Detached[]> {
  return maintenance.query<Detached & SqlRow>(
    `SELECT format('%I.%I', n.nspname, t.relname) AS "table", format('%I.%I', n.nspname, coalesce(x.relname, t.relname)) AS object,
       x.oid IS NOT NULL AS "isIndex", coalesce(pg_relation_size(x.oid), pg_total_relation_size(t.oid))::double precision AS bytes
     FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace
     LEFT JOIN LATERAL (
       SELECT c.oid, c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = t.oid AND NOT i.indisprimary
       UNION ALL SELECT NULL, NULL) x ON true
     WHERE t.relkind = 'r' AND t.relname ~ '${DETACHED_TABLES}'
       AND t.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'events'::regclass)
       AND substring(t.relname FROM '[0-9]+$')::double precision < $1::double precision
     ORDER BY t.oid, x.oid NULLS LAST`,
    [beforeMs],
  );
}

/** @returns false if the object is locked, or another server is changing weeks */
async function dropped(maintenance: SqlSession, { object, isIndex }: Detached): Promise<boolean> {
  try {
    return await maintenance.transaction(async (transaction) => {
      if (!(await tryLockWeeks(transaction))) return false;
      await waitForTable(transaction);
      // IF EXISTS: another server may have dropped it.
      await transaction.query(`DROP ${isIndex ? 'INDEX' : 'TABLE'} IF EXISTS ${object}`);
      return true;
    });
  } catch (error) {
    if (error instanceof DatabaseError && error.isLockTimeout) return false;
    throw error;
  }
}
