import type { TenantSql } from '../../database/index.js';
import { applySteps, extendLeases } from './ledger.js';

/** The proxied calls of this process with reservations: their leases are renewed until they end. */
export class OpenCalls {
  private readonly accounts = new Map<string, string>();

  constructor(
    private readonly sql: TenantSql,
    private readonly freed: () => void,
  ) {}

  add(accountId: string, id: string): void {
    this.accounts.set(id, accountId);
  }

  delete(id: string): void {
    this.accounts.delete(id);
  }

  /** Releases the reservation of a call that was stopped. If that fails, the reservation ends with its lease. */
  async release(accountId: string, id: string): Promise<void> {
    this.delete(id);
    try {
      const step = { do: 'release', accountId, reservationId: id } as const;
      await this.sql.forAccounts(accountId).transaction((transaction) => applySteps(transaction, [step]));
      this.freed();
    } catch {
      // The reservation ends with its lease.
    }
  }

  /** Renews the leases of these calls. @throws DatabaseUnavailable */
  async keepUp(): Promise<void> {
    const calls = [...this.accounts].map(([id, accountId]) => ({ accountId, id }));
    if (calls.length > 0) await extendLeases(this.sql.forAccounts(...this.accounts.values()), calls);
  }
}
