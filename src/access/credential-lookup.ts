import { timingSafeEqual } from 'node:crypto';
import { DatabaseError, type SqlRow, type TenantSql } from '../database/index.js';
import { AccessUnavailable } from './access-errors.js';
import { PeriodicRefresh } from './periodic-refresh.js';
import {
  parseCredential,
  type CredentialPrefix,
  type ParsedCredential,
  type PresentedCredential,
} from './credential.js';
import { CACHE_DEFAULTS, CredentialCache, type CacheOptions } from './credential-cache.js';
import { LastUsed } from './last-used.js';

/** The common columns of all credentials. */
export interface CredentialRow extends SqlRow {
  readonly account_id: string;
  readonly row_id: string;
  /** Hex. */
  readonly secret_sha256: string;
  /** Milliseconds since the epoch. */
  readonly expires_at_ms: number | null;
}

export interface CredentialKind<Row extends CredentialRow, Holder> {
  readonly table: 'api_keys' | 'management_tokens';
  /**
   * Finds the row by its public id, `$1`. The index contains only that id, so its timing reveals nothing about the secret. For an unknown
   * id, it returns the row `nearest` to the id, with zeros instead of its digest (`storedDigest`). This takes the same look-ups and returns
   * as much data, so the timing does not reveal whether the id exists.
   */
  readonly statement: string;
  /** The public id of a row. */
  readonly idOf: (row: Row) => string;
  /** Finds the rows of many ids, given in `$1` and separated by commas; absent: nothing is refreshed ahead of use. */
  readonly many?: string;
  readonly accepts: (prefix: CredentialPrefix) => boolean;
  /** Null when the presented prefix does not match the row. */
  readonly holder: (row: Row, parsed: ParsedCredential) => Holder | null;
}

/** A valid credential and its holder. */
interface Found<Row, Holder> {
  readonly holder: Holder;
  readonly row: Row;
  readonly parsed: ParsedCredential;
}

/** The digest to compare with when the id is unknown: no credential has it. */
const NO_DIGEST = Buffer.alloc(32);

/** The column `secret_sha256` of a row: zeros unless `isMeant` holds, so that there is always a digest to compare with. */
export function storedDigest(column: string, isMeant: string): string {
  return `encode(CASE WHEN ${isMeant} THEN ${column} ELSE '\\x${NO_DIGEST.toString('hex')}'::bytea END, 'hex') AS secret_sha256`;
}

/**
 * A subquery for `FROM` with one row, `nearest.id`: the id `$1` if the table has it, else the next one, and after the last one the
 * first one; null in an empty table only. Both are looked up each time (`OFFSET 0` keeps them a separate subquery).
 */
export function nearest(table: string, column: string): string {
  return `(SELECT coalesce(after, first) AS id FROM (
      SELECT (SELECT ${column} FROM ${table} WHERE ${column} >= $1 ORDER BY ${column} LIMIT 1) AS after,
             (SELECT ${column} FROM ${table} ORDER BY ${column} LIMIT 1) AS first OFFSET 0) AS found) AS nearest`;
}

/** Finds the holder of a presented credential; the steps are the same for keys and tokens. */
export class CredentialLookup<Row extends CredentialRow, Holder> {
  private readonly cache: CredentialCache<Found<Row, Holder>>;
  private readonly ahead: PeriodicRefresh | undefined;
  private readonly lastUsed: LastUsed;
  private refused: ((row: Row) => void) | undefined;

  constructor(
    private readonly sql: TenantSql,
    private readonly kind: CredentialKind<Row, Holder>,
    private readonly now: () => Date,
    cacheOptions: CacheOptions = CACHE_DEFAULTS,
  ) {
    this.cache = new CredentialCache(cacheOptions);
    const { ahead } = cacheOptions;
    const { many } = kind;
    if (ahead !== undefined && many !== undefined)
      this.ahead = new PeriodicRefresh(ahead.everyMs, () =>
        this.cache.askAgain(ahead, (found) => this.loadAgain(many, found)),
      );
    this.lastUsed = new LastUsed(sql, kind.table);
  }

  /** Answers without a promise if the credential is cached. @throws AccessUnavailable when the database does not answer */
  find(presented: string | PresentedCredential | undefined): Holder | null | Promise<Holder | null> {
    const parsed = typeof presented === 'string' ? parseCredential(presented) : (presented?.parsed ?? null);
    if (parsed === null || !this.kind.accepts(parsed.prefix)) {
      return null;
    }
    const found = this.cache.get(parsed.sha256, () => this.load(parsed));
    return found instanceof Promise
      ? found.then((late) => (late === null ? null : this.holderOf(late, parsed)))
      : this.holderOf(found, parsed);
  }

  /** Drops the cached holders of an account's credentials, or all: the next use queries the database again. */
  forget(accountId?: string): void {
    this.cache.forget(accountId === undefined ? undefined : ({ row }) => row.account_id === accountId);
  }

  /** Resolves when nothing is being written in the background. */
  async settle(): Promise<void> {
    await this.ahead?.settle();
    await this.lastUsed.settle();
  }

  /** Calls `listen` with the row of each presented credential that is not valid. */
  onRefused(listen: (row: Row) => void): void {
    this.refused = listen;
  }

  /** Null for a credential that has expired. */
  private holderOf(found: Found<Row, Holder>, parsed: ParsedCredential): Holder | null {
    const now = this.now();
    if (found.row.expires_at_ms !== null && found.row.expires_at_ms <= now.getTime()) {
      this.reportRefused(found.row, parsed);
      return null;
    }
    this.lastUsed.note(found.row.account_id, found.row.row_id, now);
    this.ahead?.wake();
    return found.holder;
  }

  /** Calls the listener later, so that an answer takes the same time whether or not the id exists. */
  private reportRefused(row: Row | undefined, { id }: ParsedCredential): void {
    setImmediate(() => {
      if (row !== undefined && this.kind.idOf(row) === id) this.refused?.(row);
    });
  }

  private async load(parsed: ParsedCredential): Promise<Found<Row, Holder> | null> {
    const [row] = await this.rows(this.kind.statement, parsed.id, 'find');
    const stored = row === undefined ? NO_DIGEST : Buffer.from(row.secret_sha256, 'hex');
    if (!timingSafeEqual(parsed.sha256, stored) || row === undefined) {
      this.reportRefused(row, parsed);
      return null;
    }
    return this.foundIn(row, parsed);
  }

  /** Loads the current rows of credentials that were found before, in one round trip and without delaying a call. */
  private async loadAgain(
    statement: string,
    found: readonly Found<Row, Holder>[],
  ): Promise<(Found<Row, Holder> | null)[]> {
    const rows = await this.rows(statement, found.map(({ parsed }) => parsed.id).join(','), 'find-again');
    const byId = new Map(rows.map((row) => [this.kind.idOf(row), row]));
    return found.map(({ parsed }) => {
      const row = byId.get(parsed.id);
      const isSame = row !== undefined && timingSafeEqual(parsed.sha256, Buffer.from(row.secret_sha256, 'hex'));
      return isSame ? this.foundIn(row, parsed) : null;
    });
  }

  private foundIn(row: Row, parsed: ParsedCredential): Found<Row, Holder> | null {
    const holder = this.kind.holder(row, parsed);
    return holder === null ? null : { holder, row, parsed };
  }

  private async rows(statement: string, ids: string, name: string): Promise<Row[]> {
    try {
      const session = this.sql.forDuty('authenticate');
      return await session.query<Row>(statement, [ids], { prepareAs: `${name}-${this.kind.table}` });
    } catch (cause) {
      if (cause instanceof DatabaseError && cause.isForbidden) throw cause;
      throw new AccessUnavailable('keys cannot be looked up now', { cause });
    }
  }
}
