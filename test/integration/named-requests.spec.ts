/** Answers that name their request end its call, whatever the request's age and its request id are. */
import { newEventId } from '../../src/events/event-id.js';
import { EventLog } from '../../src/events/event-log.js';
import type { NewEvent } from '../../src/events/event.js';
import { eachDatabase } from '../support/each-database.js';
import { ACCOUNT_ID, appendRequest, newEvent } from '../support/events.js';

const HOUR_MS = 3_600_000;
const START_MS = Date.parse('2026-11-02T00:00:00Z');
/** More events than are examined for one request id. */
const OTHERS = 25;

eachDatabase('An answer that names its request', (current) => {
  /** Each log is a process of its own: the process that stores the answer does not have the call in its memory. */
  const store = (event: NewEvent) => new EventLog(current().database.sql).append(appendRequest(event));

  const requestAt = (receivedAt: Date, changes: Partial<NewEvent> = {}): NewEvent => {
    const id = newEventId(receivedAt);
    return newEvent({ source: 'proxy', id, eventId: id, receivedAt, ...changes });
  };

  const answerTo = (request: NewEvent, receivedAt: Date, changes: Partial<NewEvent> = {}): NewEvent =>
    requestAt(receivedAt, {
      ...{ type: 'ai.error', reason: 'log_gap', parentId: request.id, requestId: request.requestId },
      ...changes,
    } as Partial<NewEvent>);

  /** The calls and the errors that began in the hour of the request. */
  const sumsOf = async ({ receivedAt }: NewEvent) => {
    const hour = new Date(Math.floor(receivedAt.getTime() / HOUR_MS) * HOUR_MS).toISOString();
    const [row] = await current()
      .database.sql.forAccounts(ACCOUNT_ID)
      .query(
        `SELECT sum(calls)::integer AS calls, sum(allowed_n)::integer AS allowed, sum(error_n)::integer AS errors
         FROM event_rollups WHERE account_id = $1::uuid AND grain = 3600 AND bucket = $2::timestamptz`,
        [ACCOUNT_ID, hour],
      );
    return row;
  };

  const callOf = async ({ id }: NewEvent): Promise<string | null | undefined> => {
    const [row] = await current()
      .database.sql.forAccounts(ACCOUNT_ID)
      .query<{ call_id: string | null }>(
        'SELECT call_id::text AS call_id FROM events WHERE account_id = $1::uuid AND id = $2::text::uuid',
        [ACCOUNT_ID, id],
      );
    return row?.call_id;
  };

  it('ends its call days later', async () => {
    const at = new Date(START_MS);
    const request = requestAt(at, { requestId: 'an-old-one' });
    await store(request);
    const answer = answerTo(request, new Date(at.getTime() + 75 * HOUR_MS));
    await store(answer);
    expect(await callOf(answer)).toBe(request.id);
    expect(await sumsOf(request)).toEqual({ calls: 1, allowed: 0, errors: 1 });
  });

  it('ends its call if later calls have the same request id', async () => {
    const at = new Date(START_MS + 2 * HOUR_MS);
    const request = requestAt(at, { requestId: 'the-same' });
    await store(request);
    for (let n = 1; n <= OTHERS; n++) await store(requestAt(new Date(at.getTime() + n), { requestId: 'the-same' }));
    const answer = answerTo(request, new Date(at.getTime() + 60_000));
    await store(answer);
    expect(await callOf(answer)).toBe(request.id);
    expect(await sumsOf(request)).toEqual({ calls: 1 + OTHERS, allowed: OTHERS, errors: 1 });
  });

  it('ends its call if the request id of the call was erased', async () => {
    const at = new Date(START_MS + 4 * HOUR_MS);
    const request = requestAt(at, { requestId: 'somebody' });
    await store(request);
    const owner = current().database.sql.forMaintenance();
    await owner.query('UPDATE events SET request_id = NULL WHERE id = $1::text::uuid', [request.id]);
    const answer = answerTo(request, new Date(at.getTime() + 60_000), { requestId: undefined });
    await store(answer);
    expect(await callOf(answer)).toBe(request.id);
    expect(await sumsOf(request)).toEqual({ calls: 1, allowed: 0, errors: 1 });
  });

  it('ends its call after another answer, and keeps the stronger outcome of both', async () => {
    const at = new Date(START_MS + 6 * HOUR_MS);
    const request = requestAt(at, { requestId: 'answered-twice' });
    await store(request);
    await store(answerTo(request, new Date(at.getTime() + 1_000)));
    const second = answerTo(request, new Date(at.getTime() + 2_000), { type: 'ai.response' });
    await store(second);
    expect(await callOf(second)).toBe(request.id);
    expect(await sumsOf(request)).toEqual({ calls: 1, allowed: 0, errors: 1 });
  });
});
