import { EventEmitter } from 'node:events';
import { Pool, Query, type PoolConfig } from 'pg';
import { DatabaseFigures, poolFigures } from '../database-figures.js';
import type { ConnectionDeadlines } from './connection-deadlines.js';
import { ConnectionGate } from './connection-gate.js';
import { PostgresDriver } from './postgres-driver.js';

const LONG_MS = 60_000;

/** Whether new connections are not answered. */
let isSilent = false;

/** A connection without a server, whose statements return no rows. */
class FakeConnection extends EventEmitter {
  static readonly Query = Query;
  readonly _queryable = true;

  connect(connected: () => void): void {
    if (!isSilent) connected();
  }

  isConnected(): boolean {
    return false;
  }

  query(): Promise<{ rows: unknown[] }> {
    return Promise.resolve({ rows: [] });
  }

  end(ended?: () => void): void {
    ended?.();
  }
}

/** A driver with a pool of one connection, which is open and idle. */
async function withIdleConnection(options: PoolConfig = {}) {
  const config = { Client: FakeConnection, max: 1, idleTimeoutMillis: 0, ...options };
  const pool = new Pool(config as unknown as PoolConfig);
  pool.on('error', () => undefined);
  const deadlines = { hasMissed: () => false, openCount: 1 } as unknown as ConnectionDeadlines;
  const figures = new DatabaseFigures(() => poolFigures(pool));
  const gate = new ConnectionGate(1, LONG_MS);
  const driver = new PostgresDriver(pool, deadlines, figures, () => true, gate);
  const search = () => driver.run({ sql: 'SELECT 1', parameters: [] });
  const ask = () => driver.run({ sql: 'SELECT 1', parameters: [], deadlineMs: 1 });
  const connection = await pool.connect();
  connection.release();
  return { pool, connection, ask, search, figures };
}

/** The number of timers that are set for some work. */
async function timersFor(work: () => Promise<unknown>): Promise<number> {
  const { setTimeout: set } = globalThis;
  let timers = 0;
  globalThis.setTimeout = ((...timer: Parameters<typeof set>) => {
    timers++;
    return set(...timer);
  }) as unknown as typeof set;
  try {
    await work();
  } finally {
    globalThis.setTimeout = set;
  }
  return timers;
}

describe('A statement', () => {
  beforeEach(() => void (isSilent = false));

  it('gets an idle connection without a timer', async () => {
    const { ask } = await withIdleConnection();
    expect(await timersFor(ask)).toBe(0);
    expect(await timersFor(ask)).toBe(0);
  });

  it('has a deadline if other statements take all idle connections', async () => {
    const { ask } = await withIdleConnection();
    expect(await timersFor(() => Promise.all([ask(), ask()]))).toBe(1);
  });

  it('fails at its deadline if no connection is free, and does not keep the connection that it gets afterwards', async () => {
    const { pool, ask } = await withIdleConnection();
    const held = await pool.connect();
    await expect(ask()).rejects.toMatchObject({ name: 'DatabaseUnavailable', code: 'NO_CONNECTION' });
    held.release();
    expect(await ask()).toEqual([]);
    expect(pool.idleCount).toBe(1);
  });

  it('is measured with one wait for a connection, also if it first waits for searches before it', async () => {
    const { search, figures } = await withIdleConnection();
    let waits = 0;
    figures.setObserver({ waited: () => void waits++, ran: () => undefined });
    await Promise.all([search(), search(), search()]);
    expect(waits).toBe(3);
  });

  it('does not wait for ever if the idle connection is lost before it is passed on and no other can be opened', async () => {
    const { connection, ask } = await withIdleConnection({ connectionTimeoutMillis: 1 });
    isSilent = true;
    const asking = ask();
    connection.emit('error', new Error('connection reset'));
    await expect(asking).rejects.toMatchObject({ name: 'DatabaseUnavailable' });
  });
});
