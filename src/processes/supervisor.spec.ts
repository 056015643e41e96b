import type { FromSupervisor, FromWorker } from './messages.js';
import { Supervisor, type WorkerProcess } from './supervisor.js';

/** A process that the test controls. */
class Played implements WorkerProcess {
  readonly pid = 1;
  readonly heard: FromSupervisor[] = [];
  readonly signals: NodeJS.Signals[] = [];
  says: (message: FromWorker) => void = () => undefined;
  ends: (code: number | null, signal?: string | null) => void = () => undefined;

  constructor(readonly number: number) {}

  send(message: FromSupervisor): void {
    this.heard.push(message);
  }

  kill(signal: NodeJS.Signals): void {
    this.signals.push(signal);
  }

  onMessage(heard: (message: FromWorker) => void): void {
    this.says = heard;
  }

  onExit(ended: (code: number | null, signal: string | null) => void): void {
    this.ends = (code, signal = null) => ended(code, signal);
  }
}

function supervised(count: number) {
  const started: Played[] = [];
  const pauses: number[] = [];
  const due: (() => void)[] = [];
  const clock = { ms: 0 };
  const welcomes: string[] = [];
  const supervisor = new Supervisor({
    ...{ count, nowMs: () => clock.ms },
    fork: (number) => {
      const worker = new Played(number);
      started.push(worker);
      return worker;
    },
    countHit: ({ hits }) =>
      Promise.resolve({ totalHits: hits, timeToExpire: 1, isBlocked: false, timeToBlockExpire: 0 }),
    allReady: (welcome) => void welcomes.push(welcome),
    stopping: () => undefined,
    ended: (_number, _how, pauseMs) => void pauses.push(pauseMs),
    later: (work) => {
      due.push(work);
      return () => void due.splice(due.indexOf(work), 1);
    },
  });
  const over = supervisor.run();
  const ready = (worker: Played | undefined): void => worker?.says({ kind: 'ready', welcome: 'come in' });
  return { supervisor, over, started, pauses, due, clock, welcomes, ready };
}

describe('A supervisor', () => {
  it('starts the other workers when the first one is ready, and reports once that all workers are ready', () => {
    const { started, welcomes, ready } = supervised(3);
    expect(started.map(({ number }) => number)).toEqual([1]);
    ready(started[0]);
    expect(started.map(({ number }) => number)).toEqual([1, 2, 3]);
    ready(started[1]);
    expect(welcomes).toEqual([]);
    ready(started[2]);
    expect(welcomes).toEqual(['come in']);
  });

  it('restarts a worker that ends, with longer pauses if it ends soon after its start', () => {
    const { started, pauses, due, clock, ready } = supervised(2);
    ready(started[0]);
    ready(started[1]);
    for (let times = 0; times < 9; times++) {
      started.at(-1)!.ends(null, 'SIGKILL');
      due.shift()!();
      ready(started.at(-1));
    }
    expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 8000, 16000, 30000, 30000]);
    expect(started.at(-1)!.number).toBe(2);
    clock.ms += 60_000;
    started.at(-1)!.ends(1);
    expect(pauses.at(-1)).toBe(250);
  });

  it('ends with the exit code of the first worker if this worker cannot start', async () => {
    const { over, started } = supervised(2);
    started[0]!.ends(3);
    expect(await over).toBe(3);
    expect(started).toHaveLength(1);
  });

  it('continues while another worker serves, and ends when none does and none can start', async () => {
    const { over, started, due, ready } = supervised(2);
    ready(started[0]);
    started[1]!.ends(1);
    expect(due).toHaveLength(1);
    started[0]!.ends(null, 'SIGKILL');
    due[0]!();
    started[2]!.ends(1);
    expect(await over).toBe(1);
  });

  it('forwards a signal, starts no more workers, and exits with 0 when all have ended', async () => {
    const { supervisor, over, started, due, ready } = supervised(2);
    ready(started[0]);
    ready(started[1]);
    supervisor.stop('SIGTERM');
    expect(started.map(({ signals }) => signals)).toEqual([['SIGTERM'], ['SIGTERM']]);
    started[0]!.ends(0);
    started[1]!.ends(0);
    expect(await over).toBe(0);
    expect([started.length, due.length]).toEqual([2, 0]);
  });

  it('exits with an error if a worker that has served exits with an error', async () => {
    const { supervisor, over, started, ready } = supervised(2);
    ready(started[0]);
    ready(started[1]);
    supervisor.stop('SIGTERM');
    started[0]!.ends(0);
    started[1]!.ends(null, 'SIGSEGV');
    expect(await over).toBe(1);
  });

  it('cancels a restart when it is stopped', async () => {
    const { supervisor, over, started, due, ready } = supervised(2);
    ready(started[0]);
    ready(started[1]);
    started[1]!.ends(1);
    supervisor.stop('SIGINT');
    expect(due).toEqual([]);
    started[0]!.ends(0);
    expect(await over).toBe(0);
  });

  it('keeps the figures of an ended worker, and asks only the other workers', () => {
    const { started, due, ready } = supervised(2);
    const [first, second] = [started[0]!, (ready(started[0]), started[1]!)];
    ready(second);
    const calls = (value: number) => [
      { name: 'calls', help: '', type: 'counter', aggregator: 'sum', values: [{ value, labels: { by: 'a' } }] },
      { name: 'open', help: '', type: 'gauge', aggregator: 'sum', values: [{ value, labels: {} }] },
    ];
    first.says({ kind: 'ask-figures', question: 7 });
    first.says({ kind: 'figures', question: 1, figures: calls(2) });
    second.says({ kind: 'figures', question: 1, figures: calls(3) });
    expect(first.heard.at(-1)).toEqual({ kind: 'figures-of-all', question: 7, all: [calls(2), calls(3), []] });
    expect(due).toEqual([]);
    second.ends(null, 'SIGKILL');
    first.says({ kind: 'ask-figures', question: 8 });
    first.says({ kind: 'figures', question: 2, figures: calls(4) });
    expect(first.heard.at(-1)).toEqual({
      kind: 'figures-of-all',
      question: 8,
      all: [calls(4), calls(3).slice(0, 1)],
    });
  });
});
