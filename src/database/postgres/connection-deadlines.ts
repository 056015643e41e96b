/**
 * Deadlines of statements on the client's side. PostgreSQL's own `statement_timeout` ends a slow statement; it cannot help if no answer
 * arrives at all: a stopped server, or a network that drops the packets of one connection. A connection that misses a deadline is closed,
 * so nothing is ever read from it again.
 */
import type { Pool, PoolClient } from 'pg';

/** What a statement may carry: how long it may take, in milliseconds. */
export interface WithDeadline {
  readonly deadlineMs?: number;
}

/** The parts of the driver's connection that are used here; its types do not tell of them. */
interface WireClient {
  readonly connection: {
    readonly stream: { destroy(): void };
    on(event: 'readyForQuery' | 'end', heard: () => void): void;
  };
  query(...parameters: unknown[]): unknown;
}

type WireClientClass = new (...parameters: unknown[]) => WireClient;

interface Watched {
  timer?: NodeJS.Timeout;
  /** Monotonic milliseconds: when the database last said that it is ready; absent until it has let the connection in. */
  answeredMs?: number;
  hasMissed: boolean;
}

export class ConnectionDeadlines {
  private readonly open = new Set<WireClient>();
  private readonly states = new WeakMap<object, Watched>();
  private readonly idle = new Set<unknown>();
  private suspended = 0;

  private constructor(
    private readonly defaultMs: number,
    private readonly onMissed: (sentMs: number) => void,
  ) {}

  /**
   * Gives every connection that the pool opens from now on a deadline for each statement.
   *
   * @param defaultMs for statements that carry none
   * @param onMissed told of each one that was missed, when it was sent
   */
  static of(pool: Pool, defaultMs: number, onMissed: (sentMs: number) => void): ConnectionDeadlines {
    const deadlines = new ConnectionDeadlines(defaultMs, onMissed);
    const opening = pool as Pool & { Client: WireClientClass };
    opening.Client = deadlines.watching(opening.Client);
    pool.on('acquire', (client) => deadlines.idle.delete(client));
    pool.on('release', (_error, client) => deadlines.idle.add(client));
    pool.on('remove', (client) => deadlines.idle.delete(client));
    return deadlines;
  }

  /** Whether the connection was closed because the database did not answer on it in time. */
  hasMissed(client: PoolClient): boolean {
    return this.states.get(client)?.hasMissed ?? false;
  }

  /** Connections that the database has let in. */
  get openCount(): number {
    return [...this.open].filter((client) => this.states.get(client)?.answeredMs !== undefined).length;
  }

  /** No deadline holds while `work` runs: migrations take as long as they take. */
  async without<T>(work: () => Promise<T>): Promise<T> {
    this.suspended += 1;
    try {
      return await work();
    } finally {
      this.suspended -= 1;
    }
  }

  /** Closes idle connections that have been silent since: they may share the fault. */
  dropIdle(sinceMs = performance.now()): void {
    for (const client of this.open) {
      const answeredMs = this.states.get(client)?.answeredMs ?? 0;
      if (this.idle.has(client) && answeredMs < sinceMs) client.connection.stream.destroy();
    }
  }

  /** Closes all connections: whatever is being asked on them fails as what has missed its deadline. */
  dropAll(): void {
    for (const client of this.open) {
      const watched = this.states.get(client);
      if (watched !== undefined) watched.hasMissed = true;
      client.connection.stream.destroy();
    }
  }

  private watching(Client: WireClientClass): WireClientClass {
    const opened = (client: WireClient): void => this.watch(client);
    const asked = (client: WireClient, statement: unknown): void => this.begin(client, statement);
    return class extends Client {
      constructor(...parameters: unknown[]) {
        super(...parameters);
        opened(this);
      }

      override query(...parameters: unknown[]): unknown {
        asked(this, parameters[0]);
        return super.query(...parameters);
      }
    };
  }

  private watch(client: WireClient): void {
    const watched: Watched = { hasMissed: false };
    this.open.add(client);
    this.states.set(client, watched);
    client.connection.on('readyForQuery', () => {
      clearTimeout(watched.timer);
      watched.answeredMs = performance.now();
    });
    client.connection.on('end', () => {
      clearTimeout(watched.timer);
      this.idle.delete(client);
      this.open.delete(client);
    });
  }

  private begin(client: WireClient, statement: unknown): void {
    const watched = this.states.get(client);
    if (watched === undefined || this.suspended > 0) return;
    clearTimeout(watched.timer);
    const sentMs = performance.now();
    const missed = (): void => this.miss(client, watched, sentMs);
    watched.timer = setTimeout(missed, deadlineOf(statement) ?? this.defaultMs).unref();
  }

  private miss(client: WireClient, watched: Watched, sentMs: number): void {
    watched.hasMissed = true;
    client.connection.stream.destroy();
    this.dropIdle();
    this.onMissed(sentMs);
  }
}

function deadlineOf(statement: unknown): number | undefined {
  if (typeof statement !== 'object' || statement === null) return undefined;
  const ms: unknown = Reflect.get(statement, 'deadlineMs');
  return typeof ms === 'number' ? ms : undefined;
}
