import { EventEmitter } from 'node:events';
import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Pool } from 'pg';
import { PostgresListener } from './postgres-listener.js';

const RETRY_MS = 1_000;
const PROBE_MS = 60_000;

/** A connection whose `LISTEN` stays unanswered until a test answers it. */
class Connection extends EventEmitter {
  readonly statements: string[] = [];
  releases = 0;
  private readonly listening = Promise.withResolvers<void>();

  constructor() {
    super();
    this.listening.promise.catch(() => undefined);
  }

  query(statement: string): Promise<void> {
    this.statements.push(statement);
    return this.listening.promise;
  }

  answer(): void {
    this.listening.resolve();
  }

  /** Ends as in `pg`: the event comes first, and then the statement in flight fails. */
  break(): void {
    const error = new Error('Connection terminated unexpectedly');
    this.emit('error', error);
    this.listening.reject(error);
    this.emit('end');
  }

  release(): void {
    this.releases += 1;
    this.listening.reject(new Error('Connection terminated'));
  }
}

/** @param opened delays every connection */
function poolOf(opened: Promise<void> = Promise.resolve()) {
  const connections: Connection[] = [];
  const probes: string[] = [];
  const pool = {
    connect: async (): Promise<Connection> => {
      await opened;
      const connection = new Connection();
      connections.push(connection);
      return connection;
    },
    query: (_statement: string, [, probe]: [string, string]): Promise<void> => {
      probes.push(probe);
      return Promise.resolve();
    },
  };
  return { pool: pool as unknown as Pool, connections, probes };
}

describe('A listener for notices', () => {
  let listener: PostgresListener;
  const listenOn = (pool: Pool): void => {
    listener = new PostgresListener(pool, { retryAfterMs: RETRY_MS, probeEveryMs: PROBE_MS });
    listener.listen('weir_one', () => undefined);
  };
  const afterRetry = async (): Promise<void> => {
    mock.timers.tick(RETRY_MS);
    await turn();
  };

  beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'setInterval'] }));
  afterEach(() => mock.timers.reset());

  it('opens one connection after a loss during LISTEN, and its close releases every connection', async () => {
    const { pool, connections } = poolOf();
    listenOn(pool);
    await turn();
    connections[0]?.break();
    await turn();
    await afterRetry();
    await afterRetry();
    expect(connections.length).toBe(2);
    await listener.close();
    expect(connections.map(({ releases }) => releases)).toEqual([1, 1]);
  });

  it('opens one connection after the loss of a connection that was listening', async () => {
    const { pool, connections } = poolOf();
    listenOn(pool);
    await turn();
    connections[0]?.answer();
    await turn();
    connections[0]?.break();
    await turn();
    await afterRetry();
    await afterRetry();
    expect(connections.map(({ releases }) => releases)).toEqual([1, 0]);
    await listener.close();
  });

  it('opens one connection if a channel is added while it waits to reconnect', async () => {
    const { pool, connections } = poolOf();
    listenOn(pool);
    await turn();
    connections[0]?.break();
    await turn();
    listener.listen('weir_two', () => undefined);
    await turn();
    await afterRetry();
    expect(connections.map(({ statements }) => statements)).toEqual([
      ['LISTEN weir_listener_probe; LISTEN weir_one'],
      ['LISTEN weir_listener_probe; LISTEN weir_one; LISTEN weir_two'],
    ]);
    await listener.close();
  });

  it('releases a connection that is still being opened when it is closed, and sends nothing on it', async () => {
    const opened = Promise.withResolvers<void>();
    const { pool, connections } = poolOf(opened.promise);
    listenOn(pool);
    const closed = listener.close();
    opened.resolve();
    await closed;
    expect(connections.map(({ statements, releases }) => ({ statements, releases }))).toEqual([
      { statements: [], releases: 1 },
    ]);
  });

  it('opens no connection after it was closed', async () => {
    const { pool, connections } = poolOf();
    listenOn(pool);
    await turn();
    connections[0]?.break();
    await turn();
    await listener.close();
    await afterRetry();
    listener.listen('weir_two', () => undefined);
    await turn();
    expect(connections.length).toBe(1);
  });

  it('does not wait for a notice to itself that was sent before LISTEN was answered', async () => {
    const { pool, connections, probes } = poolOf();
    listenOn(pool);
    await turn();
    mock.timers.tick(PROBE_MS);
    connections[0]?.answer();
    await turn();
    expect(probes.length).toBe(2);
    connections[0]?.emit('notification', { channel: 'weir_listener_probe', payload: probes[1] });
    expect([listener.isHearing, connections[0]?.releases]).toEqual([true, 0]);
    await listener.close();
  });
});
