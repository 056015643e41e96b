import type { Pool, PoolClient } from 'pg';
import { toDatabaseError } from '../database-error.js';
import type { QueryOptions, SqlExecutor, SqlParameter, SqlRow, SqlRunner } from '../sql-runner.js';

/** `SqlRunner` on a pool of PostgreSQL connections, the same pool that the EntityManager uses. */
export class PostgresRunner implements SqlRunner {
  constructor(private readonly pool: Pool) {}

  query<Row extends SqlRow = SqlRow>(
    sql: string,
    parameters: readonly SqlParameter[] = [],
    options: QueryOptions = {},
  ): Promise<Row[]> {
    return run<Row>(this.pool, sql, parameters, options);
  }

  async transaction<T>(work: (transaction: SqlExecutor) => Promise<T>): Promise<T> {
    const client = await this.connect();
    let broken: Error | undefined;
    try {
      await run(client, 'BEGIN');
      const result = await work({ query: (sql, parameters, options) => run(client, sql, parameters, options) });
      await run(client, 'COMMIT');
      return result;
    } catch (error) {
      // A connection that cannot roll back is thrown away: the server then rolls back by itself.
      broken = await run(client, 'ROLLBACK').then(
        () => undefined,
        (reason: unknown) => (reason instanceof Error ? reason : new Error('rollback failed')),
      );
      throw error;
    } finally {
      client.release(broken);
    }
  }

  private async connect(): Promise<PoolClient> {
    try {
      return await this.pool.connect();
    } catch (error) {
      throw toDatabaseError(error);
    }
  }
}

async function run<Row extends SqlRow>(
  target: Pool | PoolClient,
  sql: string,
  parameters: readonly SqlParameter[] = [],
  options: QueryOptions = {},
): Promise<Row[]> {
  try {
    const result = await target.query<Row>({
      text: sql,
      values: parameters.map(toDriverValue),
      ...(options.prepareAs === undefined ? {} : { name: options.prepareAs }),
    });
    return result.rows;
  } catch (error) {
    throw toDatabaseError(error);
  }
}

/** `pg` sends a Buffer as bytea and takes other byte arrays for JSON. */
function toDriverValue(value: SqlParameter): unknown {
  return value instanceof Uint8Array && !Buffer.isBuffer(value) ? Buffer.from(value) : value;
}
