/**
 * Determines the call of each event in a batch, and the earlier outcome of that call, before the batch is stored, so that the storing
 * statement only adds up. Queries the log only for answers whose request is not in the same batch.
 */
import { LRUCache } from 'lru-cache';
import type { SqlExecutor, SqlRow } from '../../database/index.js';
import type { NewEvent } from '../event.js';
import { CLOCKS_APART_MS, firstEventIdAt, timeOfEventId } from '../event-id.js';
import { outcomeOfNew, strongerOf, type Outcome } from '../outcome.js';
import { CALLS_OF_ANSWERS, CALLS_OF_NAMED_REQUESTS } from './rollup-statements.js';

/** Answers without the id of their request that are submitted later than this after it are separate calls. */
const ANSWERED_WITHIN_MS = 24 * 3_600_000;
/** Maximum number of proxied calls in flight kept in memory; others are looked up in the log. */
const REMEMBERED = 20_000;

/** A call as the sums count it: its beginning, and its strongest outcome so far. */
interface Call {
  readonly id: string;
  readonly eventId: string;
  readonly at: string;
  readonly model: string | undefined;
  readonly keyId: string;
  outcome: Outcome;
}

/** The call of one event, and how the event changes the outcome of that call. */
export interface CallPart extends Omit<Call, 'outcome' | 'eventId'> {
  /** The previous outcome of the call; null for its first event. */
  readonly before: Outcome | null;
  readonly after: Outcome;
}

interface FoundCall extends SqlRow {
  readonly n: number;
  readonly id: string;
  readonly event_id: string;
  readonly at: string;
  readonly model: string | null;
  readonly key_id: string;
  readonly outcome: Outcome;
}

const isAnswer = ({ type }: NewEvent): boolean => type === 'ai.response' || type === 'ai.error';
const requestKey = ({ accountId, appId, environment, requestId }: NewEvent): string =>
  `${accountId} ${appId} ${environment} ${requestId}`;

export class CallBook {
  private readonly proxied = new LRUCache<string, Call>({ max: REMEMBERED });

  /**
   * For each event, in order: its call, and how the event changes the outcome of that call; undefined for events that only report about
   * another one.
   *
   * @throws DatabaseError | DatabaseUnavailable
   */
  async partsOf(sql: SqlExecutor, events: readonly NewEvent[]): Promise<(CallPart | undefined)[]> {
    const found = await this.lookUp(sql, events);
    /** Calls of this batch: by their request's id, and the newest by request id. */
    const byId = new Map<string, Call>();
    const byRequest = new Map<string, Call>();
    return events.map((event) => {
      const outcome = outcomeOfNew(event);
      if (outcome === null) return undefined;
      const call = isAnswer(event) ? callOf(event, found, byId, byRequest) : undefined;
      if (call !== undefined) {
        const before = call.outcome;
        call.outcome = strongerOf(outcome, before);
        return { id: call.id, at: call.at, model: call.model, keyId: call.keyId, before, after: call.outcome };
      }
      const own = { id: event.id, at: event.receivedAt.toISOString(), model: event.model, keyId: event.keyId };
      if (event.type === 'ai.request') begin({ ...own, eventId: event.eventId, outcome }, event, byId, byRequest);
      return { ...own, before: null, after: outcome };
    });
  }

  /** Keeps the proxied calls that a committed batch began: their end is stored by this process. */
  committed(events: readonly NewEvent[], parts: readonly (CallPart | undefined)[]): void {
    events.forEach((event, index) => {
      const part = parts[index];
      if (event.source !== 'proxy' || event.type !== 'ai.request' || part === undefined) return;
      const { id, at, model, keyId, after: outcome } = part;
      this.proxied.set(event.id, { id, eventId: event.eventId, at, model, keyId, outcome });
    });
  }

  /** The calls of answers that are known or in the log; by the id of the answer. Two answers to one call share one object. */
  private async lookUp(sql: SqlExecutor, events: readonly NewEvent[]): Promise<Map<string, Call>> {
    const calls = new Map<string, Call>();
    const unknown: NewEvent[] = [];
    for (const event of events) {
      if (!isAnswer(event) || (event.parentId === undefined && event.requestId === undefined)) continue;
      const known = event.parentId === undefined ? undefined : this.proxied.get(event.parentId);
      if (known === undefined) unknown.push(event);
      else calls.set(event.id, known);
      // A call has one end; later events look it up in the log.
      if (event.parentId !== undefined) this.proxied.delete(event.parentId);
    }
    const named = unknown.filter(({ parentId }) => parentId !== undefined);
    const submitted = unknown.filter(({ parentId }) => parentId === undefined);
    const found = [...(await findNamed(sql, named)), ...(await findSubmitted(sql, submitted))];
    const byId = new Map<string, Call>();
    for (const { answer, call: row } of found) {
      const { id, event_id: eventId, at, model, key_id: keyId, outcome } = row;
      const call = byId.get(id) ?? { id, eventId, at, model: model ?? undefined, keyId, outcome };
      byId.set(id, call);
      // Its outcome changes without this process, so a copy in memory would be outdated.
      this.proxied.delete(id);
      calls.set(answer.id, call);
    }
    return calls;
  }
}

interface FoundCallOf {
  readonly answer: NewEvent;
  readonly call: FoundCall;
}

const placesOf = (answers: readonly NewEvent[]) => [
  answers.map(({ accountId }) => accountId),
  answers.map(({ appId }) => appId),
  answers.map(({ environment }) => environment),
];

/** Finds the calls of answers that name their request, whatever its age and its request id. */
async function findNamed(sql: SqlExecutor, answers: readonly NewEvent[]): Promise<FoundCallOf[]> {
  if (answers.length === 0) return [];
  const requests = answers.flatMap(({ parentId }) => parentId ?? []);
  const earliest = requests.map((id) => firstEventIdAt(timeOfEventId(id) - CLOCKS_APART_MS));
  const rows = await sql.query<FoundCall>(CALLS_OF_NAMED_REQUESTS, [...placesOf(answers), requests, earliest], {
    prepareAs: 'calls-of-named-requests',
  });
  return rows.map((call) => ({ answer: answers[call.n - 1]!, call }));
}

/** Finds the calls of answers that only have the request id of their call. */
async function findSubmitted(sql: SqlExecutor, answers: readonly NewEvent[]): Promise<FoundCallOf[]> {
  if (answers.length === 0) return [];
  const firstMs = Math.min(...answers.map(({ receivedAt }) => receivedAt.getTime()));
  const rows = await sql.query<FoundCall>(
    CALLS_OF_ANSWERS,
    [
      ...placesOf(answers),
      answers.map(({ requestId }) => requestId ?? null),
      firstEventIdAt(firstMs - ANSWERED_WITHIN_MS),
    ],
    { prepareAs: 'calls-of-answers' },
  );
  return rows.map((call) => ({ answer: answers[call.n - 1]!, call }));
}

/** Of two requests with one event id only the first is stored. */
function begin(call: Call, request: NewEvent, byId: Map<string, Call>, byRequest: Map<string, Call>): void {
  byId.set(request.id, call);
  if (request.requestId === undefined) return;
  const key = requestKey(request);
  if (byRequest.get(key)?.eventId !== call.eventId) byRequest.set(key, call);
}

/** A request of the same batch is newer than any stored request, unless it is itself already stored. */
function callOf(
  answer: NewEvent,
  found: ReadonlyMap<string, Call>,
  byId: ReadonlyMap<string, Call>,
  byRequest: ReadonlyMap<string, Call>,
): Call | undefined {
  if (answer.parentId === undefined && answer.requestId === undefined) return undefined;
  const inBatch = answer.parentId === undefined ? byRequest.get(requestKey(answer)) : byId.get(answer.parentId);
  const stored = found.get(answer.id);
  return inBatch !== undefined && inBatch.eventId !== stored?.eventId ? inBatch : stored;
}
