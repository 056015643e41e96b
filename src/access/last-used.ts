import type { TenantSql } from '../database/index.js';

const WRITE_EVERY_MS = 60_000;
const MAX_REMEMBERED = 10_000;

/**
 * Records the last use of each credential, at most once a minute and without delaying a call. After a failed write, it tries again at the
 * first use a minute later.
 */
export class LastUsed {
  private readonly writtenAtMs = new Map<string, number>();
  private readonly running = new Set<Promise<unknown>>();

  constructor(
    private readonly sql: TenantSql,
    private readonly table: 'api_keys' | 'management_tokens',
  ) {}

  /** Notes a use at `now`; returns at once. */
  note(accountId: string, rowId: string, now: Date): void {
    const nowMs = now.getTime();
    if (nowMs - (this.writtenAtMs.get(rowId) ?? -Infinity) < WRITE_EVERY_MS) {
      return;
    }
    if (this.writtenAtMs.size >= MAX_REMEMBERED) {
      this.writtenAtMs.clear();
    }
    this.writtenAtMs.set(rowId, nowMs);
    const write = this.sql
      .forAccounts(accountId)
      .query(
        `UPDATE ${this.table} SET last_used_at = $3::timestamptz
         WHERE account_id = $1::uuid AND id = $2::uuid
           AND (last_used_at IS NULL OR last_used_at < $3::timestamptz - interval '1 minute')`,
        [accountId, rowId, now.toISOString()],
      )
      .catch(() => undefined)
      .finally(() => this.running.delete(write));
    this.running.add(write);
  }

  /** Resolves when no write is running. */
  async settle(): Promise<void> {
    await Promise.all(this.running);
  }
}
