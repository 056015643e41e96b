/**
 * Calls of apps that were refused before they were recorded, counted by environment and minute, and readable by every replica. Counts are
 * collected in memory and written once a second: a flood of refused calls results in a few rows.
 */
import type { Reach } from '../access/index.js';
import type { Environment } from '../core/index.js';
import type { SqlRow, TenantSql } from '../database/index.js';

export interface Refusal {
  readonly accountId: string;
  readonly appId: string;
  /** The environment of the call's key. */
  readonly environment: Environment;
  readonly status: number;
  readonly type: string;
}

export interface RefusalCount {
  readonly status: number;
  readonly type: string;
  readonly count: number;
  readonly lastAt: Date;
}

interface Pending extends Refusal {
  readonly minuteMs: number;
  count: number;
  lastMs: number;
}

const MINUTE_MS = 60_000;
const PAUSE_MS = 1_000;
/** The maximum number of counts in memory while the database is unavailable. Refusals that need a further count are not counted. */
const MOST_PENDING = 1_000;

export class Refusals {
  private pending = new Map<string, Pending>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly sql: TenantSql,
    private readonly nowMs: () => number = () => Date.now(),
  ) {}

  /** Counts a call. It never fails, and does not wait for the database. */
  note(refusal: Refusal): void {
    const lastMs = this.nowMs();
    this.add({ ...refusal, minuteMs: Math.floor(lastMs / MINUTE_MS) * MINUTE_MS, count: 1, lastMs });
    this.timer ??= setTimeout(() => void this.flush(), PAUSE_MS).unref();
  }

  /** Writes the counts. After a failed write, they are kept for the next one. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const rows = [...this.pending.values()];
    this.pending = new Map();
    if (rows.length > 0) {
      this.writing = this.writing.then(() => this.write(rows)).catch(() => rows.forEach((row) => this.add(row)));
    }
    return this.writing;
  }

  /**
   * The refusals of the last minutes in the environments that the manager may read, the most frequent first; counts of other replicas
   * arrive within a second.
   */
  async recent({ accountId, environment }: Reach, appId: string, minutes: number): Promise<RefusalCount[]> {
    await this.flush();
    const rows = await this.sql
      .forAccounts(accountId)
      .query<{ status: number; type: string; count: number; last_at_ms: number } & SqlRow>(
        `SELECT status, type, sum(n)::double precision AS count,
                floor(extract(epoch FROM max(last_at)) * 1000)::double precision AS last_at_ms
         FROM app_refusals
         WHERE account_id = $1::uuid AND app_id = $2::uuid AND ($4::text IS NULL OR environment = $4)
           AND minute > now() - $3::integer * interval '1 minute'
         GROUP BY status, type ORDER BY count DESC, status, type`,
        [accountId, appId, minutes, environment ?? null],
      );
    return rows.map(({ status, type, count, last_at_ms: lastMs }) => ({
      ...{ status, type, count },
      lastAt: new Date(lastMs),
    }));
  }

  private add(more: Pending): void {
    const key = [more.accountId, more.appId, more.environment, more.minuteMs, more.status, more.type].join(' ');
    const known = this.pending.get(key);
    if (known !== undefined) {
      known.count += more.count;
      known.lastMs = Math.max(known.lastMs, more.lastMs);
    } else if (this.pending.size < MOST_PENDING) {
      this.pending.set(key, { ...more });
    }
  }

  private async write(rows: readonly Pending[]): Promise<void> {
    const accounts = [...new Set(rows.map(({ accountId }) => accountId))];
    const column = (of: (row: Pending) => string | number): string[] => rows.map((row) => String(of(row)));
    const time = (ms: number): string => new Date(ms).toISOString();
    const session = this.sql.forAccounts(...accounts);
    await session.query(
      `INSERT INTO app_refusals AS r (account_id, app_id, environment, minute, status, type, n, last_at)
       SELECT n.account_id::uuid, n.app_id::uuid, n.environment, n.minute::timestamptz, n.status::integer, n.type,
              n.n::bigint, n.last_at::timestamptz
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
         AS n (account_id, app_id, environment, minute, status, type, n, last_at)
       ORDER BY 1, 2, 3, 4, 5, 6
       ON CONFLICT (account_id, app_id, environment, minute, status, type)
       DO UPDATE SET n = r.n + excluded.n, last_at = greatest(r.last_at, excluded.last_at)`,
      [
        ...[column((row) => row.accountId), column((row) => row.appId), column((row) => row.environment)],
        column((row) => time(row.minuteMs)),
        ...[column((row) => row.status), column((row) => row.type), column((row) => row.count)],
        column((row) => time(row.lastMs)),
      ],
    );
    await session.query(
      `DELETE FROM app_refusals WHERE account_id = ANY ($1::text[]::uuid[]) AND minute < now() - interval '1 hour'`,
      [accounts],
    );
  }
}
