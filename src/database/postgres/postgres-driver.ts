import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg';
import {
  DatabaseError,
  DatabaseUnavailable,
  noAnswer,
  toDatabaseError,
  wasEndedAtDeadline,
} from '../database-error.js';
import type { DatabaseFigures } from '../database-figures.js';
import { within } from '../deadline.js';
import type { ScopeParameters } from '../isolation/scope.js';
import type { SqlDriver, SqlStatement } from '../scoped-sessions.js';
import type { SqlParameter, SqlRow } from '../sql-runner.js';
import type { ConnectionDeadlines, WithDeadline } from './connection-deadlines.js';
import { noneFree, type ConnectionGate } from './connection-gate.js';
import { scopedQueryOf } from './scoped-query.js';

/** The error code for a statement that was not sent, because waiting for a connection took too long. */
export const NOT_ASKED = 'NOT_ASKED';

/**
 * SQLSTATEs of a connection whose prepared statements are not those that the driver remembers, for example because a pooler has reset the
 * session: missing (26000), existing (42P05), or with other columns since a table was changed (0A000). They would fail for ever.
 */
const OUT_OF_STEP: ReadonlySet<string> = new Set(['26000', '42P05', '0A000']);

/** Runs SQL on a pool of PostgreSQL connections, the same pool that the EntityManager uses. */
export class PostgresDriver implements SqlDriver {
  private readonly ScopedQuery: ReturnType<typeof scopedQueryOf>;

  constructor(
    private readonly pool: Pool,
    private readonly deadlines: ConnectionDeadlines,
    private readonly figures: DatabaseFigures,
    /** Called when a connection is free; returns whether the server may still be used. */
    private readonly mayBeAsked: () => boolean = () => true,
    /** Passed by statements without a deadline of their own, for which no call waits. */
    private readonly gate?: ConnectionGate,
  ) {
    this.ScopedQuery = scopedQueryOf(pool);
  }

  async run(statement: SqlStatement, scope?: ScopeParameters): Promise<SqlRow[]> {
    return this.onConnection(statement, (client) =>
      scope === undefined
        ? this.execute(client, statement)
        : this.figures.running(this.runInScope(client, statement, scope), (error) =>
            wasEndedAtDeadline(this.known(client, error), statement.endAfterMs) ? 'ended' : 'failed',
          ),
    );
  }

  /**
   * Sends a statement, after idle silent connections were closed. Without an answer, other statements that have waited as long also
   * fail, regardless of their deadlines.
   *
   * @throws DatabaseUnavailable
   */
  async answers(deadlineMs: number): Promise<void> {
    this.deadlines.dropIdle();
    try {
      await this.run({ sql: 'SELECT 1', parameters: [], deadlineMs });
    } catch (error) {
      const sinceMs = performance.now() - deadlineMs;
      this.deadlines.close(this.deadlines.openStatements(sinceMs));
      this.deadlines.dropOpening(sinceMs);
      throw error;
    }
  }

  async inTransaction<T>(
    opening: SqlStatement,
    work: (execute: (statement: SqlStatement) => Promise<SqlRow[]>) => Promise<T>,
  ): Promise<T> {
    const { deadlineMs } = opening;
    const ending = (sql: string): SqlStatement => ({ ...opening, sql });
    const client = await this.connect(deadlineMs);
    let broken: Error | undefined;
    try {
      await this.execute(client, opening);
      const result = await work((statement) => this.execute(client, statement));
      await this.execute(client, ending('COMMIT'));
      return result;
    } catch (error) {
      // A connection that cannot roll back is discarded: the server then rolls back automatically.
      broken = await this.execute(client, ending('ROLLBACK')).then(
        () => outOfStep(error),
        (reason: unknown) => (reason instanceof Error ? reason : new Error('rollback failed')),
      );
      throw error;
    } finally {
      this.release(client, deadlineMs, broken);
    }
  }

  /**
   * Discards the connection of an unanswered statement, unless the database cancelled the statement as requested, and a connection that has
   * lost its prepared statements.
   */
  private async onConnection(
    { deadlineMs, endAfterMs }: SqlStatement,
    work: (client: PoolClient) => Promise<SqlRow[]>,
  ): Promise<SqlRow[]> {
    const client = await this.connect(deadlineMs);
    let failure: Error | undefined;
    try {
      return await work(client);
    } catch (error) {
      const known = this.known(client, error);
      const isUnanswered = known instanceof DatabaseUnavailable && !wasEndedAtDeadline(known, endAfterMs);
      failure = isUnanswered ? known : outOfStep(known);
      throw known;
    } finally {
      this.release(client, deadlineMs, failure);
    }
  }

  private runInScope(client: PoolClient, statement: SqlStatement, scope: ScopeParameters): Promise<SqlRow[]> {
    return new Promise((resolve, reject) => {
      const answered = (error: Error | null | undefined, result: QueryResult): void => {
        if (error === null || error === undefined) resolve(result.rows as SqlRow[]);
        else reject(error);
      };
      const { deadlineMs } = statement;
      const query = new this.ScopedQuery(queryConfig(statement), scope, answered, statement);
      client.query(deadlineMs === undefined ? query : Object.assign(query, { deadlineMs }));
    });
  }

  private async execute(client: PoolClient, statement: SqlStatement): Promise<SqlRow[]> {
    try {
      return (await this.figures.running(client.query<SqlRow>(queryConfig(statement)))).rows;
    } catch (error) {
      throw this.known(client, error);
    }
  }

  private known(client: PoolClient, error: unknown): DatabaseError | DatabaseUnavailable {
    return this.deadlines.hasMissed(client) ? noAnswer() : toDatabaseError(error);
  }

  private async connect(deadlineMs: number | undefined): Promise<PoolClient> {
    const gate = this.gateFor(deadlineMs);
    // The waits at the gate and for the pool are measured as one.
    const client = await this.figures.waiting(gate === undefined ? this.free(deadlineMs) : this.inTurn(gate));
    if (this.mayBeAsked()) return client;
    this.release(client, deadlineMs);
    throw new DatabaseUnavailable('no further statements are sent to the database', NOT_ASKED);
  }

  private async inTurn(gate: ConnectionGate): Promise<PoolClient> {
    if (!gate.enterNow()) await gate.turn();
    try {
      return await this.free(undefined);
    } catch (error) {
      gate.leave();
      throw error;
    }
  }

  /** @param broken discards the connection */
  private release(client: PoolClient, deadlineMs: number | undefined, broken?: Error): void {
    // The next one continues in a later microtask, when the connection is free.
    this.gateFor(deadlineMs)?.leave();
    client.release(broken);
  }

  private gateFor(deadlineMs: number | undefined): ConnectionGate | undefined {
    return deadlineMs === undefined ? this.gate : undefined;
  }

  private async free(deadlineMs: number | undefined): Promise<PoolClient> {
    // The pool passes an idle connection on before any event is handled, so a deadline would only cost a timer. If the connection is lost
    // until then, the pool's own limit for a new connection ends the wait.
    const isIdle = this.pool.idleCount > this.pool.waitingCount;
    const connecting = this.pool.connect();
    try {
      return await (isIdle ? connecting : within(deadlineMs, connecting));
    } catch (error) {
      connecting.then(
        (late) => late.release(),
        () => undefined,
      );
      throw this.isBusy ? noneFree() : toDatabaseError(error);
    }
  }

  /** Whether all connections are open and in use: then the database is not the cause of the wait. */
  private get isBusy(): boolean {
    return this.pool.idleCount === 0 && this.deadlines.openCount >= this.pool.options.max;
  }
}

/** The error, if the connection on which it occurred cannot be used any more. */
function outOfStep(error: unknown): DatabaseError | undefined {
  return error instanceof DatabaseError && OUT_OF_STEP.has(error.sqlState) ? error : undefined;
}

function queryConfig({ sql, parameters, prepareAs, deadlineMs }: SqlStatement): QueryConfig & WithDeadline {
  return {
    text: sql,
    values: parameters.map(toDriverValue),
    ...(prepareAs === undefined ? {} : { name: prepareAs }),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  };
}

/** `pg` sends a Buffer as bytea, but other byte arrays as JSON. */
function toDriverValue(value: SqlParameter): unknown {
  return value instanceof Uint8Array && !Buffer.isBuffer(value) ? Buffer.from(value) : value;
}
