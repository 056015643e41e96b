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

  /** Gives back what a call holds that does not go on. What cannot be given back now ends with its lease. */
  async release(accountId: string, id: string): Promise<void> {
    this.delete(id);
    try {
      const step = { do: 'release', accountId, reservationId: id } as const;
      await this.sql.forAccounts(accountId).transaction((transaction) => applySteps(transaction, [step]));
      this.freed();
    } catch {
      // Its lease ends.
    }
  }

  /** @throws DatabaseUnavailable */
  async keepUp(): Promise<void> {
    const calls = [...this.accounts].map(([id, accountId]) => ({ accountId, id }));
    if (calls.length > 0) await extendLeases(this.sql.forAccounts(...this.accounts.values()), calls);
  }
}
