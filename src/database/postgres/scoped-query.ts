/**
 * A statement and the scope that it runs in, sent as one message. PostgreSQL takes everything up to `Sync` for one
 * transaction, so the scope ends with the statement and costs no round trip.
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 */
import type { Pool, Query, QueryConfig, QueryResult } from 'pg';
import {
  ENTER_SCOPE,
  ENTER_SCOPE_NAME,
  ENTER_SCOPE_WITHIN,
  ENTER_SCOPE_WITHIN_NAME,
  type ScopeParameters,
} from '../isolation/scope.js';

/** The parts of the driver's connection that are used here. */
interface WireConnection {
  readonly parsedStatements: Record<string, string | undefined>;
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: readonly string[] }): void;
  execute(message: object): void;
}

/** The parts of the driver's query that are overridden here; its types do not tell of them. */
interface WireQuery {
  readonly name?: string;
  prepare(connection: WireConnection): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: WireConnection): void;
  handleError(error: Error, connection: WireConnection): void;
}

type Answered = (error: Error | null | undefined, result: QueryResult) => void;

type QueryClass = new (
  config: QueryConfig & { queryMode: 'extended' },
  values: undefined,
  answered: Answered,
) => Query & WireQuery;

/**
 * Names of the statements that enter a scope, by the connections that know them. Kept beside the connection, which belongs to the
 * driver.
 */
const prepared = new WeakMap<WireConnection, Set<string>>();

function enter(connection: WireConnection, name: string, text: string, values: readonly string[]): void {
  const known = prepared.get(connection) ?? new Set();
  prepared.set(connection, known);
  if (!known.has(name)) {
    known.add(name);
    connection.parse({ name, text });
  }
  connection.bind({ statement: name, values });
  connection.execute({});
}

/**
 * The class of such statements for a pool: made of its own driver's, since the EntityManager may bring another version of
 * the driver along than this package has.
 */
export function scopedQueryOf(pool: Pool) {
  const { Query: BaseQuery } = (pool as Pool & { readonly Client: { readonly Query: QueryClass } }).Client;

  return class ScopedQuery extends BaseQuery {
    /** What comes before it answers the scope. */
    isInScope = false;
    isNew = false;

    /** @param endAfterMs the server ends the statement then */
    constructor(
      config: QueryConfig,
      readonly scope: ScopeParameters,
      answered: Answered,
      readonly endAfterMs?: number,
    ) {
      super({ ...config, queryMode: 'extended' }, undefined, answered);
    }

    override prepare(connection: WireConnection): void {
      if (this.endAfterMs === undefined) enter(connection, ENTER_SCOPE_NAME, ENTER_SCOPE, this.scope);
      else {
        const values = [...this.scope, String(this.endAfterMs)];
        enter(connection, ENTER_SCOPE_WITHIN_NAME, ENTER_SCOPE_WITHIN, values);
      }
      this.isNew = this.name !== undefined && connection.parsedStatements[this.name] === undefined;
      super.prepare(connection);
    }

    override handleDataRow(message: unknown): void {
      if (this.isInScope) super.handleDataRow(message);
    }

    override handleCommandComplete(message: unknown, connection: WireConnection): void {
      if (this.isInScope) {
        super.handleCommandComplete(message, connection);
        return;
      }
      this.isInScope = true;
      this.forgetParsed(connection);
    }

    override handleError(error: Error, connection: WireConnection): void {
      if (!this.isInScope) this.forgetParsed(connection);
      super.handleError(error, connection);
    }

    /** The driver notes every parsed statement under this query's name; until now only the scope's was. */
    forgetParsed(connection: WireConnection): void {
      if (this.isNew && this.name !== undefined) connection.parsedStatements[this.name] = undefined;
    }
  };
}
