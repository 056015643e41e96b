import { AccountPlaces } from './account-places.js';

const never = new AbortController().signal;

describe('Places that accounts share', () => {
  let places: AccountPlaces;
  let entered: string[];
  let leaves: Map<string, (() => void)[]>;
  const enter = async (accountId: string, signal = never): Promise<void> => {
    const leave = await places.enter(accountId, signal);
    entered.push(accountId);
    leaves.set(accountId, [...(leaves.get(accountId) ?? []), leave]);
  };
  const enterTimes = (accountId: string, times: number): void => {
    for (let time = 0; time < times; time++) void enter(accountId);
  };
  const leave = (accountId: string): void => leaves.get(accountId)?.shift()?.();
  const settled = (): Promise<void> => new Promise(setImmediate);
  beforeEach(() => {
    places = new AccountPlaces({ all: 4, ofAccount: 3 });
    entered = [];
    leaves = new Map();
  });

  it('are left to other accounts while one account has as many as it may have', async () => {
    enterTimes('loud', 9);
    enterTimes('quiet', 1);
    await settled();
    expect(entered).toEqual(['loud', 'loud', 'loud', 'quiet']);
  });

  it('are taken without waiting as long as the account may have more of them', () => {
    const taken = ['loud', 'loud', 'loud', 'loud', 'quiet', 'third'].map((account) => places.enterNow(account));
    expect(taken.map((leave) => leave !== undefined)).toEqual([true, true, true, false, true, false]);
    taken[0]?.();
    expect(places.enterNow('third')).toBeDefined();
  });

  it('go to the waiting accounts in turns, however many requests each of them has', async () => {
    enterTimes('loud', 9);
    enterTimes('quiet', 2);
    enterTimes('third', 1);
    await settled();
    entered.length = 0;
    for (const each of ['loud', 'loud', 'quiet']) {
      leave(each);
      await settled();
    }
    expect(entered).toEqual(['loud', 'quiet', 'third']);
  });

  it('are not taken by requests that have given up', async () => {
    enterTimes('loud', 3);
    const gone = new AbortController();
    const waiting = places.enter('loud', gone.signal);
    enterTimes('loud', 1);
    await settled();
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await expect(places.enter('loud', gone.signal)).rejects.toThrow('gone');
    leave('loud');
    await settled();
    expect(entered).toHaveLength(4);
  });

  it('are all free again after every request has left', async () => {
    for (let round = 0; round < 3; round++) {
      enterTimes('one', 3);
      enterTimes('two', 1);
      await settled();
      for (const each of ['one', 'two', 'one', 'one']) leave(each);
    }
    expect(entered).toHaveLength(12);
  });
});
