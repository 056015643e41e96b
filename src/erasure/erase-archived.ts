/**
 * An erasure in the archive: each part of the account is processed with the same steps as the log, and rewritten if it changes.
 */
import type { SqlExecutor } from '../database/index.js';
import {
  deleteObjects,
  firstEventIdAt,
  PartChanged,
  partsWhere,
  rewritePart,
  timeOfEventId,
  whilePartsChange,
  type Archive,
  type ArchivePart,
  type HoldsByEnvironment,
} from '../events/index.js';
import {
  findBeginningsOfEmptied,
  findCaused,
  findEvents,
  type FoundEvent,
  type Search,
  type Step,
} from './find-events.js';

/** Maximum number of passes. Further ones are needed while parts change: a call found in one part may begin in the previous part. */
const MOST_PASSES = 5;
/** All events of a call are received within this time. */
const LONGEST_CALL_MS = 25 * 3_600_000;

/** The account has archived parts, but this server has no archive configured: the erasure does not report success. */
export class ArchiveUnknown extends Error {
  override readonly name = 'ArchiveUnknown';
}

export interface ArchiveErasure {
  readonly archive: Archive;
  readonly search: Search;
  /** Runs transactions of the account with the role that may empty stored data. */
  readonly session: Parameters<typeof rewritePart>[1];
  readonly signal: AbortSignal;
  /** Legal holds in force. */
  readonly holds: () => Promise<HoldsByEnvironment>;
  readonly emptying: Emptying;
  /** Called between two parts; resolves when the erasure may continue. */
  readonly giveWay?: () => Promise<void>;
}

/** Empties or counts the found events and stores the progress; a failed transaction stores no progress. */
export interface Emptying {
  /** Called in a transaction in which `events` contains the archived events. */
  empty(transaction: SqlExecutor, found: readonly FoundEvent[], holds: HoldsByEnvironment): Promise<void>;
  /** Empties the events of the log that belong to archived events. */
  emptyInLog(transaction: SqlExecutor, found: readonly FoundEvent[], holds: HoldsByEnvironment): Promise<void>;
  begin(pass: number): void;
  /** Called after the transaction is committed. */
  done(): Promise<void>;
}

/**
 * Empties or counts the person's events in the archive. A resumed erasure begins again with the first part.
 * @throws ArchiveUnknown | HoldsUnknown | PartChanged | PartDiffers | NotStored | AbortError | DatabaseError | DatabaseUnavailable
 */
export async function eraseArchived(erasure: ArchiveErasure): Promise<void> {
  const { archive, search, session, signal } = erasure;
  const { accountId, dryRun } = search;
  // Discards parts that are still being written: their week is archived again, without the person's data.
  if (!dryRun) {
    await session.query(
      `UPDATE archive_parts SET state = 'deleting', state_at = now()
       WHERE account_id = $1::uuid AND state IN ('writing', 'written')`,
      [accountId],
    );
  }
  let isChanged = true;
  for (let pass = 1; isChanged && pass <= (dryRun ? 1 : MOST_PASSES); pass++) {
    isChanged = false;
    for (const { id } of await partsOf(session, search)) {
      signal.throwIfAborted();
      isChanged = (await whilePartsChange(() => erasePart(erasure, id, pass))) || isChanged;
      await erasure.giveWay?.();
    }
  }
  // Parts that were rewritten concurrently in the last pass have not been searched: the erasure does not report success.
  if (isChanged && !dryRun) throw new PartChanged('parts of the archive kept changing');
  const [going] = await partsWhere(session, `p.account_id = $1::uuid AND p.state = 'deleting'`, [accountId]);
  if (going === undefined || dryRun) return;
  if (archive.files === undefined) throw new ArchiveUnknown('WEIR_ARCHIVE is not set');
  await deleteObjects(archive.files, session, { accountId, forget: false });
}

function partsOf(session: SqlExecutor, { accountId, selector }: Search): Promise<ArchivePart[]> {
  return partsWhere(
    session,
    `p.account_id = $1::uuid AND p.state = 'archived' AND ($2::text IS NULL OR p.environment = $2)`,
    [accountId, selector.environment ?? null],
  );
}

async function erasePart({ archive, search, session, ...erasure }: ArchiveErasure, id: string, pass: number) {
  const { accountId, erasureId } = search;
  const { emptying } = erasure;
  const [part] = await partsWhere(session, `p.account_id = $1::uuid AND p.id = $2::uuid AND p.state = 'archived'`, [
    ...[accountId, id],
  ]);
  // The part was rewritten, restored or expired meanwhile: the next pass reads the new state.
  if (part === undefined) return true;
  if (archive.files === undefined) throw new ArchiveUnknown('WEIR_ARCHIVE is not set');
  const holds = await erasure.holds();
  emptying.begin(pass);
  const { isChanged, result: emptied } = await rewritePart(archive.files, session, part, async (transaction) => {
    await emptying.empty(
      transaction,
      await findBeginningsOfEmptied(transaction, search, part.firstId, part.lastId),
      holds,
    );
    const until = beside(part.lastId, 1n);
    for (let from: string | null = beside(part.firstId, -1n); from !== null;) {
      const step: Step = await findEvents(transaction, search, from, until);
      await emptying.empty(transaction, step.events, holds);
      from = step.last;
    }
    const rows = await transaction.query<{ id: string }>(
      'SELECT e.id::text AS id FROM events e WHERE e.account_id = $1::uuid AND e.erased_by = $2::uuid AND e.id > $3::uuid',
      [accountId, erasureId, firstEventIdAt(timeOfEventId(part.lastId) - LONGEST_CALL_MS)],
    );
    return rows.map(({ id: each }) => each);
  });
  if (emptied.length > 0) {
    const range = [part.firstId, firstEventIdAt(timeOfEventId(part.lastId) + LONGEST_CALL_MS)] as const;
    await session.transaction(async (transaction) => {
      await emptying.emptyInLog(transaction, await findCaused(transaction, search, emptied, range), holds);
    });
  }
  await emptying.done();
  return isChanged;
}

/** The id directly before or after an id. */
function beside(id: string, step: bigint): string {
  const hex = (BigInt(`0x${id.replaceAll('-', '')}`) + step).toString(16).padStart(32, '0');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
