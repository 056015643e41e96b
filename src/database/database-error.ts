/**
 * The two ways in which a statement can fail: the database refuses it, or the database is unavailable. Callers choose between a refusal
 * and an outage by the class alone. Neither contains parameter values: PostgreSQL's `detail`, `where` and the messages of data exceptions
 * quote them, so they are removed here.
 */

/** The database refused the statement. `sqlState` is PostgreSQL's five-character code. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';

  constructor(
    readonly sqlState: string,
    message: string,
    readonly constraint?: string,
  ) {
    super(message);
  }

  /** What a log line tells of this error. */
  get code(): string {
    return this.sqlState;
  }

  /** True when the data itself was refused (classes 22 and 23, and 54: a limit of the server was exceeded). */
  get isDataError(): boolean {
    return /^(22|23|54)/.test(this.sqlState);
  }

  /** True when running the same statement again may succeed: deadlock, serialization failure. */
  get isTransient(): boolean {
    return this.sqlState === '40P01' || this.sqlState === '40001';
  }

  /**
   * True when row-level security or a missing right refused the statement: a fault of this service, whoever asked.
   * https://www.postgresql.org/docs/current/errcodes-appendix.html (insufficient_privilege)
   */
  get isForbidden(): boolean {
    return this.sqlState === '42501';
  }

  /** True when the statement gave up waiting for somebody else's lock. */
  get isLockTimeout(): boolean {
    return this.sqlState === '55P03';
  }
}

/** The database cannot be reached, is shutting down, has no connection left, or the connection broke mid-statement. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';

  constructor(
    message: string,
    /** The SQLSTATE or Node's own code, when there was one: what a log line tells of this error. */
    readonly code?: string,
  ) {
    super(message);
  }

  /** True when nothing came back in time: the database, or the way to it, is stopped. */
  get isSilence(): boolean {
    return this.code === NO_ANSWER;
  }

  /** True when the server ended a statement that took longer than it may; it did nothing. */
  get isEnded(): boolean {
    return this.code === QUERY_CANCELED;
  }

  /**
   * True when no server was there to ask: it cannot be reached, broke the connection, is starting or shutting down, or does not let
   * the service in.
   */
  get isAbsence(): boolean {
    const { code } = this;
    if (code === undefined || /^(08|28|3D|57P)/.test(code)) return true;
    return !SQL_STATE.test(code) && code !== NO_ANSWER && code !== NO_CONNECTION;
  }
}

/**
 * Whether the server ended a statement because it was told to: then it has answered, and nothing is wrong with it.
 *
 * @param endAfterMs what the statement was sent with, see `QueryOptions`
 */
export function wasEndedAsAsked(error: unknown, endAfterMs: number | undefined): boolean {
  return endAfterMs !== undefined && error instanceof DatabaseUnavailable && error.isEnded;
}

const QUERY_CANCELED = '57014';
const NO_ANSWER = 'NO_ANSWER';
/** All connections of this process are in use, which says nothing of the server. */
const NO_CONNECTION = 'NO_CONNECTION';

/** A statement, or a connection, that got no answer before its deadline. Whether it was carried out is not known. */
export function noAnswer(): DatabaseUnavailable {
  return new DatabaseUnavailable('the database does not answer', NO_ANSWER);
}

/** The database is there but may not be used as it is: the message says what to change. */
export class DatabaseUnusable extends Error {
  override readonly name = 'DatabaseUnusable';
}

/**
 * SQLSTATEs that mean "not now" whatever was sent: connection exceptions (08), a login or a database that is not known (28, 3D),
 * insufficient resources (53), operator intervention such as shutdown or a cancelled statement (57), system errors (58), and XX, an
 * internal error. A server that
 * takes no writes (25006) has become a standby, and another one is the primary now.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const UNAVAILABLE_STATE = /^(08|25006|28|3D|53|57|58|XX)/;
/** Node's own codes, such as EPIPE, are no SQLSTATEs: no class of those starts with E. */
const SQL_STATE = /^[0-9A-DF-Z][0-9A-Z]{4}$/;

/** Turns whatever a driver threw into one of the two classes. */
export function toDatabaseError(error: unknown): DatabaseError | DatabaseUnavailable {
  if (error instanceof DatabaseError || error instanceof DatabaseUnavailable) {
    return error;
  }
  const { code, name, message, constraint } = describe(error);
  if (code === undefined || !SQL_STATE.test(code)) {
    return new DatabaseUnavailable(`the database cannot be reached (${code ?? name})`, code);
  }
  if (UNAVAILABLE_STATE.test(code)) {
    const why = code.startsWith('28')
      ? 'refuses the login'
      : code.startsWith('3D')
        ? 'is not on its server'
        : 'cannot answer';
    return new DatabaseUnavailable(`the database ${why} (SQLSTATE ${code})`, code);
  }
  return new DatabaseError(
    code,
    code.startsWith('22') ? `the data was refused (SQLSTATE ${code})` : message,
    constraint,
  );
}

function describe(error: unknown): { code?: string; name: string; message: string; constraint?: string } {
  if (typeof error !== 'object' || error === null) {
    return { name: 'unknown', message: 'unknown error' };
  }
  const read = (key: string): string | undefined => {
    const value: unknown = Reflect.get(error, key);
    return typeof value === 'string' ? value : undefined;
  };
  return {
    code: read('code'),
    name: read('name') ?? 'unknown',
    message: read('message') ?? 'unknown error',
    constraint: read('constraint'),
  };
}
