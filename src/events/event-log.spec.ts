import {
  DatabaseError,
  type SqlExecutor,
  type SqlParameter,
  type SqlRow,
  type SqlSession,
  type TenantSql,
} from '../database/index.js';
import { newEvent } from '../../test/support/events.js';
import type { AppendRequest, NewEvent } from './event.js';
import { EventLogOverloaded } from './event-log-errors.js';
import { EVENT_LOG_LIMITS, EventLog } from './event-log.js';

/** A statement that runs until the test ends it. */
interface Running {
  readonly parameters: readonly SqlParameter[];
  end(): void;
}

/** A database that runs any number of statements at once. */
class SlowSql implements TenantSql {
  readonly running: Running[] = [];

  forAccounts(): SqlSession {
    return {
      query: <Row extends SqlRow>(_sql: string, parameters: readonly SqlParameter[] = []) =>
        new Promise<Row[]>((resolve) => {
          const statement: Running = {
            parameters,
            end: () => {
              this.running.splice(this.running.indexOf(statement), 1);
              // Every event id is new: all rows of the fourth parameter are claimed.
              const [boundary, , , claims] = parameters.map(String);
              resolve((claims ?? '').split(boundary ?? '').map((id) => ({ row_id: id })) as unknown as Row[]);
            },
          };
          this.running.push(statement);
        }),
      transaction: () => Promise.reject(new Error('these events need no transaction')),
    };
  }

  forDuty(): SqlSession {
    return this.forAccounts();
  }
}

/** The wait of a statement for a lock, unless its transaction has a shorter one. */
const LOCK_TIMEOUT_MS = 1_000;

/** A database in which another session keeps a lock. Each wait for the lock advances the clock of the test. */
class LockedSql implements TenantSql {
  nowMs = 0;

  /**
   * @param meets whether a statement with these parameters meets the lock
   * @param table the table of the locked row; absent if a whole table is locked
   */
  constructor(
    private readonly meets: (parameters: readonly string[]) => boolean,
    private readonly table?: string,
  ) {}

  forAccounts(): SqlSession {
    return {
      ...this.executor(),
      transaction: (work) => work({ ...this.executor(), enter: () => Promise.resolve() }),
    };
  }

  forDuty(): SqlSession {
    return this.forAccounts();
  }

  private executor(): SqlExecutor {
    let waitMs = LOCK_TIMEOUT_MS;
    return {
      query: <Row extends SqlRow>(sql: string, parameters: readonly SqlParameter[] = []) => {
        const limitMs = /'lock_timeout', '(\d+)ms'/.exec(sql)?.[1];
        if (limitMs !== undefined) {
          waitMs = Number(limitMs);
          return Promise.resolve<Row[]>([]);
        }
        const texts = parameters.map(String);
        if (this.meets(texts)) {
          this.nowMs += waitMs;
          return Promise.reject(new DatabaseError('55P03', 'lock timeout', undefined, this.table));
        }
        const [boundary = '', , , claims = ''] = texts;
        return Promise.resolve(claims.split(boundary).map((id) => ({ row_id: id })) as unknown as Row[]);
      },
    };
  }
}

const ANSWER = { status: 200, body: '{}' };
let made = 0;
/** An event of its own call, unless `changes` name another one. */
const event = (changes: Partial<NewEvent> = {}): NewEvent => newEvent({ requestId: `req-${made++}`, ...changes });
const large = (changes: Partial<NewEvent> = {}): NewEvent =>
  event({ payload: JSON.stringify('x'.repeat(200_000)), ...changes });

/** A log on a slow database, and functions that name the events in its running statements and end them. */
function slowLog(limits = { ...EVENT_LOG_LIMITS, largeBeside: true }) {
  const sql = new SlowSql();
  const log = new EventLog(sql, limits);
  const names = new Map<string, string>();
  const settled: string[] = [];
  const append = (name: string, one: NewEvent): void => {
    names.set(one.id, name);
    const request = { event: one, children: [], idempotency: { fingerprint: Buffer.alloc(32), answer: ANSWER } };
    // Events that a test leaves waiting are refused after it has ended.
    void log.append(request).then(
      () => settled.push(name),
      () => undefined,
    );
  };
  const inStatement = ({ parameters }: Running): string =>
    [...names].flatMap(([id, name]) => (parameters.some((text) => String(text).includes(id)) ? [name] : [])).join(', ');
  const running = async (): Promise<string[]> => {
    for (let turns = 0; turns < 3; turns++) await new Promise(setImmediate);
    return sql.running.map(inStatement);
  };
  /** Ends the statement of these events. */
  const end = (names: string): void => sql.running.find((one) => inStatement(one) === names)?.end();
  return { log, sql, append, running, end, settled };
}

describe('The event log on a database that runs several statements at once', () => {
  it('stores small events while a large one is being stored', async () => {
    const { append, running, end, settled } = slowLog();
    append('large', large());
    append('small', event());
    expect(await running()).toEqual(['large', 'small']);
    end('small');
    append('later', event());
    expect(await running()).toEqual(['large', 'later']);
    expect(settled).toEqual(['small']);
  });

  it('stores one large event at a time, and small ones together', async () => {
    const { append, running, end } = slowLog();
    for (const name of ['one', 'two']) append(name, large());
    append('first', event());
    append('second', event());
    append('third', event());
    expect(await running()).toEqual(['one', 'first']);
    end('one');
    end('first');
    expect((await running()).toSorted()).toEqual(['second, third', 'two']);
  });

  it.each<[string, Partial<NewEvent>, Partial<NewEvent>]>([
    ['an answer behind its request', { requestId: 'a' }, { requestId: 'a', type: 'ai.response' }],
    ['the end of a proxied call behind its request', { id: newEvent().id }, {}],
    ['an event behind an earlier one of its session', { sessionId: 's' }, { sessionId: 's' }],
    ['a repetition behind the first event with its id', { eventId: 'e' }, { eventId: 'e' }],
  ])('stores %s, and events of others at the same time', async (_what, first, next) => {
    const { append, running, end } = slowLog();
    append('large', large(first));
    append('next', event({ ...(first.id === undefined ? {} : { parentId: first.id }), ...next }));
    append('other', event());
    expect(await running()).toEqual(['large', 'other']);
    end('other');
    expect(await running()).toEqual(['large']);
    end('large');
    expect(await running()).toHaveLength(1);
  });

  it('stores a large answer behind its small request', async () => {
    const { append, running, end } = slowLog();
    append('request', event({ requestId: 'a' }));
    append('answer', large({ requestId: 'a', type: 'ai.response' }));
    expect(await running()).toEqual(['request']);
    end('request');
    expect(await running()).toHaveLength(1);
  });

  it('stores small events of a session together, even while they follow a large one', async () => {
    const { append, running, end } = slowLog();
    append('large', large({ sessionId: 's' }));
    for (const name of ['one', 'two', 'three']) append(name, event({ sessionId: 's' }));
    expect(await running()).toEqual(['large']);
    end('large');
    expect(await running()).toEqual(['one, two, three']);
  });

  it('adds the sums of statements that run at the same time to different rows', async () => {
    const { append, running, sql } = slowLog();
    append('large', large());
    append('small', event());
    await running();
    const [writer, other] = sql.running.map(({ parameters }) => Number(parameters.at(-1)));
    expect(writer).not.toBe(other);
    for (const number of [writer, other]) expect(number).toBeLessThan(2 ** 15);
  });

  it('counts the events of both lanes, and stores them before it closes', async () => {
    const { log, append, running, end, settled } = slowLog();
    append('large', large());
    append('waiting', large());
    append('small', event());
    await running();
    expect(log.backlog).toBe(3);
    const drained = log.drain();
    for (const name of ['large', 'small', 'waiting']) {
      end(name);
      await running();
    }
    await drained;
    expect(settled).toEqual(['large', 'small', 'waiting']);
  });
});

describe('The event log while another session keeps a lock', () => {
  const EVENTS = 40;
  const LIMITS = { ...EVENT_LOG_LIMITS, longestWaitMs: 1_500 };
  const idempotency = { fingerprint: Buffer.alloc(32), answer: ANSWER };
  const logOn = (sql: LockedSql) => new EventLog(sql, LIMITS, undefined, undefined, () => sql.nowMs);
  const appendAll = (log: EventLog, appended: readonly NewEvent[]) =>
    Promise.allSettled(appended.map((one) => log.append({ event: one, children: [], idempotency })));
  const events = () => Array.from({ length: EVENTS }, () => event());

  it('refuses all events within twice the longest wait if a whole table is locked', async () => {
    const sql = new LockedSql(() => true);
    for (const result of await appendAll(logOn(sql), events())) {
      expect(result).toMatchObject({ reason: { name: 'EventLogUnavailable', retryAfterSeconds: 1 } });
    }
    expect(sql.nowMs).toBeLessThanOrEqual(2 * LIMITS.longestWaitMs);
  });

  it('stores all other events of a batch soon if one id is locked, and reports this id as in progress', async () => {
    const all = events();
    const [held] = all.slice(17);
    const sql = new LockedSql((texts) => texts.some((text) => text.includes(held?.id ?? '')), 'event_ids');
    const results = await appendAll(logOn(sql), all);
    expect(results.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([17]);
    expect(results[17]).toMatchObject({ reason: { name: 'EventIdInProgress' } });
    expect(sql.nowMs).toBeLessThan(LIMITS.longestWaitMs);
  });

  it.each<[string, string | undefined, AppendRequest['idempotency']]>([
    ['an event without an id of its client', undefined, { fingerprint: Buffer.alloc(0) }],
    ['an event with an id, if a whole table is locked', undefined, idempotency],
    ['an event with an id, if another row is locked', 'budget_periods', idempotency],
  ])('reports an outage for %s', async (_which, table, claim) => {
    const log = logOn(new LockedSql(() => true, table));
    const stored = log.append({ event: event(), children: [], idempotency: claim });
    await expect(stored).rejects.toMatchObject({ name: 'EventLogUnavailable' });
  });

  it('refuses events that have waited too long, even if no statement ends', async () => {
    const log = new EventLog(new SlowSql(), { ...EVENT_LOG_LIMITS, longestWaitMs: 20 });
    void log.append({ event: event(), children: [], idempotency }).catch(() => undefined);
    await expect(log.append({ event: event(), children: [], idempotency })).rejects.toThrow(EventLogOverloaded);
  });
});

describe('The event log on a database with one session', () => {
  it('sends one statement at a time, however large its events are', async () => {
    const { append, running } = slowLog(EVENT_LOG_LIMITS);
    append('large', large());
    append('small', event());
    expect(await running()).toEqual(['large']);
  });
});
