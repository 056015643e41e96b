import fc from 'fast-check';
import { EventEmitter, once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { DatabaseUnavailable } from '../database-error.js';
import type { SqlDriver } from '../scoped-sessions.js';
import type { SqlParameter, SqlRow, TenantSql } from '../sql-runner.js';
import { Heartbeats } from './heartbeats.js';
import { ReadReplica } from './read-replica.js';

describe('Heartbeats', () => {
  it('returns the newest heartbeat that was shown, in whatever order and however often heartbeats are shown', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9), { maxLength: 40 }), (shown) => {
        const heartbeats = new Heartbeats(10);
        for (let n = 0; n < 10; n += 1) heartbeats.begin(`heartbeat ${n}`, { ms: n, at: 1_000 + n });
        for (const n of shown) heartbeats.saw(`heartbeat ${n}`);
        expect(heartbeats.seen?.ms).toBe(shown.length === 0 ? undefined : Math.max(...shown));
      }),
    );
  });

  it('ignores heartbeats that are foreign, missing, or too old to be stored', () => {
    const heartbeats = new Heartbeats(2);
    for (const token of ['first', 'second', 'third']) heartbeats.begin(token, { ms: 1, at: 1 });
    const unknown = ['first', 'of another server', undefined];
    expect(unknown.map((token) => heartbeats.saw(token))).toEqual([false, false, false]);
    expect(heartbeats.seen).toBeUndefined();
    expect(heartbeats.saw('second')).toBe(true);
  });
});

/** A primary with heartbeats, and a replica that copies them while `follows` is set. */
class Pair {
  reports: string[] = [];
  /** While this is set, the replica fails with this error. */
  trouble: Error | undefined;
  follows = true;
  private readonly written = new Map<SqlParameter, string>();
  private shown = new Map<SqlParameter, string>();
  beaten = 0;
  private readonly looks = new EventEmitter();

  readonly replica = new ReadReplica(
    {
      databaseUrl: 'postgres://standby/weir',
      maxLagMs: 500,
      report: (isUsed, message) => this.reports.push(`${isUsed ? 'used' : 'not used'}: ${message}`),
    },
    {
      primary: this.server(([slot, token]) => {
        this.written.set(slot!, token as string);
        return [];
      }),
      watching: this.server(([slot]) => {
        this.beaten += 1;
        this.looks.emit('look');
        if (this.trouble !== undefined) throw this.trouble;
        if (this.follows) this.shown = new Map(this.written);
        const token = this.shown.get(slot!);
        return token === undefined ? [] : [{ token }];
      }),
      driver: named('replica'),
      primaryDriver: named('primary'),
      nowMs: () => Date.now(),
      drop: () => undefined,
      close: () => Promise.resolve(),
    },
  );

  /** Replaces the replica with a server that does not follow the primary yet. */
  replaceReplica(): void {
    this.follows = false;
    this.shown = new Map();
    this.replica.forget();
  }

  /** The name of the server that answers a read. */
  async asked(): Promise<unknown> {
    const [row] = await this.replica.sql.forAccounts().query<{ name: string }>('SELECT 1');
    return row?.name;
  }

  /** Asks again after each heartbeat that is looked for in the replica: nothing else changes while a test waits. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      await once(this.looks, 'look');
      await turn();
    }
  }

  private server(answer: (parameters: readonly SqlParameter[]) => SqlRow[]): TenantSql {
    const query = (_sql: string, parameters: readonly SqlParameter[] = []) =>
      Promise.resolve().then(() => answer(parameters));
    const session = { query } as unknown as ReturnType<TenantSql['forDuty']>;
    return { forAccounts: () => session, forDuty: () => session };
  }
}

function named(name: string): SqlDriver {
  const run = (): Promise<SqlRow[]> => Promise.resolve([{ name }]);
  return { run, inTransaction: (_opening, work) => work(run) };
}

describe('A read replica', () => {
  let pair: Pair;
  beforeEach(() => {
    pair = new Pair();
  });
  afterEach(() => pair.replica.close());

  it('is not used before it has shown a heartbeat', async () => {
    pair.follows = false;
    pair.replica.start();
    expect(await pair.asked()).toBe('primary');
    await pair.until(() => pair.beaten > 2);
    expect(await pair.asked()).toBe('primary');
    pair.follows = true;
    await pair.until(() => pair.replica.state === 'ok');
    expect(await pair.asked()).toBe('replica');
    expect(pair.reports).toEqual(['used: Reads go to the read replica.']);
  });

  it('is not used while it is too far behind or unavailable, and each change is reported once', async () => {
    pair.replica.start();
    await pair.until(() => pair.replica.state === 'ok');
    pair.follows = false;
    await pair.until(() => pair.reports.length === 2);
    expect(pair.replica.state).toBe('behind');
    expect(await pair.asked()).toBe('primary');
    pair.trouble = new DatabaseUnavailable('the database cannot be reached', 'ECONNREFUSED');
    await pair.until(() => pair.replica.state === 'away');
    const { beaten } = pair;
    await pair.until(() => pair.beaten > beaten + 2);
    pair.trouble = undefined;
    pair.follows = true;
    await pair.until(() => pair.replica.state === 'ok');
    expect(pair.reports).toEqual([
      'used: Reads go to the read replica.',
      'not used: The read replica is more than 500 ms behind. Reads go to the primary.',
      'not used: The read replica cannot be queried (ECONNREFUSED). Reads go to the primary.',
      'used: Reads go to the read replica.',
    ]);
  });

  it('is not used after a replacement until the new server has shown a heartbeat', async () => {
    pair.replica.start();
    await pair.until(() => pair.replica.state === 'ok');
    pair.replaceReplica();
    expect(await pair.asked()).toBe('primary');
    pair.follows = true;
    await pair.until(() => pair.replica.state === 'ok');
    expect(await pair.asked()).toBe('replica');
  });

  it('ends the wait of a caller that has aborted', async () => {
    pair.replica.start();
    await pair.until(() => pair.replica.state === 'ok');
    expect(await pair.replica.holds(Date.now() + 60_000, AbortSignal.abort())).toBe(false);
  });

  it('reports, once a later heartbeat is shown, whether it has every write acknowledged before now', async () => {
    pair.replica.start();
    await pair.until(() => pair.replica.state === 'ok');
    expect(await pair.replica.holds(Date.now())).toBe(true);
    pair.follows = false;
    expect(await pair.replica.holds(Date.now())).toBe(false);
  });
});
