/**
 * Deadlines of statements on the client's side. PostgreSQL's own `statement_timeout` ends a slow statement; it cannot help if no answer
 * arrives at all: a stopped server, or a network that drops the packets of one connection. A connection that misses a deadline is closed,
 * so nothing is ever read from it again.
 */
import type { Pool, PoolClient } from 'pg';
import type { DefaultDeadline } from '../default-deadline.js';

/** What a statement may carry: how long it may take, in milliseconds. */
export interface WithDeadline {
  readonly deadlineMs?: number;
}

/** The parts of the driver's connection that are used here; its types do not tell of them. */
interface WireClient {
  /** The process of the server that serves this connection, or what a pooler says instead. */
  readonly processID: number | null;
  readonly connection: {
    readonly stream: { destroy(): void };
    on(event: 'readyForQuery' | 'end', heard: () => void): void;
  };
  query(...parameters: unknown[]): unknown;
}

type WireClientClass = new (...parameters: unknown[]) => WireClient;

interface Watched {
  timer?: NodeJS.Timeout;
  /** Monotonic milliseconds: when the statement was sent that has not been answered yet. */
  sentMs?: number;
  /** Monotonic milliseconds: when the database last said that it is ready; absent until it has let the connection in. */
  answeredMs?: number;
  readonly openedMs: number;
  hasMissed: boolean;
}

/** A statement that has not been answered yet. */
export interface OpenStatement {
  readonly client: object;
  readonly processId: number;
  readonly sentMs: number;
}

export interface DeadlineOptions {
  /** For statements that carry none; while it is suspended, no statement has a deadline. */
  readonly byDefault: DefaultDeadline;
  /** After this time without an answer, `onLong` is called, once for each statement. */
  readonly longMs: number;
  readonly onLong: () => void;
  /** Called for each missed deadline. @param sentMs monotonic milliseconds: when the statement was sent */
  readonly onMissed: (sentMs: number) => void;
}

export class ConnectionDeadlines {
  private readonly open = new Set<WireClient>();
  private readonly states = new WeakMap<object, Watched>();
  private readonly idle = new Set<unknown>();

  private constructor(private readonly options: DeadlineOptions) {}

  /**
   * Gives every connection that the pool opens from now on a deadline for each statement.
   */
  static of(pool: Pool, options: DeadlineOptions): ConnectionDeadlines {
    const deadlines = new ConnectionDeadlines(options);
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

  /** Closes idle connections that have been silent since: they may share the fault. */
  dropIdle(sinceMs = performance.now()): void {
    for (const client of this.open) {
      const answeredMs = this.states.get(client)?.answeredMs ?? 0;
      if (this.idle.has(client) && answeredMs < sinceMs) client.connection.stream.destroy();
    }
  }

  /** Statements without an answer that were sent by then, except those that may take as long as they take. */
  openStatements(sentByMs: number): OpenStatement[] {
    return [...this.open].flatMap((client) => {
      const { sentMs = Infinity } = this.states.get(client) ?? {};
      return sentMs > sentByMs ? [] : [{ client, processId: client.processID ?? 0, sentMs }];
    });
  }

  /** Closes the connections of those statements that are still not answered: they fail as if they had missed their deadlines. */
  close(statements: readonly OpenStatement[]): void {
    const sent = new Map(statements.map(({ client, sentMs }) => [client, sentMs]));
    for (const client of this.open)
      if (sent.get(client) === (this.states.get(client)?.sentMs ?? NaN)) this.dropClient(client);
  }

  /** The server did not answer something else. @param sentMs monotonic milliseconds: when it was sent */
  report(sentMs: number): void {
    this.options.onMissed(sentMs);
  }

  /** Closes one connection at once. */
  drop(closed: object): void {
    for (const client of this.open) if (client === closed) this.dropClient(client);
  }

  /** Closes connections that were being opened at that time and have not been let in yet. */
  dropOpening(openedByMs: number): void {
    for (const client of this.open) {
      const watched = this.states.get(client);
      if (watched?.answeredMs === undefined && (watched?.openedMs ?? Infinity) <= openedByMs) this.dropClient(client);
    }
  }

  /** Closes all connections: whatever is being asked on them fails as what has missed its deadline. */
  dropAll(): void {
    for (const client of this.open) this.dropClient(client);
  }

  private dropClient(client: WireClient): void {
    const watched = this.states.get(client);
    if (watched !== undefined) watched.hasMissed = true;
    client.connection.stream.destroy();
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
    const watched: Watched = { hasMissed: false, openedMs: performance.now() };
    this.open.add(client);
    this.states.set(client, watched);
    client.connection.on('readyForQuery', () => {
      clearTimeout(watched.timer);
      delete watched.sentMs;
      watched.answeredMs = performance.now();
    });
    client.connection.on('end', () => {
      clearTimeout(watched.timer);
      delete watched.sentMs;
      this.idle.delete(client);
      this.open.delete(client);
    });
  }

  private begin(client: WireClient, statement: unknown): void {
    const watched = this.states.get(client);
    const { byDefault, longMs, onLong } = this.options;
    const defaultMs = byDefault.ms;
    if (watched === undefined || defaultMs === undefined) return;
    clearTimeout(watched.timer);
    const sentMs = performance.now();
    watched.sentMs = sentMs;
    const missed = (): void => this.miss(client, watched, sentMs);
    const deadlineMs = deadlineOf(statement) ?? defaultMs;
    if (deadlineMs <= longMs) {
      watched.timer = setTimeout(missed, deadlineMs).unref();
      return;
    }
    const becameLong = (): void => {
      watched.timer = setTimeout(missed, deadlineMs - longMs).unref();
      onLong();
    };
    watched.timer = setTimeout(becameLong, longMs).unref();
  }

  private miss(client: WireClient, watched: Watched, sentMs: number): void {
    watched.hasMissed = true;
    client.connection.stream.destroy();
    this.dropIdle();
    this.options.onMissed(sentMs);
  }
}

function deadlineOf(statement: unknown): number | undefined {
  if (typeof statement !== 'object' || statement === null) return undefined;
  const ms: unknown = Reflect.get(statement, 'deadlineMs');
  return typeof ms === 'number' ? ms : undefined;
}
