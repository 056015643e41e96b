import type { SqlParameter, SqlRow, SqlSession, TenantSql } from '../database/index.js';
import { newEvent } from '../../test/support/events.js';
import type { NewEvent } from './event.js';
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
    void log.append(request).then(() => settled.push(name));
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

describe('The event log on a database with one session', () => {
  it('sends one statement at a time, however large its events are', async () => {
    const { append, running } = slowLog(EVENT_LOG_LIMITS);
    append('large', large());
    append('small', event());
    expect(await running()).toEqual(['large']);
  });
});
