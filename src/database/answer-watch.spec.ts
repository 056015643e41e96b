import { AnswerWatch, WatchedDriver } from './answer-watch.js';
import { noAnswer, toDatabaseError } from './database-error.js';
import type { SqlDriver } from './scoped-sessions.js';

const SELECT = { sql: 'SELECT 1', parameters: [] };

/** A database that answers, fails or stays silent, as set in `state`. */
function someDatabase() {
  const state = { isSilent: false, fault: '', asked: 0, questions: [] as (() => void)[] };
  const answer = async (): Promise<never[]> => {
    state.asked += 1;
    if (state.isSilent) throw noAnswer();
    if (state.fault !== '') throw toDatabaseError(Object.assign(new Error(), { code: state.fault }));
    return [];
  };
  const driver: SqlDriver = { run: answer, inTransaction: async (_opening, work) => work(answer) };
  const watch = new AnswerWatch(() => new Promise((resolve) => state.questions.push(resolve)));
  return { state, watch, watched: new WatchedDriver(driver, watch) };
}

describe('AnswerWatch and WatchedDriver', () => {
  it('refuse all statements after a missed deadline until the database answers the query of the watch', async () => {
    const { state, watch, watched } = someDatabase();
    state.isSilent = true;
    await expect(watched.run(SELECT)).rejects.toMatchObject({ isSilence: true });
    expect(watch.isAnswering).toBe(false);
    await expect(watched.run(SELECT)).rejects.toMatchObject({ isSilence: true });
    await expect(watched.inTransaction(SELECT, async () => 1)).rejects.toMatchObject({ isSilence: true });
    expect(state.asked).toBe(1);

    state.isSilent = false;
    state.questions.forEach((answered) => answered());
    await new Promise((resolve) => setImmediate(resolve));
    expect(await watched.run(SELECT)).toEqual([]);
    expect(state.questions).toHaveLength(1);
  });

  it('ignore a missed deadline if the database has answered since the statement was sent', async () => {
    const { state, watch } = someDatabase();
    const before = performance.now();
    watch.missed(before);
    state.questions.forEach((answered) => answered());
    await new Promise((resolve) => setImmediate(resolve));
    watch.missed(before);
    expect(watch.isAnswering).toBe(true);
  });

  it('do not count a failed transaction as silence', async () => {
    const { watch, watched } = someDatabase();
    await expect(watched.inTransaction(SELECT, () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    expect(watch.isAnswering).toBe(true);
  });

  it.each([
    ['refuses connections', 'ECONNREFUSED', false],
    ['breaks a connection', '08006', false],
    ['is starting', '57P03', false],
    ['ends one statement', '57014', true],
    ['has a full disk', '53100', true],
    ['is reached by too few connections of this process', 'NO_CONNECTION', true],
    ['refuses a value', '22003', true],
  ])('still send statements if the database %s', async (_what, fault, isThere) => {
    const { state, watch, watched } = someDatabase();
    state.fault = fault;
    for (let n = 0; n < 2; n += 1) await expect(watched.run(SELECT)).rejects.toMatchObject({ code: fault });
    expect(watch.isThere).toBe(isThere);
    expect(state.asked).toBe(2);
    state.fault = '';
    await watched.run(SELECT);
    expect(watch.isThere).toBe(true);
  });
});
