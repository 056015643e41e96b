/** One run of an erasure: passes through the log, in steps of one transaction each, until a pass finds nothing more. */
import type { Database, SqlExecutor } from '../database/index.js';
import { vacuum } from '../database/index.js';
import type { Environment } from '../core/index.js';
import {
  deleteDetached,
  firstEventIdAt,
  heldAmong,
  hiddenLogName,
  type Archive,
  type HoldsByEnvironment,
} from '../events/index.js';
import type { PendingUploads } from '../exports/index.js';
import { eraseArchived, type Emptying } from './erase-archived.js';
import { BUDGET_NAMES } from './erase-budget-names.js';
import { countEvents, eraseEvents, type EmptiedEvents } from './erase-events.js';
import { auditEntries, bucketFiles, eraseNames } from './erase-names.js';
import type { Progress } from './erasure-job.js';
import type { ClaimedErasure, ErasureKeys, Erasures } from './erasures.js';
import { findBeginnings, findEvents, type FoundEvent, type Search } from './find-events.js';
import { FIRST } from './next-rows.js';
import { added, type Counts } from './places.js';
import { maskedEnd } from './selector.js';
import { TurnOver } from '../resilience/index.js';

/** Seconds until calls that had not ended are checked again. */
const LOOK_AGAIN_SECONDS = 2;
/** Ids contain the database's time approximately: with this margin, a pass covers all events stored when it began. */
const AHEAD_MS = 60_000;
/** The lease of an erasure is renewed so often while it does work that stores no progress. */
const RENEWED_EVERY_MS = 10_000;
/** Limits an erasure of a person who keeps having new events. Over so many passes, events do not arrive faster than they are emptied. */
const MOST_PASSES = 100;

export interface ErasureParts {
  readonly database: Database;
  readonly archive: Archive;
  readonly erasures: Erasures;
  readonly keys: Pick<ErasureKeys, 'of'>;
  /** Aborts uploads of exports that the erasure has ended. */
  readonly uploads: Pick<PendingUploads, 'abort'>;
  /** Legal holds in force, in one environment if `only` is set. @throws HoldsUnknown */
  holdsOf(accountId: string, only: Environment | undefined): Promise<HoldsByEnvironment>;
  /** The maximum time from a call's request until its end is stored. */
  readonly longestCallMs: number;
  /** Asked between two steps through the log; true ends the run, whose progress is stored. */
  readonly isTurnOver?: () => boolean;
  /** Called between two parts of the archive; resolves when the run may continue. Its lease is renewed meanwhile. */
  readonly giveWay?: () => Promise<void>;
  /** How often the lease is renewed during work that stores no progress; for tests. */
  readonly renewEveryMs?: number;
}

/**
 * Continues an erasure until it has ended, or has to wait for calls to end.
 *
 * @throws TurnOver | ErasureTaken | HoldsUnknown | AbortError | DatabaseError | DatabaseUnavailable
 */
export async function runErasure(job: ClaimedErasure, parts: ErasureParts, signal: AbortSignal): Promise<void> {
  const { accountId, id, selector, dryRun } = job;
  const { session } = selector;
  const maskedSession = session === undefined ? undefined : maskedEnd(session, await parts.keys.of(accountId));
  const search: Search = {
    accountId,
    erasureId: id,
    selector,
    maskedSession,
    dryRun,
    longestCallMs: parts.longestCallMs,
  };
  let { progress } = job;
  for (;;) {
    const pass = await onePass({ ...job, progress }, search, parts, signal);
    const { found, openCalls } = pass;
    const isOver = dryRun || (pass.pass > 1 && openCalls === 0 && (found === 0 || pass.pass >= MOST_PASSES));
    if (isOver) {
      // Events archived during the passes through the log are in the archive by now.
      const { progress: archived, counted } = await whileLeased(job, parts, () =>
        inArchive({ ...job, progress: pass }, search, parts, signal),
      );
      // After the archive: until then, an export may read archived events of the person.
      const named = await withNamesErased({ ...job, progress: archived }, search, parts, signal);
      const all = { ...named, counts: added(named.counts, counted) };
      return end({ ...job, progress: all }, parts, signal);
    }
    // Also before waiting for calls to end, which may take hours.
    const named = pass.pass === 1 ? await withNamesErased({ ...job, progress: pass }, search, parts, signal) : pass;
    // After the first pass, a pass begins at the first open call, if there is one, otherwise at the beginning of the log; the last pass
    // finds nothing.
    const from = pass.pass > 1 ? pass.openFrom : null;
    progress = {
      ...named,
      pass: pass.pass + 1,
      cursor: before(from),
      untilId: null,
      openFrom: null,
      openCalls: 0,
      found: 0,
    };
    await within(job, parts, (transaction) =>
      parts.erasures.advance(transaction, job, openCalls > 0 ? { ...progress, openCalls } : progress),
    );
    if (pass.pass > 1 && openCalls > 0) return parts.erasures.rest(job, 'waiting', LOOK_AGAIN_SECONDS);
  }
}

/** The progress for log and archive together. */
interface Searched {
  readonly progress: Progress;
  /** Counts that are stored only when the erasure ends: a resumed erasure begins again with the first part, and counts the same events. */
  readonly counted: Counts;
}

/** Searches the archive like the log. */
async function inArchive(
  job: ClaimedErasure,
  search: Search,
  parts: ErasureParts,
  signal: AbortSignal,
): Promise<Searched> {
  const { erasures, archive, database, giveWay } = parts;
  const { accountId } = job;
  let searched: Searched = { progress: job.progress, counted: {} };
  let [draft, isFirst, isPartCounted] = [searched, true, false];
  const note = async (transaction: SqlExecutor, emptied: EmptiedEvents, held: number) => {
    const tables = emptied.tables.filter((table) => table !== 'events');
    // Counted with the first emptied events: after a crash, the resumed erasure finds the part already rewritten.
    const isNewPart = tables.length < emptied.tables.length && !isPartCounted;
    isPartCounted ||= isNewPart;
    const rewritten: Counts = isNewPart ? { archive_parts: 1 } : {};
    const changed = { counts: { ...emptied.counts, ...rewritten }, tables };
    const later: Counts = { ...(search.dryRun ? emptied.counts : {}), ...(isFirst && held > 0 ? { held } : {}) };
    draft = {
      progress: search.dryRun ? draft.progress : withEmptied(draft.progress, changed),
      counted: added(draft.counted, later),
    };
    await erasures.advance(transaction, job, draft.progress);
  };
  const emptyIn = async (
    transaction: SqlExecutor,
    found: readonly FoundEvent[],
    holds: HoldsByEnvironment,
    log?: string,
  ): Promise<void> => {
    if (found.length === 0) return;
    const held = await heldAmong(transaction, accountId, holds, found);
    const over = found.filter(({ id }) => !held.has(id));
    const emptied = await empty(transaction, { ...search, holds, ...(log === undefined ? {} : { log }) }, over);
    await note(transaction, emptied, log === undefined ? 0 : held.size);
  };
  const emptying: Emptying = {
    empty: async (transaction, found, holds) => emptyIn(transaction, found, holds, await hiddenLogName(transaction)),
    emptyInLog: (transaction, found, holds) => emptyIn(transaction, found, holds),
    begin: (pass) => {
      draft = searched;
      isFirst = pass === 1;
      isPartCounted = false;
    },
    done: async () => {
      searched = draft;
      await erasures.keepUp(job);
      // The archive can be read again; the rest of it may take hours.
      await erasures.overcome(job);
    },
  };
  const session = database.sql.forDuty('erase', accountId);
  const holds = () => parts.holdsOf(accountId, search.selector.environment);
  const waiting = giveWay === undefined ? {} : { giveWay };
  await eraseArchived({ archive, search, session, signal, holds, emptying, ...waiting });
  await erasures.overcome(job);
  return searched;
}

async function onePass(
  job: ClaimedErasure,
  search: Search,
  parts: ErasureParts,
  signal: AbortSignal,
): Promise<Progress> {
  let { progress } = job;
  // A new pass starts its count of open calls at 0.
  if (progress.untilId === null) {
    const untilId = firstEventIdAt(parts.database.clock.nowMs() + AHEAD_MS);
    progress = { ...progress, untilId, openCalls: 0 };
  }
  for (let isMore = true; isMore;) {
    signal.throwIfAborted();
    // Read before each step: a hold may be deployed during a pass.
    const holds = await parts.holdsOf(job.accountId, search.selector.environment);
    ({ progress, isMore } = await within(job, parts, (transaction) =>
      oneStep(transaction, { ...job, progress }, { ...search, holds }, parts),
    ));
    if (isMore) await parts.erasures.overcome(job);
    if (isMore && parts.isTurnOver?.() === true) throw new TurnOver();
  }
  signal.throwIfAborted();
  return progress;
}

/** Empties data outside events that names the person: that of budgets in steps of one transaction each, then all other data. */
function withNamesErased(
  job: ClaimedErasure,
  search: Search,
  parts: ErasureParts,
  signal: AbortSignal,
): Promise<Progress> {
  const { erasures, uploads } = parts;
  return whileLeased(job, parts, async () => {
    let { progress } = job;
    for (const eraseStep of BUDGET_NAMES) {
      for (let after: string | null = FIRST; after !== null;) {
        signal.throwIfAborted();
        const from: string = after;
        ({ progress, after } = await within(job, parts, async (transaction) => {
          const { emptied, last } = await eraseStep(transaction, search, from);
          const next = withEmptied(progress, emptied);
          // A dry run finds the same names again if it is resumed, so its count is stored at the end only.
          if (emptied.tables.length > 0 && !search.dryRun) await erasures.advance(transaction, job, next);
          return { progress: next, after: last };
        }));
      }
    }
    signal.throwIfAborted();
    const named = await within(job, parts, async (transaction) => {
      const names = await eraseNames(transaction, search);
      const done = withEmptied(progress, names);
      // See above: a dry run stores this count at the end only.
      if (!search.dryRun) await erasures.advance(transaction, job, done);
      return { done, uploads: names.uploads };
    });
    uploads.abort(job.accountId, named.uploads);
    return named.done;
  });
}

/** Renews the lease of the erasure during work that stores progress only rarely. */
async function whileLeased<T>(
  job: ClaimedErasure,
  { erasures, renewEveryMs = RENEWED_EVERY_MS }: ErasureParts,
  work: () => Promise<T>,
): Promise<T> {
  const renewal = setInterval(() => void erasures.keepUp(job).catch(() => undefined), renewEveryMs);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
  }
}

/** Reads the next events, empties the matching ones and stores the progress, atomically. */
async function oneStep(
  transaction: SqlExecutor,
  job: ClaimedErasure,
  search: Search & { readonly holds: HoldsByEnvironment },
  { erasures }: ErasureParts,
): Promise<{ progress: Progress; isMore: boolean }> {
  const { progress } = job;
  const { untilId } = progress;
  if (untilId === null) throw new Error('a step of an erasure came before its pass began');
  const { events, last } = await findEvents(transaction, search, progress.cursor ?? FIRST, untilId);
  if (last === null) return { progress, isMore: false };
  const beginnings = search.dryRun ? [] : await findBeginnings(transaction, search, events);
  const matching = [...beginnings, ...events];
  const held = await heldAmong(transaction, search.accountId, search.holds, matching);
  const { over, open } = split(matching.filter(({ id }) => !held.has(id)));
  const emptied = await empty(transaction, search, search.dryRun ? [...over, ...open] : over);
  const firstOpen = open.map(({ id }) => id).sort()[0] ?? null;
  const next: Progress = {
    ...withEmptied(progress, { ...emptied, counts: { ...emptied.counts, ...heldCount(progress, events, held) } }),
    cursor: last,
    openFrom: progress.openFrom ?? firstOpen,
    openCalls: progress.openCalls + open.filter((event) => event.open).length,
    found: progress.found + over.length,
  };
  await erasures.advance(transaction, job, next);
  return { progress: next, isMore: true };
}

/** Held events are counted in the first pass only, which sees every event once: later passes find them again. */
function heldCount({ pass }: Progress, events: readonly FoundEvent[], held: ReadonlySet<string>): Counts {
  return pass === 1 ? { held: events.filter(({ id }) => held.has(id)).length } : {};
}

async function empty(
  sql: SqlExecutor,
  search: Search & { readonly log?: string; readonly holds: HoldsByEnvironment },
  events: readonly FoundEvent[],
): Promise<EmptiedEvents> {
  if (events.length === 0) return { counts: {}, tables: [] };
  if (search.dryRun) return { counts: await countEvents(sql, search, events), tables: [] };
  return eraseEvents(sql, search, events);
}

/**
 * Separates the events of calls that have not ended. They stay unchanged, because the end of a call is matched to the call by their
 * data.
 */
function split(events: readonly FoundEvent[]): { over: FoundEvent[]; open: FoundEvent[] } {
  const openIds = new Set(events.filter(({ open }) => open).map(({ id }) => id));
  const isOpen = ({ id, call_id: call, parent_id: parent }: FoundEvent): boolean =>
    [id, call, parent].some((each) => each !== null && openIds.has(each));
  return { over: events.filter((event) => !isOpen(event)), open: events.filter(isOpen) };
}

async function end(job: ClaimedErasure, parts: ErasureParts, signal: AbortSignal): Promise<void> {
  const { database, erasures } = parts;
  const { accountId, progress, dryRun } = job;
  if (dryRun) return erasures.end(job, null);
  await whileLeased(job, parts, async () => {
    const sql = database.sql.forAccounts(accountId);
    const remaining = {
      bucketFiles: await bucketFiles(sql, job),
      auditEntries: await auditEntries(sql, job, signal),
    };
    const isVacuumed = await vacuum(database, progress.tables, signal);
    // Tables that retention or the archive has detached before they were vacuumed still contain the data.
    const vacuumed = (await deleteDetached(database.sql, { signal, isUrgent: true })) && isVacuumed;
    signal.throwIfAborted();
    await erasures.end(job, { vacuumed, ...remaining });
  });
  // Removes the old row version with the sealed search terms.
  await vacuum(database, ['erasures']);
}

/** Runs `work` in a transaction of the account, with the role that may empty stored data. */
function within<T>(
  { accountId }: ClaimedErasure,
  { database }: ErasureParts,
  work: (transaction: SqlExecutor) => Promise<T>,
): Promise<T> {
  return database.sql.forDuty('erase', accountId).transaction(work);
}

function withEmptied(progress: Progress, { counts, tables }: EmptiedEvents): Progress {
  return {
    ...progress,
    counts: added(progress.counts, counts),
    tables: [...new Set([...progress.tables, ...tables])].sort(),
  };
}

/** The id directly before an id, so that a search after it begins with that id. */
function before(id: string | null): string | null {
  if (id === null) return null;
  const number = BigInt(`0x${id.replaceAll('-', '')}`) - 1n;
  const hex = number.toString(16).padStart(32, '0');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
