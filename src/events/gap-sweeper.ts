/**
 * Ends abandoned calls, whose process has died and whose journal is lost, so that every proxied call has an end in the log. One process
 * sweeps at a time; its position and its results are stored in one transaction.
 */
import type { Environment } from '../core/index.js';
import type { SqlExecutor, SqlRow, SqlRunner } from '../database/index.js';
import { PeriodicWork } from '../resilience/index.js';
import type { NewEvent } from './event.js';
import { CLOCKS_APART_MS, firstEventIdAt, newEventId, timeOfEventId } from './event-id.js';
import type { EventLog } from './event-log.js';

const EVERY_MS = 60_000;
/** Time to wait beyond the longest call, for differences between clocks and for a journal that is still being stored. */
const GRACE_MS = 5 * 60_000;
/** The first search, and the one after the clock was set back, look back no further than this. */
const FIRST_LOOK_MS = 24 * 3_600_000;
/** Maximum number of ends that one transaction writes; the next one finds the rest. */
const MOST_AT_ONCE = 500;
/** One statement searches the calls of this time at most: it ends well within the statement timeout, also after an outage of days. */
const SEARCHED_MS = 15 * 60_000;
/** Maximum number of searches in one run: two days. */
const MOST_SEARCHES = 192;

export interface GapSweeperParts {
  readonly sql: SqlRunner;
  readonly log: Pick<EventLog, 'appendIn'>;
  /** How long a call may take from end to end. */
  readonly longestCallMs: number;
  ended(calls: number): void;
  failed(reason: string): void;
}

interface Place extends SqlRow {
  readonly swept_to: string | null;
  readonly now_ms: number;
}

interface OpenCall extends SqlRow {
  readonly account_id: string;
  readonly id: string;
  readonly app_id: string;
  readonly key_id: string;
  readonly environment: Environment;
  readonly declared_environment: Environment;
  readonly request_id: string | null;
  readonly session_id: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly metadata: string | null;
  readonly capture: NewEvent['capture'];
}

/** One look-up by the primary key for each account: the log has no order across accounts. */
const OPEN_CALLS = `
SELECT e.* FROM accounts a CROSS JOIN LATERAL (
  SELECT r.account_id::text AS account_id, r.id::text AS id, r.app_id::text AS app_id, r.key_id, r.environment,
         r.declared_environment, r.request_id, r.session_id, r.provider, r.model, r.metadata::text AS metadata, r.capture
  FROM events r
  WHERE r.account_id = a.id AND r.id >= $1::text::uuid AND r.id < $2::text::uuid
    AND r.type = 'ai.request' AND r.source = 'proxy' AND r.decision IS DISTINCT FROM 'block'
    AND NOT EXISTS (
      SELECT 1 FROM events x
      WHERE x.account_id = r.account_id AND x.call_id = r.id AND x.call_id <> x.id AND x.id >= $3::text::uuid)
  ORDER BY r.id LIMIT ${MOST_AT_ONCE}) e
ORDER BY e.id LIMIT ${MOST_AT_ONCE}`;

export class GapSweeper {
  private readonly work = new PeriodicWork(() => this.tick(), EVERY_MS);
  private isEnding = false;

  constructor(private readonly parts: GapSweeperParts) {}

  start(): void {
    this.work.start();
  }

  /** Stops after the search that is running. */
  stop(): Promise<void> {
    this.isEnding = true;
    return this.work.stop();
  }

  /** Never rejects: the next tick repeats a failed search. */
  async tick(): Promise<void> {
    try {
      for (let searches = 0; searches < MOST_SEARCHES && !this.isEnding; searches += 1) {
        const { calls, isLast } = await this.search();
        if (calls > 0) this.parts.ended(calls);
        if (isLast) return;
      }
    } catch (error) {
      this.parts.failed(error instanceof Error ? error.message : 'unknown error');
    }
  }

  /** Ends the abandoned calls of one range. */
  private search(): Promise<{ readonly calls: number; readonly isLast: boolean }> {
    return this.parts.sql.forMaintenance().transaction(async (transaction) => {
      const range = await this.range(transaction);
      if (range === undefined) return { calls: 0, isLast: true };
      const { from, to, nowMs } = range;
      const lower = firstEventIdAt(timeOfEventId(from) - CLOCKS_APART_MS);
      const found = await transaction.query<OpenCall>(OPEN_CALLS, [from, to, lower]);
      // If the batch is full, more calls may follow after its last one.
      const isFull = found.length === MOST_AT_ONCE;
      await transaction.query('UPDATE call_gap_sweeps SET swept_to = $1::text::uuid', [isFull ? found.at(-1)!.id : to]);
      await transaction.enter({ accounts: found.map((call) => call.account_id) });
      await this.parts.log.appendIn(
        transaction,
        found.map((call) => gapOf(call, new Date(nowMs))),
      );
      return { calls: found.length, isLast: range.isLast && !isFull };
    });
  }

  /** The range to search now, unless another process searches it. */
  private async range(transaction: SqlExecutor) {
    const [place] = await transaction.query<Place>(
      `SELECT swept_to::text AS swept_to, (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS now_ms
       FROM call_gap_sweeps FOR UPDATE SKIP LOCKED`,
    );
    if (place === undefined) return undefined;
    const endMs = place.now_ms - this.parts.longestCallMs - GRACE_MS;
    const [from, end] = [beginningOf(place, endMs), firstEventIdAt(endMs)];
    const next = firstEventIdAt(timeOfEventId(from) + SEARCHED_MS);
    const isLast = next >= end;
    return { from, to: isLast ? end : next, nowMs: place.now_ms, isLast };
  }
}

/**
 * If the position is in the future, the clock of the database has been set back. The calls since then have lower ids, so they would never
 * be searched. A call that has an end gets no second one, so calls may be searched again.
 */
function beginningOf({ swept_to: sweptTo }: Place, endMs: number): string {
  const aheadMs = sweptTo === null ? Infinity : timeOfEventId(sweptTo) - endMs;
  if (sweptTo !== null && aheadMs <= 0) return sweptTo;
  return firstEventIdAt(aheadMs <= GRACE_MS ? endMs : endMs - FIRST_LOOK_MS);
}

function gapOf(call: OpenCall, receivedAt: Date): NewEvent {
  const id = newEventId(receivedAt);
  const { request_id: requestId, session_id: sessionId, provider, model, metadata } = call;
  return {
    ...{ id, eventId: id, type: 'ai.error', reason: 'log_gap', parentId: call.id, source: 'proxy' },
    ...{ accountId: call.account_id, appId: call.app_id, keyId: call.key_id },
    ...{ environment: call.environment, declaredEnvironment: call.declared_environment, capture: call.capture },
    ...(requestId === null ? {} : { requestId }),
    ...(sessionId === null ? {} : { sessionId }),
    ...(provider === null ? {} : { provider }),
    ...(model === null ? {} : { model }),
    ...(metadata === null ? {} : { metadata }),
    ...{ violations: [], redactions: [], detectors: [], receivedAt },
  };
}
