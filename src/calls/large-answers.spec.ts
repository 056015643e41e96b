import { LargeAnswers } from './large-answers.js';

const LIMITS = { ratio: 100 };
const LARGE = 2 * 1024 * 1024;
const SMALL = 20_000;

describe('Large answers', () => {
  /** Begins work on an answer of an account, which ends when the returned function is called. */
  const judging = () => {
    const answers = new LargeAnswers();
    const begun: string[] = [];
    const begin = (accountId: string, length: number, coding?: string) => {
      const { promise, resolve: end } = Promise.withResolvers<void>();
      const done = answers.inTurn({ accountId, length, coding }, LIMITS, () => {
        begun.push(accountId);
        return promise;
      });
      return { end, done };
    };
    return { begun, begin };
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('are judged a few at once, fewer of one account; small ones never wait', async () => {
    const { begun, begin } = judging();
    const first = begin('a', LARGE);
    for (let more = 0; more < 3; more++) begin('a', LARGE);
    begin('b', LARGE);
    begin('c', LARGE);
    begin('d', SMALL);
    await turn();
    expect(begun.toSorted()).toEqual(['a', 'a', 'a', 'b', 'd']);
    first.end();
    await first.done;
    await turn();
    expect(begun).toHaveLength(6);
  });

  it('include packed ones that may be large when they are unpacked', async () => {
    const { begun, begin } = judging();
    for (let more = 0; more < 4; more++) begin('a', LARGE / 8, 'gzip');
    await turn();
    expect(begun).toHaveLength(3);
  });

  it('do not include small packed ones, and ones whose coding changes nothing', async () => {
    const { begun, begin } = judging();
    for (let more = 0; more < 4; more++) begin('a', SMALL, 'gzip');
    for (let more = 0; more < 4; more++) begin('a', LARGE / 8, 'identity');
    await turn();
    expect(begun).toHaveLength(8);
  });

  it('make room for the next one if the work on them fails', async () => {
    const answers = new LargeAnswers();
    const answer = { accountId: 'a', length: LARGE, coding: undefined };
    const failing = Array.from({ length: 10 }, () =>
      answers.inTurn(answer, LIMITS, () => Promise.reject(new Error('not readable'))),
    );
    const outcomes = await Promise.allSettled(failing);
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    expect(await answers.inTurn(answer, LIMITS, () => Promise.resolve('judged'))).toBe('judged');
  });
});
