import { AnswerWatch, WatchedDriver } from './answer-watch.js';
import { noAnswer } from './database-error.js';
import type { SqlDriver } from './scoped-sessions.js';

const SELECT = { sql: 'SELECT 1', parameters: [] };

/** A database that answers, refuses, or says nothing, as it is told. */
function someDatabase() {
  const state = { isSilent: false, asked: 0, questions: [] as (() => void)[] };
  const answer = async (): Promise<never[]> => {
    state.asked += 1;
    if (state.isSilent) throw noAnswer();
    return [];
  };
  const driver: SqlDriver = { run: answer, inTransaction: async (_opening, work) => work(answer) };
  const watch = new AnswerWatch(() => new Promise((resolve) => state.questions.push(resolve)));
  return { state, watch, watched: new WatchedDriver(driver, watch) };
}

describe('A database that does not answer', () => {
  it('is asked nothing more by callers until it has answered the watch', async () => {
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

  it('is not given up again for a statement that was sent before it answered', async () => {
    const { state, watch } = someDatabase();
    const before = performance.now();
    watch.missed(before);
    state.questions.forEach((answered) => answered());
    await new Promise((resolve) => setImmediate(resolve));
    watch.missed(before);
    expect(watch.isAnswering).toBe(true);
  });

  it('is not given up for a statement that it refused', async () => {
    const { watch, watched } = someDatabase();
    await expect(watched.inTransaction(SELECT, () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    expect(watch.isAnswering).toBe(true);
  });
});
