import { AsyncLocalStorage } from 'node:async_hooks';
import type { LookupAddress } from 'node:dns';
import { getDefaultAutoSelectFamilyAttemptTimeout, setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { LookupBusy, NameLookups } from './name-lookups.js';

const ADDRESS: LookupAddress = { address: '192.0.2.1', family: 4 };

/** Look-ups that end when the test says so. */
function lookups(atOnce: number) {
  const begun: { readonly name: string; end(failure: Error | null, addresses?: LookupAddress[]): void }[] = [];
  const timers = new Set<() => void>();
  let nowMs = 0;
  const names = new NameLookups(atOnce, {
    resolve: (name, _options, end) => void begun.push({ name, end }),
    nowMs: () => nowMs,
    later: (work) => {
      timers.add(work);
      return () => timers.delete(work);
    },
  });
  const ask = (name: string, mayWait = true): Promise<unknown> =>
    new Promise((resolve, reject) =>
      names.lookup(10_000, mayWait)(name, { all: true }, (failure, addresses) =>
        failure === null ? resolve(addresses) : reject(failure),
      ),
    );
  return {
    ...{ begun, names, ask },
    namesBegun: () => begun.map(({ name }) => name),
    pass: (ms: number) => (nowMs += ms),
    /** Lets all who wait now reach their deadline. */
    expire: () => {
      for (const work of [...timers]) {
        timers.delete(work);
        work();
      }
    },
    waiting: () => timers.size,
  };
}

describe('A name that many connections need', () => {
  it('is looked up once for all that wait for it', async () => {
    const { ask, begun, waiting } = lookups(4);
    const asked = Array.from({ length: 100 }, () => ask('provider.test'));
    expect(begun).toHaveLength(1);
    begun[0]?.end(null, [ADDRESS]);
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 100 }, () => [ADDRESS]));
    expect(waiting()).toBe(0);
  });

  it('is looked up again a second after an answer, and at once after a failure', async () => {
    const { ask, begun, pass } = lookups(4);
    const first = ask('provider.test');
    begun[0]?.end(new Error('the server does not answer'));
    await expect(first).rejects.toThrow('the server does not answer');
    const second = ask('provider.test');
    begun[1]?.end(null, [ADDRESS]);
    await second;
    pass(999);
    expect(await ask('provider.test')).toEqual([ADDRESS]);
    expect(begun).toHaveLength(2);
    pass(1);
    void ask('provider.test');
    expect(begun).toHaveLength(3);
  });

  it('is an address for callers that can use only one, and an error if it has none', async () => {
    const { begun, names } = lookups(4);
    const one = (): Promise<unknown[]> =>
      new Promise((resolve) => names.lookup(10_000)('provider.test', {}, (...answer) => resolve(answer)));
    const without = one();
    begun[0]?.end(null, []);
    expect((await without)[0]).toMatchObject({ code: 'ENOTFOUND' });
    const asked = one();
    begun[1]?.end(null, [ADDRESS]);
    expect(await asked).toEqual([null, '192.0.2.1', 4]);
  });

  it('is answered to each caller in its own context', async () => {
    const context = new AsyncLocalStorage<string>();
    const { begun, names } = lookups(4);
    const seen = ['one', 'two'].map(
      (caller) =>
        new Promise((resolve) =>
          context.run(caller, () => names.lookup(10_000)('provider.test', {}, () => resolve(context.getStore()))),
        ),
    );
    begun[0]?.end(null, [ADDRESS]);
    expect(await Promise.all(seen)).toEqual(['one', 'two']);
  });
});

describe('Names that are slow', () => {
  it('occupy only as many threads as they may, and the others follow in order', async () => {
    const { ask, begun, namesBegun } = lookups(2);
    const asked = ['a.test', 'b.test', 'c.test', 'd.test'].map((name) => ask(name));
    expect(namesBegun()).toEqual(['a.test', 'b.test']);
    begun[1]?.end(null, [ADDRESS]);
    expect(namesBegun()).toEqual(['a.test', 'b.test', 'c.test']);
    begun[0]?.end(new Error('no'));
    expect(namesBegun()).toEqual(['a.test', 'b.test', 'c.test', 'd.test']);
    await expect(asked[0]).rejects.toThrow('no');
    expect(await asked[1]).toEqual([ADDRESS]);
  });

  it('let their callers go at the deadline, and are not looked up if nobody waits for them any more', async () => {
    const { ask, begun, expire, namesBegun } = lookups(1);
    const slow = ask('slow.test');
    const queued = ask('queued.test');
    expire();
    for (const late of [slow, queued]) await expect(late).rejects.toMatchObject({ code: 'EAI_AGAIN' });
    // The look-up of the first name cannot be cancelled, so it still occupies its thread, and a new caller shares it.
    const again = ask('slow.test');
    const next = ask('next.test');
    expect(namesBegun()).toEqual(['slow.test']);
    begun[0]?.end(null, [ADDRESS]);
    expect(await again).toEqual([ADDRESS]);
    expect(namesBegun()).toEqual(['slow.test', 'next.test']);
    begun[1]?.end(null, [ADDRESS]);
    await next;
  });

  it('refuse callers that do not want to wait, except for the name that is being looked up', async () => {
    const { ask, begun } = lookups(1);
    const first = ask('one.test', false);
    await expect(ask('two.test', false)).rejects.toBeInstanceOf(LookupBusy);
    const same = ask('ONE.test', false);
    begun[0]?.end(null, [ADDRESS]);
    expect(await Promise.all([first, same])).toEqual([[ADDRESS], [ADDRESS]]);
    void ask('two.test', false);
    expect(begun).toHaveLength(2);
  });

  it('free their thread even if the look-up itself throws', async () => {
    const names = new NameLookups(1, {
      resolve: () => {
        throw new TypeError('not a name');
      },
    });
    const ask = (): Promise<unknown> =>
      new Promise((resolve) => names.lookup(10_000)('a name', {}, (failure) => resolve(failure)));
    for (const time of [1, 2]) expect([time, await ask()]).toEqual([time, new TypeError('not a name')]);
  });
});

describe('A connection to a name with several addresses', () => {
  const before = getDefaultAutoSelectFamilyAttemptTimeout();
  afterEach(() => setDefaultAutoSelectFamilyAttemptTimeout(before));

  it.each([
    [10_000, 2_500],
    [2_000, 1_000],
  ])('that has %i ms gives up an address after %i ms at the earliest', (deadlineMs, attemptMs) => {
    setDefaultAutoSelectFamilyAttemptTimeout(2_500);
    const { autoSelectFamilyAttemptTimeout } = new NameLookups(1).socketOptions(deadlineMs);
    expect(autoSelectFamilyAttemptTimeout).toBe(attemptMs);
  });
});
