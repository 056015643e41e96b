import type { Caller } from '../access/index.js';
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
  const overload = { enter: () => Promise.resolve(slot), check: () => undefined, isBusy: false };
  const entrance = new CallEntrance(keys, { limits: [], standing: [] }, overload, { now: () => new Date(0) });
  const client = { once: () => undefined, off: () => undefined } as never;
  const at = { door: 'rest', client, key: 'sk', setHeader: () => undefined, onCaller: () => undefined } as const;
  return () => entrance.enter(at);
}

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
