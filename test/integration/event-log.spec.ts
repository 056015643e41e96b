import type { AppendRequest } from '../../src/events/event.js';
import { EventLogOverloaded, EventLogUnavailable, EventRejected } from '../../src/events/event-log-errors.js';
import { EVENT_LOG_LIMITS, EventLog } from '../../src/events/event-log.js';
import type { SqlRow, SqlRunner, SqlSession, TenantSql } from '../../src/database/index.js';
import { eachDatabase } from '../support/each-database.js';
import { ACCOUNT_ID, APP_ID, appendRequest, freshEventId, newEvent, violationEvent } from '../support/events.js';
import { goneSql } from '../support/sql.js';

/** Counts statements, and lets a test delay them so that a batch accumulates. */
class Gate implements TenantSql {
  statements = 0;
  private open: Promise<void> = Promise.resolve();

  constructor(private readonly inner: TenantSql) {}

  hold(): () => void {
    let release = (): void => undefined;
    this.open = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  }

  forAccounts(...ids: readonly string[]): SqlSession {
    return this.held(this.inner.forAccounts(...ids));
  }

  forDuty(...duty: Parameters<TenantSql['forDuty']>): SqlSession {
    return this.held(this.inner.forDuty(...duty));
  }

  private held(session: SqlSession): SqlSession {
    const passed = async (): Promise<void> => {
      await this.open;
      this.statements += 1;
    };
    return {
      query: <Row extends SqlRow>(...request: Parameters<SqlSession['query']>) =>
        passed().then(() => session.query<Row>(...request)),
      transaction: (work) => session.transaction(work),
    };
  }
}

eachDatabase('the event log', (current) => {
  const sql = (): SqlRunner => current().database.sql;
  const count = async (ids: readonly string[]): Promise<number> => {
    const [row] = await sql().query<{ n: number }>(
      'SELECT count(*)::integer AS n FROM events WHERE id = ANY ($1::text[]::uuid[])',
      [ids],
    );
    return row?.n ?? -1;
  };
  /** Appends all requests while the statement of another event is delayed, so that they form one batch. */
  const appendTogether = async (requests: readonly AppendRequest[]) => {
    const gate = new Gate(sql());
    const log = new EventLog(gate);
    const release = gate.hold();
    const first = log.append(appendRequest(newEvent()));
    const results = Promise.allSettled(requests.map((request) => log.append(request)));
    release();
    await first;
    return { results: await results, statements: gate.statements - 1 };
  };

  it('stores concurrent events with one statement, each once', async () => {
    const events = Array.from({ length: 100 }, () => newEvent());
    const { results, statements } = await appendTogether(events.map((event) => appendRequest(event)));
    expect(results.every((result) => result.status === 'fulfilled' && result.value.outcome === 'appended')).toBe(true);
    expect(statements).toBe(1);
    expect(await count(events.map(({ id }) => id))).toBe(100);
  });

  describe('with many concurrent events of one key', () => {
    const SENT = 5;
    /** A log with a clock that only the test advances, and a key whose events are gathered into one batch. */
    const gathering = () => {
      const gate = new Gate(sql());
      const time = { nowMs: 0 };
      const log = new EventLog(gate, EVENT_LOG_LIMITS, undefined, undefined, () => time.nowMs);
      const left = { open: SENT };
      return { gate, log, time, left, gathered: log.gather(newEvent(), () => left.open) };
    };

    it('stores them with one statement', async () => {
      const { gate, log } = gathering();
      const stored: Promise<unknown>[] = [];
      for (let sent = 1; sent <= SENT; sent++) {
        stored.push(log.append(appendRequest(newEvent())));
        await new Promise(setImmediate);
        if (sent < SENT) expect(gate.statements).toBe(0);
      }
      await Promise.all(stored);
      expect(gate.statements).toBe(1);
    });

    it('does not delay other callers', async () => {
      const { log } = gathering();
      const theirs = log.append(appendRequest(newEvent()));
      expect(await log.append(appendRequest(newEvent({ keyId: 'another-key1' })))).toEqual({ outcome: 'appended' });
      expect(await theirs).toEqual({ outcome: 'appended' });
    });

    it('stores all events after the longest wait, even if other keys share each statement', async () => {
      const { log, time, left, gathered } = gathering();
      await log.append(appendRequest(newEvent({ keyId: 'another-key1' })));
      left.open = 30;
      const stored = Array.from({ length: 20 }, () => log.append(appendRequest(newEvent())));
      await new Promise(setImmediate);
      time.nowMs = 50;
      gathered.changed();
      expect(await Promise.all(stored)).toHaveLength(20);
    });

    it.each<[string, (all: ReturnType<typeof gathering>) => unknown]>([
      ['when the other requests end without an event', ({ left, gathered }) => ((left.open = 1), gathered.changed())],
      ['after the longest wait', ({ time, gathered }) => ((time.nowMs = 50), gathered.changed())],
      ['when no more events are expected', ({ gathered }) => gathered.end()],
      ['when the log is closed', ({ log }) => log.drain()],
    ])('stores them %s', async (_when, happens) => {
      const all = gathering();
      const event = newEvent();
      const stored = all.log.append(appendRequest(event));
      await new Promise(setImmediate);
      expect(await count([event.id])).toBe(0);
      await happens(all);
      expect(await stored).toEqual({ outcome: 'appended' });
    });
  });

  it('refuses events that have waited too long, and stores the others', async () => {
    const gate = new Gate(sql());
    let nowMs = 0;
    const limits = { ...EVENT_LOG_LIMITS, longestWaitMs: 50 };
    const log = new EventLog(gate, limits, undefined, undefined, () => nowMs);
    const release = gate.hold();
    const first = log.append(appendRequest(newEvent()));
    const late = newEvent();
    const refused = expect(log.append(appendRequest(late))).rejects.toThrow(EventLogOverloaded);
    nowMs = 51;
    release();
    expect(await first).toEqual({ outcome: 'appended' });
    await refused;
    expect(await count([late.id])).toBe(0);
    await log.drain();
    expect(log.backlog).toBe(0);
  });

  it('stores an event and its violations together or not at all', async () => {
    const source = newEvent();
    const children = [violationEvent(source, 'one'), violationEvent(source, 'two')];
    await new EventLog(sql()).append(appendRequest(source, children));
    expect(await count([source, ...children].map(({ id }) => id))).toBe(3);

    const broken = newEvent();
    const child = { ...violationEvent(broken, 'three'), payload: '{' };
    await expect(new EventLog(sql()).append(appendRequest(broken, [child]))).rejects.toThrow(EventRejected);
    expect(await count([broken.id, child.id])).toBe(0);
    expect(await new EventLog(sql()).remembered(APP_ID, 'production', broken.eventId, ACCOUNT_ID)).toBeNull();
  });

  it('stores one event for an id that occurs several times in a batch, and returns its answer for each occurrence', async () => {
    const eventId = freshEventId();
    const events = Array.from({ length: 10 }, () => newEvent({ eventId }));
    const { results } = await appendTogether(events.map((event) => appendRequest(event)));
    const values = results.map((result) => (result.status === 'fulfilled' ? result.value : undefined));
    expect(values.filter((value) => value?.outcome === 'appended')).toHaveLength(1);
    const winner = events[values.findIndex((value) => value?.outcome === 'appended')];
    const answers = values.flatMap((value) => (value?.outcome === 'duplicate' ? [value.stored] : []));
    expect(answers).toHaveLength(9);
    for (const answer of answers) {
      expect(answer.id).toBe(winner?.id);
      expect(JSON.parse(answer.body)).toMatchObject({ n: winner?.id });
    }
    expect(await count(events.map(({ id }) => id))).toBe(1);
  });

  it('answers a later duplicate with the stored answer, byte for byte, and with the stored fingerprint', async () => {
    const eventId = freshEventId();
    const first = appendRequest(newEvent({ eventId }));
    const log = new EventLog(sql());
    expect(await log.append(first)).toEqual({ outcome: 'appended' });
    const second = appendRequest(newEvent({ eventId, payload: '{"messages":[]}' }));
    const result = await log.append(second);
    const stored = { ...first.idempotency.answer, fingerprint: first.idempotency.fingerprint, id: first.event.id };
    expect(result).toEqual({ outcome: 'duplicate', stored });
    expect(first.idempotency.fingerprint.equals(second.idempotency.fingerprint)).toBe(false);
    expect(await count([second.event.id])).toBe(0);
    expect(await log.remembered(APP_ID, 'production', eventId, ACCOUNT_ID)).toEqual(stored);
  });

  it('accepts the same id once per app and environment', async () => {
    const eventId = freshEventId();
    const log = new EventLog(sql());
    const otherApp = '0b5c1f0e-5a52-4f0e-9d3c-2f6a1f6f0009';
    for (const changes of [{}, { environment: 'staging' as const }, { appId: otherApp }]) {
      expect(await log.append(appendRequest(newEvent({ eventId, ...changes })))).toEqual({ outcome: 'appended' });
    }
    expect(await log.remembered(APP_ID, 'development', eventId, ACCOUNT_ID)).toBeNull();
  });

  it('accepts an id again if the first answer for it is not to be stored', async () => {
    const eventId = freshEventId();
    const log = new EventLog(sql());
    const refused = newEvent({ eventId, decision: 'block', reason: 'guardrail_unavailable' });
    const { fingerprint } = appendRequest(refused).idempotency;
    expect(await log.append({ event: refused, children: [], idempotency: { fingerprint } })).toEqual({
      outcome: 'appended',
    });
    expect(await log.remembered(APP_ID, 'production', eventId, ACCOUNT_ID)).toBeNull();
    const retry = newEvent({ eventId });
    expect(await log.append(appendRequest(retry))).toEqual({ outcome: 'appended' });
    expect(await count([refused.id, retry.id])).toBe(2);
  });

  it('stores the other rows of a batch if the database refuses one of them', async () => {
    for (const bad of [0, 17, 39]) {
      const events = Array.from({ length: 40 }, (_, index) => newEvent(index === bad ? { payload: '{"broken' } : {}));
      const { results } = await appendTogether(events.map((event) => appendRequest(event)));
      results.forEach((result, index) => {
        expect(result.status).toBe(index === bad ? 'rejected' : 'fulfilled');
      });
      expect(results[bad]).toMatchObject({ reason: { name: 'EventRejected', sqlState: '22P02' } });
      expect(await count(events.map(({ id }) => id))).toBe(39);
    }
  });

  it('reveals no data in the error for a refused event', async () => {
    const secret = 'sk-' + 'canary-4711';
    const failure = await new EventLog(sql())
      .append(appendRequest(newEvent({ payload: `{"key": ${secret}}` })))
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(EventRejected);
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain('canary');
  });

  it('stores JSON exactly, even NUL and lone surrogates, which it replaces in plain text columns', async () => {
    const payload = '{"b": 1.10, "a":"\\u0000 \\ud800 🙂", "big": 12345678901234567890}';
    const event = newEvent({
      payload,
      metadata: '{"k":"\\u0000x\\ud800"}',
      model: 'm\0\ud800',
      sessionId: 's\0\u001e\u001f,{}"',
      provider: '',
    });
    await new EventLog(sql()).append(appendRequest(event));
    const [row] = await sql().query(
      'SELECT payload::text AS payload, metadata::text AS metadata, model, session_id, provider FROM events WHERE id = $1::uuid',
      [event.id],
    );
    expect(row).toEqual({
      payload,
      metadata: '{"k":"\\u0000x\\ud800"}',
      model: 'm\uFFFD\uFFFD',
      session_id: 's\uFFFD\u001e\u001f,{}"',
      provider: null,
    });
  });

  it('stores a body of the maximum size, and one of the maximum depth', async () => {
    const large = newEvent({ payload: JSON.stringify({ text: '"\\'.repeat(8 * 1024 * 1024) }) });
    const deep = newEvent({
      payload: `${'['.repeat(512)}${']'.repeat(512)}`,
      metadata: `{"a":${'['.repeat(512)}${']'.repeat(512)}}`,
    });
    const { results } = await appendTogether([large, newEvent(), deep].map((event) => appendRequest(event)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
    const [row] = await sql().query<{ length: number }>(
      'SELECT octet_length(payload::text) AS length FROM events WHERE id = $1::uuid',
      [large.id],
    );
    expect(row?.length).toBe(large.payload?.length);
  }, 60_000);

  it('refuses events while its queue is full, and accepts them again afterwards', async () => {
    const gate = new Gate(sql());
    const log = new EventLog(gate, { ...EVENT_LOG_LIMITS, queueLength: 3 });
    const release = gate.hold();
    const taken = Array.from({ length: 4 }, () => log.append(appendRequest(newEvent())));
    await expect(log.append(appendRequest(newEvent()))).rejects.toThrow(EventLogOverloaded);
    release();
    await Promise.all(taken);
    expect(await log.append(appendRequest(newEvent()))).toEqual({ outcome: 'appended' });
  });

  it('splits a batch that is too large for one statement', async () => {
    const gate = new Gate(sql());
    const log = new EventLog(gate, { ...EVENT_LOG_LIMITS, batchRows: 10 });
    const events = Array.from({ length: 35 }, () => newEvent());
    await Promise.all(events.map((event) => log.append(appendRequest(event))));
    expect(gate.statements).toBe(5);
    expect(await count(events.map(({ id }) => id))).toBe(35);
  });

  it('stores accepted events when it drains, and refuses later ones', async () => {
    const log = new EventLog(sql());
    const events = Array.from({ length: 20 }, () => newEvent());
    const taken = events.map((event) => log.append(appendRequest(event)));
    const drained = log.drain();
    await expect(log.append(appendRequest(newEvent()))).rejects.toThrow(EventLogUnavailable);
    await drained;
    expect(await count(events.map(({ id }) => id))).toBe(20);
    await Promise.all(taken);
  });

  it('stores each id once if two servers receive the same ids at the same time', async () => {
    const other = await current().openAnother();
    const logs = [new EventLog(sql()), new EventLog(other.sql)];
    const eventIds = Array.from({ length: 200 }, () => freshEventId());
    const results = await Promise.all(
      logs.flatMap((log, server) =>
        (server === 0 ? eventIds : eventIds.toReversed()).map((eventId) =>
          log.append(appendRequest(newEvent({ eventId }))),
        ),
      ),
    );
    expect(results.filter(({ outcome }) => outcome === 'appended')).toHaveLength(200);
    const [row] = await sql().query<{ n: number }>(
      'SELECT count(*)::integer AS n FROM events WHERE event_id = ANY ($1::text[])',
      [eventIds],
    );
    expect(row?.n).toBe(200);
  });
});

describe('an event log without its database', () => {
  it('fails every caller as an outage', async () => {
    const gone = goneSql();
    const log = new EventLog(gone);
    const results = await Promise.allSettled([1, 2, 3].map(() => log.append(appendRequest(newEvent()))));
    for (const result of results) {
      expect(result).toMatchObject({ status: 'rejected', reason: { name: 'EventLogUnavailable' } });
    }
    await expect(log.remembered(APP_ID, 'production', 'e', ACCOUNT_ID)).rejects.toThrow(EventLogUnavailable);
  });
});
