/**
 * Archives one week of the log. Each part is recorded, written, read back and compared; when the whole week is written and unchanged, its
 * table is dropped and its parts become valid, in one transaction. If the process is killed at any point, each event is either in the log
 * or in the archive, and the next run continues.
 */
import { DatabaseError, type SqlExecutor, type SqlRow, type SqlRunner, type SqlSession } from '../../database/index.js';
import type { Environment } from '../../core/index.js';
import { NotStored, type ObjectStore } from '../../object-storage/index.js';
import { WorkerFailure } from '../../workers/index.js';
import { detachWeek } from '../detached-weeks.js';
import type { Week } from '../partitions.js';
import { noteParts } from '../retention/week-parts.js';
import { accountsIn, lockWeek, NO_TABLE, withLockedLog, tryLockWeeks } from '../week-tables.js';
import { IN_WEEK, movePart, notePart, openPartsOf, partsWhere, type ArchivePart, type PartOwner } from './catalogue.js';
import { columnsOf, inOneForm, readRows, ROW_SUM, rowSum, type Sized } from './log-rows.js';
import type { PartPacker } from './part-packer.js';
import type { PartRows } from './part-file.js';
import { rowStepsOf } from './row-steps.js';

/** Maximum number of events in a part, and of characters unless a single event has more. */
const PART_EVENTS = 10_000;
const PART_CHARACTERS = 16 * 1024 * 1024;
/** A process that has not updated its part for this long was killed. */
const STALE_MINUTES = 10;
/** Maximum number of attempts without a pause, because late events and erasures may change a week while it is read. */
const MOST_TRIES = 3;

export interface ArchiveParts {
  readonly sql: SqlRunner;
  readonly store: ObjectStore;
  readonly packer: PartPacker;
  readonly isEnding?: () => boolean;
  /** Called after each step that a crash may follow; for tests. */
  readonly afterStep?: (step: ArchiveStep) => Promise<void> | void;
  /** Events of a part; for tests. */
  readonly partEvents?: number;
}

export type ArchiveStep = 'noted' | 'put' | 'read back' | 'written' | 'compared' | 'dropped';

/**
 * `nothing`: the week has no events, or its table is gone; `busy`: another process is archiving it; `changing`: its events changed
 * again and again; `ending`: this process ends.
 */
export type WeekOutcome = 'archived' | 'nothing' | 'busy' | 'changing' | 'ending';

/** The object that was read back differs from the written one: nothing was dropped. */
export class PartDiffers extends Error {
  override readonly name = 'PartDiffers';
}

/**
 * Archives a week that is over, as the owner of the tables.
 *
 * @throws PartDiffers | NotStored | WeekInUse | WorkerFailure | DatabaseError | DatabaseUnavailable; no event was dropped then
 */
export async function archiveWeek(parts: ArchiveParts, week: Week): Promise<WeekOutcome> {
  try {
    return await archiveTable(parts, week);
  } catch (error) {
    // Another server has archived the week, or retention has deleted it, since this one listed the weeks.
    if (error instanceof DatabaseError && error.sqlState === NO_TABLE && !(await isThere(parts.sql, week)))
      return 'nothing';
    throw error;
  }
}

async function isThere(sql: SqlRunner, { table }: Week): Promise<boolean> {
  const rows = await sql.query('SELECT 1 AS one FROM pg_class WHERE oid = to_regclass($1::text)', [table]);
  return rows.length > 0;
}

async function archiveTable(parts: ArchiveParts, week: Week): Promise<WeekOutcome> {
  const maintenance = parts.sql.forMaintenance();
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    if (!(await noteParts(maintenance, week, () => parts.isEnding?.() === true))) return 'ending';
    const owners = await ownersOf(maintenance, week);
    if (owners.length === 0) return 'nothing';
    if (!(await discardStale(maintenance, week))) return 'busy';
    for (const owner of owners) {
      const outcome = await writeParts(parts, maintenance, owner);
      if (outcome !== 'done') return outcome;
    }
    const dropped = await dropWeek(parts, maintenance, week);
    if (dropped === 'archived') await parts.afterStep?.('dropped');
    if (dropped !== 'changed') return dropped;
  }
  return 'changing';
}

/**
 * The accounts with events in the week, each with its environments. An environment may have no event left: a statement that checked this
 * would read all rows of the account.
 */
async function ownersOf(maintenance: SqlExecutor, { table }: Week): Promise<PartOwner[]> {
  const present = new Set(await accountsIn(maintenance, table));
  const rows = await maintenance.query<{ account_id: string; environment: Environment }>(
    `SELECT w.account_id::text AS account_id, w.environment FROM event_weeks w WHERE w.week = $1 ORDER BY 1, 2`,
    [table],
  );
  return rows
    .filter(({ account_id: accountId }) => present.has(accountId))
    .map(({ account_id: accountId, environment }) => ({ accountId, environment, week: table }));
}

/** Discards parts whose writer was killed. @returns false if another process is writing now */
async function discardStale(maintenance: SqlExecutor, { table }: Week): Promise<boolean> {
  await maintenance.query(
    `UPDATE archive_parts SET state = 'deleting', state_at = now()
     WHERE week = $1 AND state = 'writing' AND state_at < now() - interval '${STALE_MINUTES} minutes'`,
    [table],
  );
  return (await partsWhere(maintenance, IN_WEEK, [table, 'writing'])).length === 0;
}

async function writeParts(
  parts: ArchiveParts,
  maintenance: SqlSession,
  owner: PartOwner,
): Promise<'done' | 'busy' | 'ending'> {
  const before = (await openPartsOf(maintenance, { table: owner.week })).filter(
    ({ accountId, environment }) => accountId === owner.accountId && environment === owner.environment,
  );
  let after =
    before
      .map(({ lastId }) => lastId)
      .toSorted()
      .at(-1) ?? null;
  for (;;) {
    const chunk = await readChunk(parts, maintenance, owner, after);
    if (parts.isEnding?.() === true) return 'ending';
    if (chunk === undefined) return 'done';
    const part = await noteUnlessBusy(maintenance, owner, chunk);
    if (part === undefined) return 'busy';
    await parts.afterStep?.('noted');
    await writePart(parts, maintenance, part, chunk.rows);
    after = chunk.lastId;
  }
}

interface Chunk {
  readonly firstId: string;
  readonly lastId: string;
  readonly rows: PartRows;
  readonly events: number;
  readonly rowsSum: string;
}

/**
 * Reads the rows of the next events and the checksum of these rows, from one snapshot.
 * @returns undefined if there are no further events, or if this process ends
 */
function readChunk(
  parts: ArchiveParts,
  maintenance: SqlSession,
  owner: PartOwner,
  after: string | null,
): Promise<Chunk | undefined> {
  return maintenance.transaction(
    async (transaction) => {
      await inOneForm(transaction);
      const columns = await columnsOf(transaction, 'events');
      const events = await nextEvents(parts, transaction, owner, after);
      const [first, last] = [events[0], events.at(-1)];
      if (first === undefined || last === undefined) return undefined;
      const { week: table, accountId } = owner;
      const rows = await readRows(transaction, { table, accountId }, events, columns);
      const rowsSum = String(events.reduce((sum, { sum: own }) => sum + BigInt(own), 0n));
      return { firstId: first.id, lastId: last.id, rows, events: events.length, rowsSum };
    },
    { reads: 'one snapshot' },
  );
}

interface SummedEvent extends SqlRow, Sized {
  readonly sum: string;
}

/**
 * The next events of an owner, as many as fit into a part. The steps contain the events of all environments: a statement that looked for
 * those of a rarely used one would read the events of all others. None if this process ends.
 */
async function nextEvents(
  { isEnding, partEvents = PART_EVENTS }: ArchiveParts,
  transaction: SqlExecutor,
  { accountId, environment, week: table }: PartOwner,
  after: string | null,
): Promise<SummedEvent[]> {
  const events: SummedEvent[] = [];
  let characters = 0;
  for await (const { condition, parameters } of rowStepsOf(transaction, { table, accountId, after })) {
    if (isEnding?.() === true) return [];
    // With `OFFSET 0`, each row is converted to text once, and not again for each of its uses.
    const found = await transaction.query<SummedEvent>(
      `SELECT t.id::text AS id, length(t.row) AS characters, ${rowSum('t.row')}::text AS sum
       FROM (SELECT e.id, e::text AS row FROM ${table} e WHERE ${condition} AND e.environment = $4 ORDER BY e.id OFFSET 0) t
       ORDER BY t.id`,
      [...parameters, environment],
    );
    for (const event of found) {
      characters += event.characters;
      if (events.length === partEvents || (characters > PART_CHARACTERS && events.length > 0)) return events;
      events.push(event);
    }
    if (events.length === partEvents) return events;
  }
  return events;
}

/** Only one of several processes writes parts of a week. */
function noteUnlessBusy(maintenance: SqlSession, owner: PartOwner, chunk: Chunk): Promise<ArchivePart | undefined> {
  return maintenance.transaction(async (transaction) => {
    await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`archive ${owner.week}`]);
    if ((await partsWhere(transaction, IN_WEEK, [owner.week, 'writing'])).length > 0) return undefined;
    return notePart(transaction, { ...owner, ...chunk });
  });
}

async function writePart(parts: ArchiveParts, sql: SqlExecutor, part: ArchivePart, rows: PartRows): Promise<void> {
  try {
    const readBack = await storeAndVerifyPart(parts, part, rows);
    await parts.afterStep?.('read back');
    if (!(await movePart(sql, part, { from: 'writing', to: 'written', readBack }))) {
      // An erasure has deleted the part's record in the meantime.
      await parts.store.delete(part.key);
      return;
    }
    await parts.afterStep?.('written');
  } catch (error) {
    if (error instanceof NotStored || error instanceof PartDiffers || error instanceof WorkerFailure) {
      await movePart(sql, part, { from: 'writing', to: 'deleting' });
    }
    throw error;
  }
}

/**
 * Writes an object, reads it back, and compares the file and its content.
 *
 * @throws PartDiffers | NotStored | WorkerFailure
 */
export async function storeAndVerifyPart(
  { store, packer, afterStep }: Pick<ArchiveParts, 'store' | 'packer' | 'afterStep'>,
  { key, accountId }: Pick<ArchivePart, 'key' | 'accountId'>,
  rows: PartRows,
): Promise<{ bytes: number; sha256: string; digest: string }> {
  const packed = await packer.pack(rows, accountId);
  await store.put(key, packed.bytes);
  await afterStep?.('put');
  const stored = await store.get(key);
  if (stored === null) throw new PartDiffers('an object that was written to the archive is missing');
  const { sha256, digest } = await packer.unpack(stored, accountId);
  if (sha256 !== packed.sha256 || digest !== packed.digest) {
    throw new PartDiffers('an object of the archive differs from the written one');
  }
  return { bytes: stored.length, sha256, digest };
}

/** Drops the table of a week whose rows are all in parts. Parts whose rows have changed since are written again. */
function dropWeek(
  parts: ArchiveParts,
  maintenance: SqlSession,
  week: Week,
): Promise<'archived' | 'changed' | 'busy' | 'ending'> {
  return maintenance.transaction(async (transaction) => {
    if (!(await tryLockWeeks(transaction))) return 'busy';
    await inOneForm(transaction);
    await lockWeek(transaction, week.table);
    const written = await partsWhere(transaction, IN_WEEK, [week.table, 'written']);
    const stored = await sumsOf(parts, transaction, week.table);
    if (stored === undefined) return 'ending';
    const changed = differing(stored, written);
    if (changed.size > 0) {
      for (const part of written.filter((each) => changed.has(ownerName(each)))) {
        await movePart(transaction, part, { from: 'written', to: 'deleting' });
      }
      return 'changed';
    }
    await parts.afterStep?.('compared');
    const moved = await transaction.query(
      `UPDATE archive_parts SET state = 'archived', state_at = now() WHERE week = $1 AND state = 'written' RETURNING 1 AS one`,
      [week.table],
    );
    // An erasure has deleted a part after the check.
    if (moved.length !== written.length)
      throw new PartDiffers('a part of the archive was deleted while its week was compared');
    await transaction.query(`DELETE FROM archive_parts WHERE week = $1 AND state = 'restored'`, [week.table]);
    await withLockedLog(transaction, week.table, () => detachWeek(transaction, week.table));
    return 'archived';
  });
}

interface Sum {
  readonly events: number;
  readonly sum: bigint;
}

const ownerName = ({ accountId, environment }: Pick<PartOwner, 'accountId' | 'environment'>): string =>
  `${accountId} ${environment}`;

/** @returns undefined if this process ends */
async function sumsOf(
  { isEnding }: ArchiveParts,
  transaction: SqlExecutor,
  table: string,
): Promise<Map<string, Sum> | undefined> {
  const sums = new Map<string, Sum>();
  for (const accountId of await accountsIn(transaction, table)) {
    for await (const { condition, parameters } of rowStepsOf(transaction, { table, accountId })) {
      if (isEnding?.() === true) return undefined;
      const rows = await transaction.query<{ environment: Environment; events: number; sum: string }>(
        `SELECT e.environment, count(*)::integer AS events, sum(${ROW_SUM})::text AS sum
         FROM ${table} e WHERE ${condition} GROUP BY 1`,
        parameters,
      );
      for (const { environment, events, sum } of rows)
        add(sums, ownerName({ accountId, environment }), { events, sum: BigInt(sum) });
    }
  }
  return sums;
}

function add(sums: Map<string, Sum>, name: string, { events, sum }: Sum): void {
  const before = sums.get(name) ?? { events: 0, sum: 0n };
  sums.set(name, { events: before.events + events, sum: before.sum + sum });
}

/** The owners whose events differ from their parts. */
function differing(stored: ReadonlyMap<string, Sum>, written: readonly ArchivePart[]): ReadonlySet<string> {
  const noted = new Map<string, Sum>();
  for (const part of written) add(noted, ownerName(part), { events: part.events, sum: BigInt(part.rowsSum ?? 0) });
  const names = new Set([...stored.keys(), ...noted.keys()]);
  return new Set(
    [...names].filter((name) => {
      const [one, other] = [stored.get(name), noted.get(name)];
      return one?.events !== other?.events || one?.sum !== other?.sum;
    }),
  );
}
