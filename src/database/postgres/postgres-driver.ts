import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg';
import { toDatabaseError } from '../database-error.js';
import type { ScopeParameters } from '../isolation/scope.js';
import type { SqlDriver, SqlStatement } from '../scoped-sessions.js';
import type { SqlParameter, SqlRow } from '../sql-runner.js';
import { scopedQueryOf } from './scoped-query.js';

/** Runs SQL on a pool of PostgreSQL connections, the same pool that the EntityManager uses. */
export class PostgresDriver implements SqlDriver {
  private readonly ScopedQuery: ReturnType<typeof scopedQueryOf>;

  constructor(private readonly pool: Pool) {
    this.ScopedQuery = scopedQueryOf(pool);
  }

  async run(statement: SqlStatement, scope?: ScopeParameters): Promise<SqlRow[]> {
    return scope === undefined
      ? execute(this.pool, statement)
      : this.onConnection((client) => this.runInScope(client, statement, scope));
  }

  async inTransaction<T>(
    opening: string,
    work: (execute: (statement: SqlStatement) => Promise<SqlRow[]>) => Promise<T>,
  ): Promise<T> {
    const client = await this.connect();
    let broken: Error | undefined;
    try {
      await execute(client, { sql: opening, parameters: [] });
      const result = await work((statement) => execute(client, statement));
      await execute(client, { sql: 'COMMIT', parameters: [] });
      return result;
    } catch (error) {
      // A connection that cannot roll back is thrown away: the server then rolls back by itself.
      broken = await execute(client, { sql: 'ROLLBACK', parameters: [] }).then(
        () => undefined,
        (reason: unknown) => (reason instanceof Error ? reason : new Error('rollback failed')),
      );
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** A connection whose statement the database did not answer is thrown away. */
  private async onConnection(work: (client: PoolClient) => Promise<SqlRow[]>): Promise<SqlRow[]> {
    const client = await this.connect();
    let failure: Error | undefined;
    try {
      return await work(client);
    } catch (error) {
      const known = toDatabaseError(error);
      failure = known.name === 'DatabaseUnavailable' ? known : undefined;
      throw known;
    } finally {
      client.release(failure);
    }
  }

  private runInScope(client: PoolClient, statement: SqlStatement, scope: ScopeParameters): Promise<SqlRow[]> {
    return new Promise((resolve, reject) => {
      const answered = (error: Error | null | undefined, result: QueryResult): void => {
        if (error === null || error === undefined) resolve(result.rows as SqlRow[]);
        else reject(error);
      };
      client.query(new this.ScopedQuery(queryConfig(statement), scope, answered));
    });
  }

  private async connect(): Promise<PoolClient> {
    try {
      return await this.pool.connect();
    } catch (error) {
      throw toDatabaseError(error);
    }
  }
}

async function execute(target: Pool | PoolClient, statement: SqlStatement): Promise<SqlRow[]> {
  try {
    return (await target.query<SqlRow>(queryConfig(statement))).rows;
  } catch (error) {
    throw toDatabaseError(error);
  }
}

function queryConfig({ sql, parameters, prepareAs }: SqlStatement): QueryConfig {
  return {
    text: sql,
    values: parameters.map(toDriverValue),
    ...(prepareAs === undefined ? {} : { name: prepareAs }),
  };
}

/** `pg` sends a Buffer as bytea and takes other byte arrays for JSON. */
function toDriverValue(value: SqlParameter): unknown {
  return value instanceof Uint8Array && !Buffer.isBuffer(value) ? Buffer.from(value) : value;
}
