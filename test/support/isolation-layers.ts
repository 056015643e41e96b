/**
 * Removes one or both of the two mechanisms that isolate accounts, so that tests show what the remaining one achieves alone. The value
 * names the mechanism that remains:
 *
 * - `database`: statements lose their conditions on the account; only row-level security remains.
 * - `filters`: statements run as the superuser of the tests, to whom row-level security does not apply; only the conditions remain.
 * - `nothing`: both are removed; tests about other accounts must fail.
 *
 * This file imports no source: jest runs it together with the sources, and processes of the built service import it unchanged.
 */
export const WAYS = ['database', 'filters', 'nothing'] as const;

/** The isolation mechanism that remains. */
export type Left = (typeof WAYS)[number];

/** @throws Error for any other text */
export function leftFrom(text: string | null | undefined): Left {
  const left = WAYS.find((way) => way === text);
  if (left === undefined) throw new Error(`the remaining isolation must be one of ${WAYS.join(', ')}`);
  return left;
}

/** A condition on the account, as statements and the ledger's functions write it; the parameter keeps its type. */
const CONDITION =
  /(?:"?\w+"?\.)?"?account_id"? = (\$\d+(?:::uuid)?|\(\w+(?:\.\w+)?->>'account'\)::uuid|k\.account_id)(?![\w.])/g;
/** The same condition on a pair of account and id, with which the ledger extends its reservations. */
const PAIR = /\(\w+\.account_id, (\w+\.id)\) IN \(\s*SELECT \(\w+->>'account'\)::uuid, /g;
/** The same condition on the accounts table itself. */
const ACCOUNT_ITSELF = /(accounts (?:a\b|SET\b)[^;]*?WHERE )(?:a\.)?id = (\$\d+)(?:::uuid)?/;

function withoutConditions(sql: string): string {
  return sql
    .replace(CONDITION, (_, value: string) => `(${value.replace('::uuid', '')}::uuid IS NOT NULL)`)
    .replace(PAIR, '($1) IN (SELECT ')
    .replace(ACCOUNT_ITSELF, '$1($2::uuid IS NOT NULL)');
}

/** Statements that set the scope of a transaction: the runner's, and the EntityManager's. */
const ENTERS = /set_config\('role', '\w+', true\)|set local role "\w+"/;
const ENDS = /^(commit|rollback)/i;

/** Rewrites the statements of one connection. */
class Connection {
  private isInScope = false;
  private readonly withoutFilters: boolean;
  private readonly withoutRoles: boolean;
  private readonly changed: () => void;

  constructor(left: Left, changed: () => void) {
    this.withoutFilters = left !== 'filters';
    this.withoutRoles = left !== 'database';
    this.changed = changed;
  }

  statement(sql: string, alone: boolean): string {
    const enters = ENTERS.test(sql);
    if (enters) this.isInScope = true;
    const isScoped = alone || this.isInScope || /^CREATE (OR REPLACE )?FUNCTION budget_/.test(sql);
    if (ENDS.test(sql)) this.isInScope = false;
    const unfiltered = this.withoutFilters && isScoped && !enters ? withoutConditions(sql) : sql;
    const rewritten = this.withoutRoles ? withoutRole(unfiltered) : unfiltered;
    if (rewritten !== sql) this.changed();
    return rewritten;
  }

  scope(scope: readonly string[]): readonly string[] {
    if (!this.withoutRoles) return scope;
    this.changed();
    return ['none', ...scope.slice(1)];
  }
}

function withoutRole(sql: string): string {
  return sql
    .replace(/set_config\('role', '\w+', true\)/, `set_config('role', 'none', true)`)
    .replace(/set local role "\w+"/, 'set local role none');
}

/** The statements that precede a statement in its transaction. */
type After = readonly { readonly sql: string }[];

interface Sent {
  text?: string;
  scope?: readonly string[];
  after?: After;
}

function changedAfter(connection: Connection, after: After): After {
  return after.map((one) => ({ ...one, sql: connection.statement(one.sql, true) }));
}

type Method = (...all: unknown[]) => unknown;

/** Rewrites the argument of a PostgreSQL client's `query`: a text, a query description, or a query that submits itself. */
function changedQuery(connection: Connection, sent: unknown): unknown {
  if (typeof sent === 'string') return connection.statement(sent, false);
  const query = sent as Sent;
  if (query.text !== undefined) query.text = connection.statement(query.text, query.scope !== undefined);
  if (query.scope !== undefined) query.scope = connection.scope(query.scope);
  if (query.after !== undefined) query.after = changedAfter(connection, query.after);
  return query;
}

function changedRequest(connection: Connection, sent: unknown): unknown {
  const request = sent as { readonly sql?: string; readonly scope?: readonly string[]; readonly after?: After };
  if (request.sql === undefined) return request;
  const { scope, after } = request;
  const sql = connection.statement(request.sql, scope !== undefined);
  return {
    ...{ ...request, sql },
    ...(scope === undefined ? {} : { scope: connection.scope(scope) }),
    ...(after === undefined ? {} : { after: changedAfter(connection, after) }),
  };
}

/** The classes through which the current process sends its statements. */
export interface Ways {
  /** The class of the embedded database. */
  readonly EmbeddedDatabase: { readonly prototype: object };
  /** The driver's pool class. */
  readonly Pool: object;
}

/**
 * From now on the process sends its statements without the removed isolation.
 *
 * @param changed called for every statement that was changed
 */
export function takeAway(left: Left, { EmbeddedDatabase, Pool }: Ways, changed: () => void): void {
  const connections = new WeakMap<object, Connection>();
  const connectionOf = (owner: object): Connection => {
    const connection = connections.get(owner) ?? new Connection(left, changed);
    connections.set(owner, connection);
    return connection;
  };
  /** Replaces a method whose first argument is a statement by one that changes the statement before the call. */
  const before = (owner: object, method: string, change: (connection: Connection, sent: unknown) => unknown): void => {
    const original = Reflect.get(owner, method) as Method;
    Reflect.set(owner, method, function (this: object, sent: unknown, ...rest: unknown[]): unknown {
      return original.call(this, change(connectionOf(this), sent), ...rest);
    });
  };
  before(EmbeddedDatabase.prototype, 'send', changedRequest);
  // Pools of all copies of the driver share one base class, which emits an event for each new client.
  const pool = (Object.getPrototypeOf(Pool) as { prototype: object }).prototype;
  const emit = Reflect.get(pool, 'emit') as Method;
  Reflect.set(pool, 'emit', function (this: object, event: unknown, client: object, ...rest: unknown[]): unknown {
    if (event === 'connect') before(client, 'query', changedQuery);
    return emit.call(this, event, client, ...rest);
  });
}
