/**
 * Changes an archived part: its events, and the other events of their calls, are loaded into a temporary table, which lasts for one
 * transaction, so that the same statements work on them as on the log. If the part's events changed, a new object is written, read back,
 * and replaces the old one in the same transaction.
 */
import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { SqlExecutor, SqlSession } from '../../database/index.js';
import type { ObjectStore } from '../../object-storage/index.js';
import { firstEventIdAt, timeOfEventId } from '../event-id.js';
import { ANSWERED_WITHIN_MS } from '../reading/event-indexes.js';
import { PartDiffers, storeAndVerifyPart } from './archive-week.js';
import { movePart, notePart, partsWhere, type ArchivePart } from './catalogue.js';
import { columnsOf, readRows, ROW_SUM, type Sized } from './log-rows.js';
import type { PartPacker } from './part-packer.js';
import type { PartRows } from './part-file.js';
import { insteadOfLog, hiddenLogName, SCRATCH } from './scratch-events.js';

export interface ArchiveFiles {
  readonly store: ObjectStore;
  readonly packer: PartPacker;
}

/** Another process has changed, restored or deleted the part: look it up again. */
export class PartChanged extends Error {
  override readonly name = 'PartChanged';
}

/** Number of parts before and after a part that are searched for other events of its calls. */
const MOST_NEIGHBOURS = 3;
/** A store that does not answer must not keep a transaction open for longer. */
const PATIENCE_S = 120;

/** Reads the events of a part from its object. @throws PartDiffers if the object is not the archived one | NotStored | WorkerFailure */
export async function rowsOfPart({ store, packer }: ArchiveFiles, part: ArchivePart): Promise<PartRows> {
  const bytes = await store.get(part.key);
  if (bytes === null) throw new PartDiffers(`the object of the archived part ${part.id} is missing`);
  // Checked before it is read: a truncated object is not a Parquet file.
  if (!isWhole(part, bytes)) throw differs(part);
  const { rows, digest } = await packer.unpack(bytes, part.accountId);
  if (digest !== part.digest) throw differs(part);
  return rows;
}

/**
 * Reads the events of a part that other processes may replace.
 *
 * @throws PartChanged if it was replaced meanwhile; otherwise as `rowsOfPart`
 */
async function currentRows(files: ArchiveFiles, session: SqlExecutor, part: ArchivePart): Promise<PartRows> {
  try {
    return await rowsOfPart(files, part);
  } catch (error) {
    if (!(error instanceof PartDiffers)) throw error;
    const which = `p.account_id = $1::uuid AND p.id = $2::uuid AND p.state = 'archived'`;
    const still = await partsWhere(session, which, [part.accountId, part.id]);
    throw still.length > 0 ? error : new PartChanged('the part has changed');
  }
}

export const differs = ({ id }: ArchivePart): PartDiffers =>
  new PartDiffers(`the object of the archived part ${id} differs from the archived one`);

/** Whether these are the bytes of the part's object. */
export function isWhole({ sha256 }: ArchivePart, bytes: Uint8Array): boolean {
  return createHash('sha256').update(bytes).digest('hex') === sha256;
}

/** Conditions on events `e` of the part, whose bounds are `$1` to `$3`. */
export const OF_PART = `e.account_id = $1::uuid AND e.id >= $2::uuid AND e.id <= $3::uuid`;
export const boundsOf = ({ accountId, firstId, lastId }: ArchivePart): readonly string[] => [
  accountId,
  firstId,
  lastId,
];

export interface Rewritten<Result> {
  readonly result: Result;
  readonly isChanged: boolean;
}

/**
 * Changes the events of a part by means of `work`.
 *
 * @param session a session for the part's account that may change parts
 * @param work receives the transaction in which `events` are those of the archive
 * @throws PartChanged | PartDiffers | NotStored | WorkerFailure | DatabaseError | DatabaseUnavailable; nothing was changed then
 */
export async function rewritePart<Result>(
  files: ArchiveFiles,
  session: SqlSession,
  part: ArchivePart,
  work: (transaction: SqlExecutor) => Promise<Result>,
): Promise<Rewritten<Result>> {
  const rows = await currentRows(files, session, part);
  const related = await relatedRows(files, session, part, rows);
  const next = await notePart(session, { ...part, rowsSum: undefined });
  let isReplaced = false;
  try {
    return await session.transaction(async (transaction) => {
      await transaction.query(`SELECT set_config('idle_in_transaction_session_timeout', '${PATIENCE_S}s', true)`);
      const [mine] = await transaction.query(
        `SELECT 1 AS one FROM archive_parts WHERE account_id = $1::uuid AND id = $2::uuid AND state = 'archived' FOR UPDATE`,
        [part.accountId, part.id],
      );
      if (mine === undefined) throw new PartChanged('the part has changed');
      await insteadOfLog(transaction, [rows, ...related]);
      await addLog(transaction, part);
      const before = await sumOf(transaction, part);
      const result = await work(transaction);
      const isChanged = (await sumOf(transaction, part)) !== before;
      if (isChanged) {
        await replace(files, transaction, { part, next });
        isReplaced = true;
      }
      return { result, isChanged };
    });
  } catch (error) {
    isReplaced = false;
    throw error;
  } finally {
    if (!isReplaced) await movePart(session, next, { from: 'writing', to: 'deleting' });
  }
}

async function replace(
  files: ArchiveFiles,
  transaction: SqlExecutor,
  { part, next }: { readonly part: ArchivePart; readonly next: ArchivePart },
): Promise<void> {
  await movePart(transaction, part, { from: 'archived', to: 'deleting' });
  const left = await transaction.query<Record<string, unknown> & Sized>(
    `SELECT e.id::text AS id, length(e::text) AS characters FROM ${SCRATCH} e WHERE ${OF_PART} ORDER BY e.id`,
    boundsOf(part),
  );
  const [first, last] = [left[0], left.at(-1)];
  if (first === undefined || last === undefined) {
    await movePart(transaction, next, { from: 'writing', to: 'deleting' });
    return;
  }
  const columns = await columnsOf(transaction, SCRATCH);
  const rows = await readRows(transaction, { table: SCRATCH, accountId: part.accountId }, left, columns);
  const readBack = await storeAndVerifyPart(files, next, rows);
  await transaction.query(
    `UPDATE archive_parts SET first_id = $3::uuid, last_id = $4::uuid, events = $5::integer
     WHERE account_id = $1::uuid AND id = $2::uuid`,
    [part.accountId, next.id, first.id, last.id, left.length],
  );
  if (!(await movePart(transaction, next, { from: 'writing', to: 'archived', readBack }))) {
    throw new PartChanged('the new object of a part was deleted while it was written');
  }
}

async function sumOf(transaction: SqlExecutor, part: ArchivePart): Promise<string | undefined> {
  const [row] = await transaction.query<{ sum: string }>(
    `SELECT count(*) || ' ' || coalesce(sum(${ROW_SUM}), 0) AS sum FROM ${SCRATCH} e WHERE ${OF_PART}`,
    boundsOf(part),
  );
  return row?.sum;
}

/** Adds events of the part's calls that are in the log: restored, late, or not yet archived. */
async function addLog(transaction: SqlExecutor, part: ArchivePart): Promise<void> {
  const log = await hiddenLogName(transaction);
  await transaction.query(
    `INSERT INTO ${SCRATCH} SELECT e.* FROM ${log} e
     WHERE e.account_id = $1::uuid AND e.environment = $2 AND e.id >= $3::uuid AND e.id < $4::uuid
       AND NOT (e.id >= $5::uuid AND e.id <= $6::uuid)
       AND EXISTS (SELECT 1 FROM ${SCRATCH} p WHERE p.account_id = e.account_id AND (p.id IN (e.call_id, e.parent_id)
         OR p.call_id IN (e.id, e.call_id) OR p.parent_id = e.id)) ON CONFLICT DO NOTHING`,
    [part.accountId, part.environment, ...nearBounds(part), part.firstId, part.lastId],
  );
}

function nearBounds({ firstId, lastId }: ArchivePart): [from: string, to: string] {
  return [
    firstEventIdAt(timeOfEventId(firstId) - ANSWERED_WITHIN_MS),
    firstEventIdAt(timeOfEventId(lastId) + ANSWERED_WITHIN_MS),
  ];
}

/** Events of the parts before and after this one that belong to its calls. */
async function relatedRows(
  files: ArchiveFiles,
  session: SqlExecutor,
  part: ArchivePart,
  rows: PartRows,
): Promise<PartRows[]> {
  const near = await partsWhere(
    session,
    `p.account_id = $1::uuid AND p.environment = $2 AND p.state = 'archived' AND p.id <> $3::uuid
       AND p.last_id >= $4::uuid AND p.first_id < $5::uuid`,
    [part.accountId, part.environment, part.id, ...nearBounds(part)],
  );
  const earlier = near.filter(({ firstId }) => firstId < part.firstId).slice(-MOST_NEIGHBOURS);
  const later = near.filter(({ firstId }) => firstId >= part.firstId).slice(0, MOST_NEIGHBOURS);
  const calls = new Set(['id', 'call_id', 'parent_id'].flatMap((name) => valuesOf(rows, name)));
  const related: PartRows[] = [];
  for (const neighbour of [...earlier, ...later]) {
    const other = await currentRows(files, session, neighbour);
    const columns = ['id', 'call_id', 'parent_id'].map((name) => other.values[other.columns.indexOf(name)] ?? []);
    const isOfCalls = (row: number): boolean =>
      columns.some((values) => values[row] !== null && values[row] !== undefined && calls.has(values[row]));
    // Late events of the same time are in a separate part.
    const wanted = (columns[0] ?? []).flatMap((id, row) =>
      id !== null && (id < part.firstId || id > part.lastId) && isOfCalls(row) ? [row] : [],
    );
    if (wanted.length > 0) {
      related.push({
        columns: other.columns,
        values: other.values.map((values) => wanted.map((row) => values[row] ?? null)),
      });
    }
  }
  return related;
}

function valuesOf({ columns, values }: PartRows, name: string): string[] {
  return (values[columns.indexOf(name)] ?? []).filter((value) => value !== null);
}

/**
 * Deletes objects of parts in deletion, and their records some minutes later: a write in progress may still end.
 */
export async function deleteObjects(
  { store }: Pick<ArchiveFiles, 'store'>,
  session: SqlExecutor,
  { accountId, forget }: { readonly accountId?: string; readonly forget: boolean },
): Promise<void> {
  const going = await partsWhere(
    session,
    `p.state = 'deleting' AND ($1::text IS NULL OR p.account_id = $1::text::uuid)`,
    [accountId ?? null],
  );
  for (const { key } of going) await store.delete(key);
  if (!forget) return;
  await session.query(
    `DELETE FROM archive_parts WHERE state = 'deleting' AND state_at < now() - interval '10 minutes'`,
  );
}

const CHANGED_TRIES = 5;
const CHANGED_PAUSE_MS = 200;

/**
 * Repeats work that is interrupted by changes of parts, a few times.
 * @throws PartChanged if the changes continue
 */
export async function whilePartsChange<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PartChanged) || tries === CHANGED_TRIES) throw error;
    }
    await wait(CHANGED_PAUSE_MS);
  }
}
