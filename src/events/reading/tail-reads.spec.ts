import type { FollowedIds } from './event-reader.js';
import type { EventFilters } from './event-filters.js';
import { TailReads } from './tail-reads.js';

const NOTHING: FollowedIds = { ids: [], reached: '', isComplete: true };

/** A log whose reads end when they are told to. */
class SlowLog {
  readonly running: { readonly account: string; readonly end: () => void }[] = [];

  idsAfter({ manager }: EventFilters): Promise<FollowedIds> {
    const { promise, resolve } = Promise.withResolvers<FollowedIds>();
    this.running.push({ account: manager.accountId, end: () => resolve(NOTHING) });
    return promise;
  }

  firstOf(): Promise<[]> {
    return Promise.resolve([]);
  }

  get accounts(): readonly string[] {
    return this.running.map(({ account }) => account);
  }
}

const soon = (): Promise<void> => new Promise(setImmediate);

describe('The reads of tails', () => {
  it('leave places to other accounts, and to calls', async () => {
    const log = new SlowLog();
    const reads = new TailReads(log);
    const begin = (account: string): Promise<FollowedIds> =>
      reads.until(new AbortController().signal).idsAfter({ manager: { accountId: account } }, '', 1);
    const all = ['loud', 'loud', 'loud', 'loud', 'quiet', 'other', 'third'].map(begin);
    await soon();
    expect(log.accounts).toEqual(['loud', 'loud', 'quiet', 'other']);
    log.running[0]?.end();
    await soon();
    expect(log.accounts).toHaveLength(5);
    for (let ended = 1; ended < all.length; ended++) {
      log.running[ended]?.end();
      await soon();
    }
    expect(await Promise.all(all)).toHaveLength(all.length);
  });

  it('do not begin for a tail that ended while it waited', async () => {
    const log = new SlowLog();
    const reads = new TailReads(log);
    const tail = new AbortController();
    const read = (): Promise<FollowedIds> =>
      reads.until(tail.signal).idsAfter({ manager: { accountId: 'loud' } }, '', 1);
    const first = [read(), read()];
    const waiting = read();
    await soon();
    tail.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    for (const { end } of log.running) end();
    await Promise.all(first);
    expect(log.running).toHaveLength(2);
  });
});
