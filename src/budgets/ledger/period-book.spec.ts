import { DatabaseUnavailable, type TenantSql } from '../../database/index.js';
import type { PeriodRequest } from './ledger-types.js';
import { PeriodBook } from './period-book.js';

/** A window in the database; its function is replaced by one that does the same. */
class Window {
  limit: string | undefined;
  isAway = false;

  get sql(): TenantSql {
    const query = (_: string, [text]: string[]) => this.answer(text);
    return { forAccounts: () => ({ query }) } as unknown as TenantSql;
  }

  private answer(text = '{}'): Promise<{ row: string }[]> {
    if (this.isAway) return Promise.reject(new DatabaseUnavailable('away'));
    const { limit, is_end: isEnd } = JSON.parse(text) as { limit: string; is_end?: boolean };
    if (this.limit === undefined || isEnd !== true) this.limit = limit;
    const row = { period: 'window', end_ms: null, limit: this.limit, settled: '0', reserved: '0' };
    return Promise.resolve([{ row: JSON.stringify(row) }]);
  }
}

const request = (limit: bigint): PeriodRequest => ({
  ...{ accountId: 'account', environment: 'production', budget: 'daily', unit: 'usd', per: 'day', timezone: 'UTC' },
  ...{ scope: 'scope', scopeLabel: {}, nowMs: 1, startMs: 0, endMs: 2, limit, warnAt: [], onExceed: 'record' },
});

describe('The window of a budget', () => {
  it('keeps a limit that was changed while a call was in progress', async () => {
    const window = new Window();
    const [first, second] = [new PeriodBook(window.sql), new PeriodBook(window.sql)];
    await first.idOf(request(250n));
    await second.idOf(request(100n));
    expect(await first.idAtEnd(request(250n))).toBe('window');
    expect(await new PeriodBook(window.sql).idAtEnd(request(250n))).toBe('window');
    expect(window.limit).toBe('100');
  });

  it('is known at the end of a call under an older limit, even while the database is unavailable', async () => {
    const window = new Window();
    const book = new PeriodBook(window.sql);
    await book.idOf(request(100n));
    window.isAway = true;
    expect(await book.idAtEnd(request(250n))).toBe('window');
    await expect(book.idOf(request(250n))).rejects.toThrow(DatabaseUnavailable);
  });

  it('gets the limit of the next call that begins, even if the end of another call was the first to look it up', async () => {
    const window = new Window();
    const book = new PeriodBook(window.sql);
    await book.idAtEnd(request(250n));
    await book.idOf(request(250n));
    await book.idOf(request(50n));
    expect(window.limit).toBe('50');
  });
});
