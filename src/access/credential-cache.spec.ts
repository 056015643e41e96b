import { CredentialCache } from './credential-cache.js';

const digest = (name: string): Uint8Array => new TextEncoder().encode(name);

describe('the credential cache', () => {
  let nowMs = 0;
  const cache = (maxEntries = 10) => new CredentialCache<string>({ lifetimeMs: 900, maxEntries, nowMs: () => nowMs });

  beforeEach(() => {
    nowMs = 0;
  });

  it('queries once per lifetime, and counts the lifetime from the start of the query', async () => {
    const entries = cache();
    let asked = 0;
    const slow = async (): Promise<string> => {
      asked += 1;
      nowMs += 500;
      return 'holder';
    };
    await entries.get(digest('a'), slow);
    nowMs = 899;
    await entries.get(digest('a'), slow);
    expect(asked).toBe(1);
    nowMs = 900;
    await entries.get(digest('a'), slow);
    expect(asked).toBe(2);
  });

  it('shares one query among concurrent callers', async () => {
    const entries = cache();
    let asked = 0;
    const load = async (): Promise<string> => {
      asked += 1;
      return 'holder';
    };
    expect(await Promise.all([1, 2, 3].map(() => entries.get(digest('a'), load)))).toEqual(Array(3).fill('holder'));
    expect(asked).toBe(1);
  });

  it('returns a cached value without a promise, and one that has to be loaded with one', async () => {
    const entries = cache();
    const loading = entries.get(digest('a'), async () => 'holder');
    expect([loading, entries.get(digest('a'), async () => 'other')]).toEqual([
      expect.any(Promise),
      expect.any(Promise),
    ]);
    await loading;
    expect(entries.get(digest('a'), async () => 'other')).toBe('holder');
    nowMs = 900;
    expect(await entries.get(digest('a'), async () => 'other')).toBe('other');
  });

  it('caches neither an unknown credential nor a failure', async () => {
    const entries = cache();
    expect(await entries.get(digest('a'), async () => null)).toBeNull();
    await expect(entries.get(digest('a'), () => Promise.reject(new Error('down')))).rejects.toThrow('down');
    expect(await entries.get(digest('a'), async () => 'holder')).toBe('holder');
  });

  it('drops the selected entries and no others', async () => {
    const entries = cache();
    for (const name of ['a', 'b']) await entries.get(digest(name), async () => name);
    entries.forget((value) => value === 'a');
    expect(await entries.get(digest('a'), async () => null)).toBeNull();
    expect(await entries.get(digest('b'), async () => null)).toBe('b');
    entries.forget();
    expect(entries.size).toBe(0);
  });

  it('never returns the result of an earlier query to a lookup after an invalidation', async () => {
    const entries = cache();
    const answer = Promise.withResolvers<string | null>();
    const before = entries.get(digest('a'), () => answer.promise);
    entries.forget((value) => value === 'somebody else');
    const after = entries.get(digest('a'), async () => null);
    answer.resolve('holder');
    expect([await before, await after]).toEqual(['holder', null]);
    expect(await entries.get(digest('a'), async () => null)).toBeNull();
  });

  describe('that refreshes entries ahead of use', () => {
    const ahead = { everyMs: 400, idleMs: 60_000, maxEntries: 2 };
    const same = (values: readonly string[]): Promise<string[]> => Promise.resolve([...values]);
    const never = (): Promise<string> => Promise.reject(new Error('was queried during a call'));
    const known = async (entries: CredentialCache<string>, ...names: string[]): Promise<void> => {
      for (const name of names) await entries.get(digest(name), async () => name);
    };

    it('resets the age of entries in use to the time at which the refresh began', async () => {
      const entries = cache();
      await known(entries, 'a');
      nowMs = 500;
      const asking = entries.askAgain(ahead, async (values) => {
        nowMs = 800;
        return values.map((value) => `${value} as it is now`);
      });
      expect(await asking).toBe(true);
      nowMs = 1_399;
      expect(await entries.get(digest('a'), never)).toBe('a as it is now');
      nowMs = 1_400;
      await expect(entries.get(digest('a'), never)).rejects.toThrow('during a call');
    });

    it('refreshes the most recently used entries, and none that are idle', async () => {
      const entries = cache();
      await known(entries, 'a', 'b', 'c');
      await entries.get(digest('a'), never);
      const asked: string[][] = [];
      const ask = (values: readonly string[]): Promise<string[]> => (asked.push([...values]), same(values));
      await entries.askAgain(ahead, ask);
      nowMs = 60_000;
      expect(await entries.askAgain(ahead, ask)).toBe(false);
      expect(asked).toEqual([['a', 'c']]);
    });

    it('drops an entry immediately if the query no longer finds it, and drops none if the query fails', async () => {
      const entries = cache();
      await known(entries, 'a', 'b');
      await expect(entries.askAgain(ahead, () => Promise.reject(new Error('down')))).rejects.toThrow('down');
      expect(entries.size).toBe(2);
      await entries.askAgain(ahead, async (values) => values.map((value) => (value === 'a' ? null : value)));
      expect(await entries.get(digest('a'), async () => null)).toBeNull();
      expect(await entries.get(digest('b'), never)).toBe('b');
    });

    it('does not restore an entry that was dropped during the refresh', async () => {
      const entries = cache();
      await known(entries, 'a', 'b');
      await entries.askAgain(ahead, (values) => {
        entries.forget((value) => value === 'a');
        return same(values);
      });
      expect(await entries.get(digest('a'), async () => null)).toBeNull();
      expect(await entries.get(digest('b'), never)).toBe('b');
    });
  });

  it('holds no more entries than its maximum', async () => {
    const entries = cache(3);
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await entries.get(digest(name), async () => name);
    }
    expect(entries.size).toBe(3);
    expect(await entries.get(digest('e'), () => Promise.reject(new Error('was dropped')))).toBe('e');
  });
});
