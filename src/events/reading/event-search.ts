/**
 * Finds matching events, window by window, until there are enough, the log was searched completely, or the time limit is reached.
 */
import type { QueryOptions, SqlParameter, SqlRow } from '../../database/index.js';
import { timeOfEventId } from '../event-id.js';
import { Conditions, type EventFilters } from './event-filters.js';
import { answersOf, eventsById } from './event-look-up.js';
import { directionOf, selectionOf } from './event-selection.js';
import { walkOf } from './event-walk.js';
import type { AskAccount } from './ask-account.js';
import { isEnded, WindowWalk, type EventWindow, type SearchLimits } from './event-windows.js';
import { textMatch } from './free-text.js';

export interface Found {
  /** The id of the event or call to show. */
  readonly id: string;
  /** The id after which the next page continues. */
  readonly at: string;
  /** UTF-8 bytes of its stored JSON; 0 if none of it is shown. */
  readonly bytes: number;
}

interface Candidate extends SqlRow, Found {
  /** Compressed size of its texts as stored. */
  readonly packed: number;
}

export interface Search {
  readonly found: readonly Found[];
  /** The search covered everything up to this id; undefined: nothing. */
  readonly reached: string | undefined;
  /** Whether everything was searched. */
  readonly isComplete: boolean;
}

/** Limits of the events whose texts are searched at once: their number, and their stored size. */
const TEXTS_AT_ONCE = 200;
const PACKED_AT_ONCE = 1024 * 1024;
/** Maximum number of candidates in a window whose texts are to be searched. */
const TEXT_CANDIDATES = 1_000;

/** The time back to which the log was searched; pages that end early report it. */
export function searchedTo({ reached, isComplete }: Pick<Search, 'reached' | 'isComplete'>): string | null {
  return isComplete || reached === undefined ? null : new Date(timeOfEventId(reached)).toISOString();
}

/** Walks through the windows of the log that the filters cover. */
export function walkAlong(
  ask: AskAccount,
  filters: EventFilters,
  patience: SearchLimits,
  after: string | undefined,
): WindowWalk {
  const { accountId } = filters.manager;
  const askIds = (statement: string, parameters: readonly SqlParameter[], options: QueryOptions) =>
    ask<{ readonly id: string }>(accountId, statement, parameters, options);
  return new WindowWalk(walkOf(filters), askIds, { direction: directionOf(filters), patience, after });
}

export interface SearchOptions {
  readonly patience: SearchLimits;
  /** Number of results that is enough. */
  readonly most: number;
  /** The search continues after this id. */
  readonly after?: string | undefined;
}

/** The matching events in the order of the filters; may be a few more than `most`. */
export async function searchEvents(
  ask: AskAccount,
  filters: EventFilters,
  { patience, most, after }: SearchOptions,
): Promise<Search> {
  const walk = walkAlong(ask, filters, patience, after);
  const inTime: AskAccount = (accountId, statement, parameters) => ask(accountId, statement, parameters, walk.limit);
  const found: Found[] = [];
  const look = async (window: EventWindow): Promise<void> => {
    const wanted = filters.text === undefined ? most - found.length : TEXT_CANDIDATES;
    const candidates = await candidatesIn(inTime, filters, window, wanted);
    let looked: readonly Candidate[] = candidates;
    if (filters.text === undefined) {
      found.push(...candidates);
    } else {
      looked = await lookInto(inTime, filters, candidates, {
        found,
        isEnough: () => found.length >= most || !walk.isInTime,
      });
    }
    const last = looked.at(-1);
    const isAll = looked.length === candidates.length && candidates.length < wanted;
    if (isAll || last === undefined) walk.done(window);
    else walk.doneUpTo(last.at);
  };
  do await walk.next(look);
  while (found.length < most && walk.goesOn);
  return { found, reached: walk.position, isComplete: walk.isAtEnd };
}

function candidatesIn(
  ask: AskAccount,
  filters: EventFilters,
  window: EventWindow,
  most: number,
): Promise<readonly Candidate[]> {
  const { from, where, at, shown } = selectionOf(filters, window);
  const direction = directionOf(filters);
  const inner = ['account_id', 'id', 'payload', 'masks', 'facts', 'metadata'].map((name) => `${shown}.${name}`);
  return ask<Candidate>(
    filters.manager.accountId,
    `SELECT c.id::text AS id, c.at::text AS at, ${filters.fields === 'summary' ? '0' : shownBytes('c')} AS bytes,
            ${filters.text === undefined ? '0' : PACKED_BYTES} AS packed
     FROM (SELECT ${at} AS at, ${inner.join(', ')} FROM ${from} WHERE ${where.toString()}
           ORDER BY ${at} ${direction} LIMIT ${most}) c
     ORDER BY c.at ${direction}`,
    where.parameters,
  );
}

/** The UTF-8 bytes of an event's stored JSON, as an SQL expression. */
export function shownBytes(alias: string): string {
  const columns = ['payload', 'facts', 'masks', 'metadata'];
  return `(${columns.map((name) => `coalesce(octet_length(${alias}.${name}::text), 0)`).join(' + ')})::integer`;
}

/** Does not read the texts: PostgreSQL knows the size of values that it stores outside the row. */
const PACKED_BYTES = `(coalesce(pg_column_size(c.payload), 0) + coalesce(pg_column_size(c.metadata), 0))::integer`;

/** Adds the candidates that contain the text to `found`. @returns the candidates whose texts were searched: at least one batch */
async function lookInto(
  ask: AskAccount,
  filters: EventFilters,
  candidates: readonly Candidate[],
  { found, isEnough }: { readonly found: Found[]; readonly isEnough: () => boolean },
): Promise<readonly Candidate[]> {
  let at = 0;
  for (const batch of batchesOf(candidates)) {
    if (at > 0 && isEnough()) break;
    const ids = batch.map(({ id }) => id);
    const { statement, where } = textStatement(filters, ids);
    const asked = ask<{ readonly id: string }>(filters.manager.accountId, statement, where.parameters);
    const rows = await asked.catch((error: unknown) => {
      // The matches of earlier batches are kept.
      if (at > 0 && isEnded(error)) return undefined;
      throw error;
    });
    if (rows === undefined) break;
    const hits = new Set(rows.map(({ id }) => id));
    found.push(...batch.filter(({ id }) => hits.has(id)));
    at += batch.length;
  }
  return candidates.slice(0, at);
}

function* batchesOf(candidates: readonly Candidate[]): Generator<readonly Candidate[]> {
  let [batch, packed]: [Candidate[], number] = [[], 0];
  for (const candidate of candidates) {
    if (batch.length > 0 && (batch.length >= TEXTS_AT_ONCE || packed + candidate.packed > PACKED_AT_ONCE)) {
      yield batch;
      [batch, packed] = [[], 0];
    }
    batch.push(candidate);
    packed += candidate.packed;
  }
  if (batch.length > 0) yield batch;
}

/** Selects those of the given events or calls that contain the text. */
function textStatement(filters: EventFilters, ids: readonly string[]): { statement: string; where: Conditions } {
  const where = new Conditions();
  const { accountId } = filters.manager;
  const own = `SELECT p.id::text AS id FROM ${eventsById(where, accountId, ids, 'p')} WHERE ${textMatch('p', filters.text ?? '', where)}`;
  if (filters.view !== 'calls') return { statement: own, where };
  const answers = `SELECT p.call_id::text AS id FROM ${answersOf(where, accountId, ids, 'p')} WHERE ${textMatch('p', filters.text ?? '', where)}`;
  return { statement: `${own} UNION ${answers}`, where };
}
