import { MemoryStorage } from './memory-storage.js';

describe('the limits of this process', () => {
  it('report the wait in whole seconds, rounded up', async () => {
    let nowMs = 0;
    const storage = new MemoryStorage(() => nowMs);
    const hit = () => storage.increment('app', 60_000, 2, 0, 'events');
    expect(await hit()).toEqual({ totalHits: 1, timeToExpire: 60, isBlocked: false, timeToBlockExpire: 0 });
    nowMs = 30_500;
    expect(await hit()).toMatchObject({ totalHits: 2, timeToExpire: 30, isBlocked: false });
    nowMs = 59_999;
    expect(await hit()).toEqual({ totalHits: 3, timeToExpire: 1, isBlocked: true, timeToBlockExpire: 1 });
    nowMs = 60_000;
    expect(await hit()).toMatchObject({ totalHits: 2, isBlocked: false });
  });

  it('store a bounded number of keys, and evict the least recently used', async () => {
    const storage = new MemoryStorage(() => 0, 3);
    const hit = async (key: string, name = 'address') => (await storage.increment(key, 60_000, 9, 0, name)).totalHits;
    for (const key of ['a', 'b', 'c', 'a', 'd']) await hit(key);
    expect(storage.keys('address')).toBe(3);
    expect([await hit('a'), await hit('d'), await hit('b')]).toEqual([3, 2, 1]);
  });

  it('count the keys of each limit separately', async () => {
    const storage = new MemoryStorage(() => 0, 1);
    await storage.increment('x', 60_000, 1, 0, 'events');
    expect((await storage.increment('x', 60_000, 1, 0, 'proxy')).isBlocked).toBe(false);
    expect((await storage.increment('x', 60_000, 1, 0, 'events')).isBlocked).toBe(true);
  });
});
