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
    /** After a lock timeout: the table of the row that another transaction kept locked; absent if unknown. */
    readonly lockedTable?: string,
  ) {
    super(message);
  }

  /** The code of this error in log lines. */
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
   * True if row-level security or a missing privilege refused the statement: a fault of this service, not of the caller.
   * https://www.postgresql.org/docs/current/errcodes-appendix.html (insufficient_privilege)
   */
  get isForbidden(): boolean {
    return this.sqlState === '42501';
  }

  /** True if the statement timed out waiting for the lock of another session. */
  get isLockTimeout(): boolean {
    return this.sqlState === LOCK_NOT_AVAILABLE;
  }
}

/** The database cannot be reached, is shutting down, has no connection left, or the connection broke mid-statement. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';

  constructor(
    message: string,
    /** The SQLSTATE or Node's own code, if there is one: the code of this error in log lines. */
    readonly code?: string,
  ) {
    super(message);
  }

  /** True if no response arrived in time: the database or the network is stopped. */
  get isSilence(): boolean {
    return this.code === NO_ANSWER;
  }

  /** True if the server cancelled a statement that exceeded its time limit; the statement had no effect. */
  get isEnded(): boolean {
    return this.code === QUERY_CANCELED;
  }

  /**
   * True if no server was available: it cannot be reached, broke the connection, is starting or shutting down, or refuses the login.
   */
  get isAbsence(): boolean {
    const { code } = this;
    if (code === undefined || /^(08|28|3D|57P)/.test(code)) return true;
    return !SQL_STATE.test(code) && code !== NO_ANSWER && code !== NO_CONNECTION;
  }

  /** True if a server, or a pooler in front of it, has answered with this error. */
  get isAnswer(): boolean {
    return this.code !== undefined && SQL_STATE.test(this.code);
  }
}

const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Whether the server cancelled a statement at the requested time: then it has answered, and is not at fault.
 *
 * @param endAfterMs the statement's option, see `QueryOptions`
 */
export function wasEndedAtDeadline(error: unknown, endAfterMs: number | undefined): boolean {
  return endAfterMs !== undefined && error instanceof DatabaseUnavailable && error.isEnded;
}

const QUERY_CANCELED = '57014';
const NO_ANSWER = 'NO_ANSWER';
/** All connections of this process are in use, which is not a fault of the server. */
const NO_CONNECTION = 'NO_CONNECTION';

/** A statement or a connection without an answer before its deadline. It is unknown whether the statement was executed. */
export function noAnswer(): DatabaseUnavailable {
  return new DatabaseUnavailable('the database does not answer', NO_ANSWER);
}

/** The database is available but not usable in its present state: the message says what to change. */
export class DatabaseUnusable extends Error {
  override readonly name = 'DatabaseUnusable';
}

/**
 * SQLSTATEs of an outage, regardless of the statement: connection exceptions (08), an unknown login or database (28, 3D), insufficient
 * resources (53), operator intervention such as shutdown or a cancelled statement (57), system errors (58), and internal errors (XX). A
 * read-only server (25006) has become a standby, and another one is the primary now.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const UNAVAILABLE_STATE = /^(08|25006|28|3D|53|57|58|XX)/;
/** SQLSTATE of a limit that a statement exceeds. A server without free transaction ids reports it as well, and then all statements fail. */
const LIMIT_EXCEEDED = '54000';
/** The functions of PostgreSQL that assign ids; unlike the message, the name is the same in every language. */
const ASSIGNS_IDS: ReadonlySet<string> = new Set(['GetNewTransactionId', 'GetNewMultiXactId']);
/** Excludes Node's own codes, such as EPIPE: no SQLSTATE begins with E. */
const SQL_STATE = /^[0-9A-DF-Z][0-9A-Z]{4}$/;

/** Converts any error of a driver into one of the two classes. */
export function toDatabaseError(error: unknown): DatabaseError | DatabaseUnavailable {
  if (error instanceof DatabaseError || error instanceof DatabaseUnavailable) {
    return error;
  }
  const { code, name, message, constraint, where, routine = '' } = describe(error);
  if (code === undefined || !SQL_STATE.test(code)) {
    return new DatabaseUnavailable(`the database cannot be reached (${code ?? name})`, code);
  }
  if (UNAVAILABLE_STATE.test(code) || (code === LIMIT_EXCEEDED && ASSIGNS_IDS.has(routine))) {
    const why = code.startsWith('28')
      ? 'refuses the login'
      : code.startsWith('3D')
        ? 'does not exist on its server'
        : 'cannot answer';
    return new DatabaseUnavailable(`the database ${why} (SQLSTATE ${code})`, code);
  }
  return new DatabaseError(
    code,
    code.startsWith('22') ? `the data was refused (SQLSTATE ${code})` : message,
    constraint,
    code === LOCK_NOT_AVAILABLE ? tableIn(where) : undefined,
  );
}

/**
 * The table named in the first line of an error's context: `while inserting index tuple (0,1) in relation "events"`, possibly translated.
 * Nothing else of the context is used, because it may quote values.
 */
function tableIn(where: string | undefined): string | undefined {
  return /^[^\n"«»„“”「『]*["«»„“”「『]\s*(\w+)\s*["«»“”」』]/.exec(where ?? '')?.[1];
}

function describe(error: unknown): {
  code?: string;
  name: string;
  message: string;
  constraint?: string;
  where?: string;
  routine?: string;
} {
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
    where: read('where'),
    routine: read('routine'),
  };
}
