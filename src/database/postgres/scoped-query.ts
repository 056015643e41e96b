/**
 * A statement with its scope and the statements before it, sent as one message. PostgreSQL treats everything up to `Sync` as one
 * transaction, so the scope ends with the statement, it is stored completely or not at all, and it costs one round trip.
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 */
import type { Pool, Query, QueryConfig, QueryResult } from 'pg';
import type { PrecedingStatement, QueryOptions } from '../sql-runner.js';
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
  close(message: { type: 'S'; name: string }): void;
}

/** The parts of the driver's query that are overridden here; its types do not include them. */
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

/** The state of a statement on a connection: prepared, or in doubt after an error while it was sent. */
type Preparation = 'prepared' | 'in doubt';

/** The states of preceding statements by name, for each connection. Not stored in the connection, which belongs to the driver. */
const prepared = new WeakMap<WireConnection, Map<string, Preparation>>();

function preparedOn(connection: WireConnection): Map<string, Preparation> {
  const known = prepared.get(connection) ?? new Map<string, Preparation>();
  prepared.set(connection, known);
  return known;
}

function runPrepared(connection: WireConnection, name: string, text: string, values: readonly string[]): void {
  const known = preparedOn(connection);
  const state = known.get(name);
  if (state !== 'prepared') {
    // Closing a statement that does not exist is not an error.
    if (state === 'in doubt') connection.close({ type: 'S', name });
    known.set(name, 'prepared');
    connection.parse({ name, text });
  }
  connection.bind({ statement: name, values });
  connection.execute({});
}

/** The driver manages names of statements itself, so preceding statements use separate names. */
const nameOf = ({ prepareAs }: PrecedingStatement): string => `before-${prepareAs}`;

/**
 * The class of scoped statements for a pool: derived from the pool's own driver, since the EntityManager may use another version of the
 * driver than this package.
 */
export function scopedQueryOf(pool: Pool) {
  const { Query: BaseQuery } = (pool as Pool & { readonly Client: { readonly Query: QueryClass } }).Client;

  return class ScopedQuery extends BaseQuery {
    /** The number of results expected before its own: of the scope, and of the preceding statements. */
    toCome: number;
    isNew = false;
    readonly endAfterMs: number | undefined;
    readonly after: readonly PrecedingStatement[];

    /** @param options the statement's options that the driver does not support */
    constructor(
      config: QueryConfig,
      readonly scope: ScopeParameters,
      answered: Answered,
      { endAfterMs, after = [] }: Pick<QueryOptions, 'endAfterMs' | 'after'> = {},
    ) {
      super({ ...config, queryMode: 'extended' }, undefined, answered);
      this.endAfterMs = endAfterMs;
      this.after = after;
      this.toCome = 1 + after.length;
    }

    override prepare(connection: WireConnection): void {
      if (this.endAfterMs === undefined) runPrepared(connection, ENTER_SCOPE_NAME, ENTER_SCOPE, this.scope);
      else {
        const values = [...this.scope, String(this.endAfterMs)];
        runPrepared(connection, ENTER_SCOPE_WITHIN_NAME, ENTER_SCOPE_WITHIN, values);
      }
      for (const one of this.after) runPrepared(connection, nameOf(one), one.sql, one.parameters);
      this.isNew = this.name !== undefined && connection.parsedStatements[this.name] === undefined;
      super.prepare(connection);
    }

    override handleDataRow(message: unknown): void {
      if (this.toCome === 0) super.handleDataRow(message);
    }

    override handleCommandComplete(message: unknown, connection: WireConnection): void {
      if (this.toCome === 0) {
        super.handleCommandComplete(message, connection);
        return;
      }
      this.toCome -= 1;
      if (this.toCome === 0) this.forgetParsed(connection);
    }

    override handleError(error: Error, connection: WireConnection): void {
      if (this.toCome > 0) this.forgetParsed(connection);
      for (const one of this.after) preparedOn(connection).set(nameOf(one), 'in doubt');
      super.handleError(error, connection);
    }

    /** The driver stores every parsed statement under this query's name; so far, only the scope's was parsed. */
    forgetParsed(connection: WireConnection): void {
      if (this.isNew && this.name !== undefined) connection.parsedStatements[this.name] = undefined;
    }
  };
}
