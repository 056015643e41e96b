import { AccountBreakers } from './account-breakers.js';

const LIMITS = { failures: 3, openMs: 10_000 };

describe('The breakers of a service that several accounts use', () => {
  let nowMs: number;
  let breakers: AccountBreakers;
  const failTimes = (accountId: string, times: number): boolean[] =>
    Array.from({ length: times }, () => breakers.admit(accountId) && breakers.failed(accountId));
  beforeEach(() => {
    nowMs = 0;
    breakers = new AccountBreakers(LIMITS, () => nowMs);
  });

  it('refuse the calls of the account whose calls fail, and admit those of all others', () => {
    expect(failTimes('loud', 3)).toEqual([false, false, true]);
    expect(['loud', 'quiet', 'third'].map((each) => breakers.admit(each))).toEqual([false, true, true]);
  });

  it('admit one call of the account after a while, and all of them once it succeeds', () => {
    failTimes('loud', 3);
    nowMs = 10_000;
    expect([breakers.admit('loud'), breakers.admit('loud')]).toEqual([true, false]);
    expect(breakers.succeeded('loud')).toBe(true);
    expect([breakers.admit('loud'), breakers.admit('loud')]).toEqual([true, true]);
  });

  it('open at the first failure of an account while the calls of three others fail', () => {
    for (const each of ['one', 'two', 'three']) failTimes(each, 3);
    expect(breakers.admit('quiet')).toBe(true);
    expect(breakers.failed('quiet')).toBe(true);
    expect(breakers.admit('quiet')).toBe(false);
  });

  it('need several failures of an account again as soon as a call of any account succeeds', () => {
    for (const each of ['one', 'two', 'three']) failTimes(each, 3);
    breakers.succeeded('healthy');
    expect(failTimes('quiet', 2)).toEqual([false, false]);
    expect(breakers.admit('quiet')).toBe(true);
  });

  it('do not count an account as one of the others', () => {
    for (const each of ['one', 'two']) failTimes(each, 3);
    expect(failTimes('quiet', 3)).toEqual([false, false, true]);
    breakers.succeeded('quiet');
    expect(failTimes('one', 1)).toEqual([false]);
  });

  it('forget the accounts that have been idle longest when there are very many', () => {
    failTimes('loud', 3);
    for (let account = 0; account < 10_000; account++) breakers.admit(`account-${account}`);
    expect(breakers.admit('loud')).toBe(true);
  });
});
