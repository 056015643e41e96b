/**
 * Deadlines of statements on the client's side. PostgreSQL's own `statement_timeout` ends a slow statement; it cannot help if no answer
 * arrives at all, because the server is stopped or a network drops the packets of one connection. A connection that misses a deadline
 * is closed, so nothing is ever read from it again.
 */
import type { Pool, PoolClient } from 'pg';
import type { DefaultDeadline } from '../default-deadline.js';

/** An optional field of a statement: its deadline in milliseconds. */
export interface WithDeadline {
  readonly deadlineMs?: number;
}

/** The parts of the driver's connection that are used here; its types do not include them. */
interface WireClient {
  /** The id of the server's process for this connection, or the number that a pooler reports instead. */
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
  /** Monotonic milliseconds: when the unanswered statement was sent. */
  sentMs?: number;
  /** Monotonic milliseconds: when the database last reported to be ready; absent before the login has succeeded. */
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
  /** The deadline of statements without their own; while it is suspended, no statement has a deadline. */
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

  /** Adds a deadline for each statement to all connections that the pool opens from now on. */
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

  /** The number of connections with a successful login. */
  get openCount(): number {
    return [...this.open].filter((client) => this.states.get(client)?.answeredMs !== undefined).length;
  }

  /** Closes idle connections without a response since `sinceMs`, because they may have the same fault. */
  dropIdle(sinceMs = performance.now()): void {
    for (const client of this.open) {
      const answeredMs = this.states.get(client)?.answeredMs ?? 0;
      if (this.idle.has(client) && answeredMs < sinceMs) client.connection.stream.destroy();
    }
  }

  /** Unanswered statements that were sent until `sentByMs`, except those without a time limit. */
  openStatements(sentByMs: number): OpenStatement[] {
    return [...this.open].flatMap((client) => {
      const { sentMs = Infinity } = this.states.get(client) ?? {};
      return sentMs > sentByMs ? [] : [{ client, processId: client.processID ?? 0, sentMs }];
    });
  }

  /** Closes the connections of statements that are still unanswered: they fail as if they had missed their deadlines. */
  close(statements: readonly OpenStatement[]): void {
    const sent = new Map(statements.map(({ client, sentMs }) => [client, sentMs]));
    for (const client of this.open)
      if (sent.get(client) === (this.states.get(client)?.sentMs ?? NaN)) this.dropClient(client);
  }

  /** Reports a missed deadline of another kind. @param sentMs monotonic milliseconds: when the unanswered request was sent */
  report(sentMs: number): void {
    this.options.onMissed(sentMs);
  }

  /** Closes one connection at once. */
  drop(closed: object): void {
    for (const client of this.open) if (client === closed) this.dropClient(client);
  }

  /** Closes connections that were being opened at `openedByMs` and are still not logged in. */
  dropOpening(openedByMs: number): void {
    for (const client of this.open) {
      const watched = this.states.get(client);
      if (watched?.answeredMs === undefined && (watched?.openedMs ?? Infinity) <= openedByMs) this.dropClient(client);
    }
  }

  /** Closes all connections: their statements in flight fail as if they had missed their deadlines. */
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
