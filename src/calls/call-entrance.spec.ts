import { AccessUnavailable, type Caller } from '../access/index.js';
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
  const entrance = new CallEntrance(keys, { limits: [], subscription: [] }, overload, { now: () => new Date(0) });
  const client = { once: () => undefined, off: () => undefined } as never;
  const at = { surface: 'rest', client, key: 'sk', setHeader: () => undefined, onCaller: () => undefined } as const;
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
    const entrance = new CallEntrance(keys, { limits: [limit], subscription: [] }, overload, {
      now: () => new Date(0),
    });
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

describe('a call whose caller is cached and that need not wait', () => {
  /** The steps of the call in their order, and its answer. @param now whether key, place and limits answer without a promise */
  async function courseOf(
    now: boolean,
    found: Caller | null | Error,
    refusal?: WeirError,
  ): Promise<readonly unknown[]> {
    const course: unknown[] = [];
    const given = <T>(name: string, value: T | Error): T | Promise<T> => {
      course.push(name);
      if (value instanceof Error && now) throw value;
      if (value instanceof Error) return Promise.reject(value);
      return now ? value : Promise.resolve(value);
    };
    const leave: ReleaseSlot = Object.assign(() => void course.push('leave'), { waited: false });
    const admit = (): undefined | Promise<undefined> => {
      course.push('limits');
      if (refusal !== undefined && now) throw refusal;
      if (refusal !== undefined) return Promise.reject(refusal);
      return now ? undefined : Promise.resolve(undefined);
    };
    const refuse = (): undefined | Promise<undefined> => {
      course.push('before the body');
      return now ? undefined : Promise.resolve(undefined);
    };
    const entrance = new CallEntrance(
      { authenticate: () => given('key', found) },
      { limits: [{ name: 'limit', admit, refuse }], subscription: [] },
      {
        ...{ enter: () => given('enter', leave), check: () => void course.push('check') },
        ...{ isBusy: false, countRefused: () => undefined },
      },
      { now: () => new Date(0) },
    );
    const client = { once: () => undefined, off: () => undefined } as never;
    const onCaller = ({ appId }: Caller): void => void course.push(appId);
    const at = { surface: 'rest', client, key: 'sk', setHeader: () => undefined, onCaller } as const;
    for (const answered of [() => entrance.enter(at), () => entrance.expect(at), () => entrance.authenticate('sk')]) {
      const answer: unknown = await answered().catch((error: unknown) => error);
      course.push(answer instanceof WeirError ? [answer.type, answer.options.retryAfterSeconds] : typeof answer);
    }
    return course;
  }

  it.each([
    ['is admitted', CALLER, undefined],
    ['has no valid key', null, undefined],
    ['cannot be looked up', new AccessUnavailable('down'), undefined],
    ['is over its limit', CALLER, new WeirError('rate_limit_exceeded', { retryAfterSeconds: 3 })],
  ] as const)(
    'with a cached key takes the same steps to the same answer as one whose key is looked up: one that %s',
    async (_name, found, refusal) => {
      const course = await courseOf(false, found, refusal);
      expect(course.length).toBeGreaterThanOrEqual(6);
      expect(await courseOf(true, found, refusal)).toEqual(course);
    },
  );
});
