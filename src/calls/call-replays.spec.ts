import type { StoredAnswer } from '../events/index.js';
import { InFlightEvents, DuplicateInFlight } from './call-replays.js';

const ANSWER: StoredAnswer = { id: 'i', status: 200, body: '{}', fingerprint: Buffer.alloc(32) };

describe('InFlightEvents', () => {
  it('does the work once and returns its answer to all waiting callers', async () => {
    const events = new InFlightEvents(10_000);
    const gate = Promise.withResolvers<void>();
    let works = 0;
    const work = async (settle: (answer: StoredAnswer) => void): Promise<string> => {
      works += 1;
      await gate.promise;
      settle(ANSWER);
      return 'done';
    };
    const runs = [events.run('a', work), events.run('a', work), events.run('a', work)];
    gate.resolve();
    expect(await Promise.all(runs)).toEqual([
      { own: true, result: 'done' },
      { own: false, answer: ANSWER },
      { own: false, answer: ANSWER },
    ]);
    expect([works, events.size]).toEqual([1, 0]);
  });

  it('lets a waiting caller do the work if the first caller fails without an answer', async () => {
    const events = new InFlightEvents(10_000);
    const gate = Promise.withResolvers<void>();
    const failing = events.run('a', async () => {
      await gate.promise;
      throw new Error('not remembered');
    });
    let works = 0;
    const second = (): ReturnType<typeof events.run<number>> =>
      events.run('a', (settle) => {
        works += 1;
        settle(ANSWER);
        return Promise.resolve(works);
      });
    const others = [second(), second()];
    gate.resolve();
    await expect(failing).rejects.toThrow('not remembered');
    expect(await Promise.all(others)).toEqual([
      { own: true, result: 1 },
      { own: false, answer: ANSWER },
    ]);
  });

  it('does not let calls with different identities wait for each other', async () => {
    const events = new InFlightEvents(10_000);
    const gate = Promise.withResolvers<void>();
    const held = events.run('a', () => gate.promise);
    expect(await events.run('b', () => Promise.resolve(1))).toEqual({ own: true, result: 1 });
    gate.resolve();
    await held;
  });

  it('stops waiting after its time limit', async () => {
    const events = new InFlightEvents(1);
    const gate = Promise.withResolvers<void>();
    const held = events.run('a', () => gate.promise);
    await expect(events.run('a', () => Promise.resolve())).rejects.toThrow(DuplicateInFlight);
    gate.resolve();
    await held;
  });
});
