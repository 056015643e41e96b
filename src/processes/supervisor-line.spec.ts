import type { FromSupervisor, FromWorker } from './messages.js';
import { SupervisorLine } from './supervisor-line.js';

describe('The line to the supervisor', () => {
  it('repeats the last figures while new figures cannot be read', async () => {
    const sent: FromWorker[] = [];
    let says: (message: FromSupervisor) => void = () => undefined;
    const line = new SupervisorLine({
      send: (message) => void sent.push(message),
      onMessage: (heard) => (says = heard),
    });
    const figures = [{ name: 'a', help: 'A.', type: 'counter', aggregator: 'sum', values: [{ value: 3, labels: {} }] }];
    const ask = async (question: number): Promise<void> => {
      says({ kind: 'send-figures', question });
      await new Promise(setImmediate);
    };
    line.reportFigures(() => Promise.resolve(figures));
    await ask(1);
    line.reportFigures(() => Promise.reject(new Error('the disk fails')));
    await ask(2);
    expect(sent).toEqual([
      { kind: 'figures', question: 1, figures },
      { kind: 'figures', question: 2, figures },
    ]);
  });

  it('answers the question whether this process is there', () => {
    const sent: FromWorker[] = [];
    let says: (message: FromSupervisor) => void = () => undefined;
    new SupervisorLine({ send: (message) => void sent.push(message), onMessage: (heard) => (says = heard) });
    says({ kind: 'ping' });
    expect(sent).toEqual([{ kind: 'pong' }]);
  });

  it('returns the figures of all workers that the supervisor sends', async () => {
    let says: (message: FromSupervisor) => void = () => undefined;
    const line = new SupervisorLine({
      send: (message) => {
        if (message.kind === 'ask-figures') says({ kind: 'figures-of-all', question: message.question, all: [[], []] });
      },
      onMessage: (heard) => (says = heard),
    });
    expect(await line.figuresOfAll()).toEqual([[], []]);
  });

  it('does not wait for figures of all workers from a supervisor that does not answer', async () => {
    const line = new SupervisorLine({ send: () => undefined, onMessage: () => undefined }, 1);
    await expect(line.figuresOfAll()).rejects.toMatchObject({ name: 'SupervisorSilent', retryAfterSeconds: 1 });
  });

  it('keeps a limited number of hits for a supervisor that does not answer, and counts again once it does', async () => {
    const hit = { name: 'calls', key: 'app', windowMs: 60_000, limit: 5, hits: 1 };
    const counted = { totalHits: 1, timeToExpire: 60, isBlocked: false, timeToBlockExpire: 0 };
    let says: (message: FromSupervisor) => void = () => undefined;
    const line = new SupervisorLine({ send: () => undefined, onMessage: (heard) => (says = heard) }, 1, 2);
    const answer = (...ids: number[]): void => says({ kind: 'counted', hits: ids.map((id) => [id, counted] as const) });
    const [first, second] = [line.countHit(hit), line.countHit(hit)];
    await expect(line.countHit(hit)).rejects.toMatchObject({ name: 'SupervisorSilent' });
    answer(1, 2);
    expect(await Promise.all([first, second])).toEqual([counted, counted]);
    const third = line.countHit(hit);
    answer(3);
    expect(await third).toEqual(counted);
  });
});
