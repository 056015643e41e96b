import type { Caller } from '../access/index.js';
import { WeirError } from '../http/index.js';
import type { ReleaseSlot } from '../limits/index.js';
import { CallEntrance } from './call-entrance.js';

const CALLER: Caller = {
  ...{ accountId: 'account', appId: 'app', appName: 'app', keyId: 'key', keyName: 'key' },
  environment: 'production',
};

/** An entrance whose key is deleted after the first look-up. */
function entranceWith(slot: ReleaseSlot) {
  let asked = 0;
  const keys = { authenticate: () => Promise.resolve(asked++ === 0 ? CALLER : null) };
  const overload = {
    enter: () => Promise.resolve(slot),
    check: () => undefined,
    isBusy: false,
    countRefused: () => undefined,
  };
  const entrance = new CallEntrance(keys, { limits: [], standing: [] }, overload, { now: () => new Date(0) });
  const client = { once: () => undefined, off: () => undefined } as never;
  const at = { door: 'rest', client, key: 'sk', setHeader: () => undefined, onCaller: () => undefined } as const;
  return () => entrance.enter(at);
}

describe('a call that ends with an error after it was admitted', () => {
  /** The counts that are reversed or made for the error. */
  async function countsFor(error: unknown): Promise<readonly string[]> {
    const counts: string[] = [];
    const limit = {
      ...{ name: 'limit', admit: () => Promise.resolve(undefined) },
      giveBack: () => Promise.resolve(void counts.push('hit given back')),
    };
    const overload = {
      ...{ enter: () => Promise.resolve(() => undefined), check: () => undefined, isBusy: false },
      countRefused: (source: string) => void counts.push(`refused: ${source}`),
    };
    const keys = { authenticate: () => Promise.resolve(CALLER) };
    const entrance = new CallEntrance(keys, { limits: [limit], standing: [] }, overload, { now: () => new Date(0) });
    const at = { caller: CALLER, source: 'proxy', receivedAt: new Date(0), setHeader: () => undefined } as const;
    await entrance.turnedAway(at, error);
    return counts;
  }

  it('counts as refused, and not against the rate limit, if too many documents wait', async () => {
    expect(await countsFor(new WeirError('overloaded'))).toEqual(['refused: proxy', 'hit given back']);
  });

  it('stays counted against the rate limit after another error', async () => {
    expect(await countsFor(new WeirError('invalid_request'))).toEqual([]);
    expect(await countsFor(new Error('defect'))).toEqual([]);
  });
});

describe('the entrance of calls', () => {
  it('refuses a call whose key was deleted while it waited for its turn', async () => {
    let left = 0;
    const leave: ReleaseSlot = Object.assign(() => void left++, { waited: true });
    await expect(entranceWith(leave)()).rejects.toMatchObject({ type: 'authentication_error' });
    expect(left).toBe(1);
  });

  it('looks up a key only once when the call was admitted without waiting', async () => {
    const entered = await entranceWith(Object.assign(() => undefined, { waited: false }))();
    expect(entered.caller).toBe(CALLER);
  });
});
