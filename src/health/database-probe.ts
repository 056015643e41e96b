import { randomInt, randomUUID } from 'node:crypto';
import {
  DatabaseError,
  DatabaseUnavailable,
  READINESS_SLOTS,
  readProbe,
  writeProbe,
  type Database,
  type SqlSession,
} from '../database/index.js';

/** The maximum waiting time of a probe. */
const LIMIT_MS = 2_000;
const ATTEMPTS = 3;

/** Error codes that show the operator what to check. https://www.postgresql.org/docs/current/errcodes-appendix.html */
const REASONS: Readonly<Record<string, string>> = {
  NO_ANSWER: 'does not answer',
  NO_CONNECTION: 'cannot be written: all connections of this server are in use',
  EMFILE: 'cannot be reached: the limit of open files of this server is too low (raise `ulimit -n`)',
  ENFILE: 'cannot be reached: the machine of this server has too many files open',
  '25006': 'is read-only, like a standby',
  '53000': 'has reached its limit of open files (raise `ulimit -n` on its host)',
  '53100': 'has no space left on its disk',
  '53200': 'has no memory left',
  '53300': 'accepts no more connections',
  '54000': 'accepts no changes until it has been vacuumed: its transaction ids are used up',
  '58030': 'cannot read or write its files',
  '28000': 'refuses the login of this server',
  '28P01': 'refuses the password of this server',
  '3D000': 'does not exist on its server',
  '42P01': 'lacks a table: run `weir server migrate`',
  '58P01': 'lacks one of its files',
  XX000: 'reports an internal error',
  XX001: 'is damaged: a page of its data cannot be read',
  XX002: 'is damaged: an index cannot be read',
};

/** Node's own error codes for connections: no SQLSTATE begins with E. */
const NOT_REACHED = /^E[A-Z]{4,}/;

/** Sets the minimum of memory for sorting, and temporary files on the disk of the tables, whatever the server's setting. */
const SORT_ON_DISK = `SELECT set_config('work_mem', '64kB', true), set_config('temp_tablespaces', '', true)`;
/** Sorts more than that memory can hold, which writes a temporary file of a few hundred kilobytes. */
const SORT = `SELECT max(length(filler)) AS longest FROM (
  SELECT n, repeat('x', 200) AS filler FROM generate_series(1, 1000) AS n ORDER BY n DESC OFFSET 0) AS sorted`;

/**
 * Checks whether calls can be recorded now: writes a row and reads it back, on the connections that calls use. An updated row reuses
 * space even on a full disk, so a sort on disk is also run. Damage in the tables of the log is only met by calls: see `DamageWatch`.
 */
export class DatabaseProbe {
  /** Each process uses one row, so that replicas do not wait for each other's locks. */
  private readonly slot = randomInt(READINESS_SLOTS);
  private readonly session: SqlSession;
  private running: Promise<string | undefined> | undefined;

  constructor(private readonly database: Pick<Database, 'callSql' | 'damage'>) {
    this.session = database.callSql.forDuty('watch');
  }

  /**
   * The fault, as the end of a sentence that begins with "the database"; undefined if there is none. Concurrent probes share one check.
   */
  check(): Promise<string | undefined> {
    this.running ??= this.inTime().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async inTime(): Promise<string | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve('does not answer in time'), LIMIT_MS);
    });
    try {
      return await Promise.race([this.writeAndRead(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  private async writeAndRead(): Promise<string | undefined> {
    try {
      if (!(await this.isKept())) return 'does not return data that was just written';
      await this.session.transaction(async (transaction) => {
        await transaction.query(SORT_ON_DISK);
        await transaction.query(SORT);
      });
      const { damage } = this.database;
      return damage === undefined ? undefined : reasonOf(damage);
    } catch (error) {
      return reasonOf(error instanceof DatabaseError || error instanceof DatabaseUnavailable ? error.code : undefined);
    }
  }

  /** Whether a new token is read back. A replica that happens to use the same row may write between the two statements, but not each time. */
  private async isKept(): Promise<boolean> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const token = randomUUID();
      await writeProbe(this.session, this.slot, token);
      if ((await readProbe(this.session, this.slot)) === token) return true;
    }
    return false;
  }
}

function reasonOf(code: string | undefined): string {
  if (code === undefined) return 'cannot be reached';
  return REASONS[code] ?? (NOT_REACHED.test(code) ? `cannot be reached (${code})` : `cannot be written (${code})`);
}
