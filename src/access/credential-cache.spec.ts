import { CredentialCache } from './credential-cache.js';

const digest = (name: string): Uint8Array => new TextEncoder().encode(name);

describe('the credential cache', () => {
  let nowMs = 0;
  const cache = (maxEntries = 10) => new CredentialCache<string>({ lifetimeMs: 900, maxEntries, nowMs: () => nowMs });

  beforeEach(() => {
    nowMs = 0;
  });

  it('asks once within its lifetime, counted from before the question', async () => {
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

  it('shares one question among callers at the same time', async () => {
    const entries = cache();
    let asked = 0;
    const load = async (): Promise<string> => {
      asked += 1;
      return 'holder';
    };
    expect(await Promise.all([1, 2, 3].map(() => entries.get(digest('a'), load)))).toEqual(Array(3).fill('holder'));
    expect(asked).toBe(1);
  });

  it('remembers neither an unknown credential nor a failure', async () => {
    const entries = cache();
    expect(await entries.get(digest('a'), async () => null)).toBeNull();
    await expect(entries.get(digest('a'), () => Promise.reject(new Error('down')))).rejects.toThrow('down');
    expect(await entries.get(digest('a'), async () => 'holder')).toBe('holder');
  });

  it('forgets who is meant, and nobody else', async () => {
    const entries = cache();
    for (const name of ['a', 'b']) await entries.get(digest(name), async () => name);
    entries.forget((value) => value === 'a');
    expect(await entries.get(digest('a'), async () => null)).toBeNull();
    expect(await entries.get(digest('b'), async () => null)).toBe('b');
    entries.forget();
    expect(entries.size).toBe(0);
  });

  it('gives nobody who comes after a forgetting the answer to a question from before it', async () => {
    const entries = cache();
    const answer = Promise.withResolvers<string | null>();
    const before = entries.get(digest('a'), () => answer.promise);
    entries.forget((value) => value === 'somebody else');
    const after = entries.get(digest('a'), async () => null);
    answer.resolve('holder');
    expect([await before, await after]).toEqual(['holder', null]);
    expect(await entries.get(digest('a'), async () => null)).toBeNull();
  });

  it('holds no more entries than it may', async () => {
    const entries = cache(3);
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await entries.get(digest(name), async () => name);
    }
    expect(entries.size).toBe(3);
    expect(await entries.get(digest('e'), () => Promise.reject(new Error('was dropped')))).toBe('e');
  });
});
