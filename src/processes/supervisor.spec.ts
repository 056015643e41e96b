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

const ASK_MS = 5_000;
const STOP_MS = 38_000;

function supervised(count: number, system = { hasMemory: true }) {
  const started: Played[] = [];
  const pauses: number[] = [];
  const due: { readonly work: () => void; readonly ms: number }[] = [];
  const clock = { ms: 0 };
  const welcomes: string[] = [];
  const killed: string[] = [];
  const supervisor = new Supervisor({
    ...{ count, nowMs: () => clock.ms, stopWithinMs: STOP_MS },
    fork: (number) => {
      if (!system.hasMemory) throw Object.assign(new Error('spawn ENOMEM'), { code: 'ENOMEM' });
      const worker = new Played(number);
      started.push(worker);
      return worker;
    },
    countHit: ({ hits }) =>
      Promise.resolve({ totalHits: hits, timeToExpire: 1, isBlocked: false, timeToBlockExpire: 0 }),
    allReady: (welcome) => void welcomes.push(welcome),
    stopping: () => undefined,
    killed: (number, why) => void killed.push(`${number} ${why}`),
    ended: (_number, _how, pauseMs) => void pauses.push(pauseMs),
    later: (work, ms) => {
      const timer = { work, ms };
      due.push(timer);
      return () => void due.splice(0, due.length, ...due.filter((each) => each !== timer));
    },
  });
  const over = supervisor.run();
  const ready = (worker: Played | undefined): void => worker?.says({ kind: 'ready', welcome: 'come in' });
  /** The timers that are not the questions whether workers are there. */
  const others = () => due.filter(({ ms }) => ms !== ASK_MS);
  /** Lets the timers run that were set for so many milliseconds. */
  const run = (ms: number): void => {
    const now = due.filter((each) => each.ms === ms);
    due.splice(0, due.length, ...due.filter((each) => each.ms !== ms));
    for (const { work } of now) work();
  };
  return { supervisor, over, started, pauses, due, others, run, clock, system, welcomes, killed, ready };
}

/** Answers the last question whether the worker is there. */
function answer(worker: Played | undefined): void {
  expect(worker?.heard.at(-1)).toEqual({ kind: 'ping' });
  worker?.says({ kind: 'pong' });
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
    const { started, pauses, run, clock, ready } = supervised(2);
    ready(started[0]);
    ready(started[1]);
    for (let times = 0; times < 9; times++) {
      started.at(-1)!.ends(null, 'SIGKILL');
      run(pauses.at(-1)!);
      ready(started.at(-1));
    }
    expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 8000, 16000, 30000, 30000]);
    expect(started.at(-1)!.number).toBe(2);
    clock.ms += 60_000;
    started.at(-1)!.ends(1);
    expect(pauses.at(-1)).toBe(250);
  });

  it('tries again later if the system refuses to start a worker, while the others serve', () => {
    const { started, pauses, run, system, ready } = supervised(2);
    ready(started[0]);
    ready(started[1]);
    system.hasMemory = false;
    started[1]!.ends(null, 'SIGKILL');
    run(250);
    expect(pauses).toEqual([250, 500]);
    system.hasMemory = true;
    run(500);
    expect(started.map(({ number }) => number)).toEqual([1, 2, 2]);
  });

  it('reports the error of the system if no worker can be started at all', () => {
    expect(() => supervised(2, { hasMemory: false })).toThrow('spawn ENOMEM');
  });

  it('ends with the exit code of the first worker if this worker cannot start', async () => {
    const { over, started } = supervised(2);
    started[0]!.ends(3);
    expect(await over).toBe(3);
    expect(started).toHaveLength(1);
  });

  it('continues while another worker serves, and ends when none does and none can start', async () => {
    const { over, started, others, ready } = supervised(2);
    ready(started[0]);
    started[1]!.ends(1);
    expect(others()).toHaveLength(1);
    started[0]!.ends(null, 'SIGKILL');
    others()[0]!.work();
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
    const { supervisor, over, started, others, ready } = supervised(2);
    ready(started[0]);
    ready(started[1]);
    started[1]!.ends(1);
    supervisor.stop('SIGINT');
    expect(others().map(({ ms }) => ms)).toEqual([STOP_MS]);
    started[0]!.ends(0);
    expect(await over).toBe(0);
  });

  it('kills a worker that leaves six questions in a row unanswered, and starts another one', () => {
    const { started, run, killed, ready } = supervised(2);
    ready(started[0]);
    ready(started[1]);
    for (let times = 0; times < 20; times++) {
      for (const worker of started) answer(worker);
      run(ASK_MS);
    }
    for (let times = 0; times < 5; times++) {
      answer(started[0]);
      run(ASK_MS);
    }
    expect(started.map(({ signals }) => signals)).toEqual([[], []]);
    answer(started[0]);
    run(ASK_MS);
    expect(started.map(({ signals }) => signals)).toEqual([[], ['SIGKILL']]);
    expect(killed).toEqual(['2 silent']);
    started[1]!.ends(null, 'SIGKILL');
    run(250);
    expect(started.map(({ number }) => number)).toEqual([1, 2, 2]);
  });

  it('does not kill a worker that answers late, or that is still starting', () => {
    const { started, run, killed, ready } = supervised(2);
    ready(started[0]);
    for (let times = 0; times < 40; times++) {
      if (times % 5 === 4) answer(started[0]);
      run(ASK_MS);
    }
    expect(started[1]!.heard).toEqual([]);
    expect(killed).toEqual([]);
  });

  it('suspects no worker after a long pause of its own', () => {
    const { started, run, clock, killed, ready } = supervised(1);
    ready(started[0]);
    for (let times = 0; times < 10; times++) {
      clock.ms += 3_600_000;
      run(ASK_MS);
      answer(started[0]);
    }
    expect(killed).toEqual([]);
  });

  it('kills the workers that have not shut down in time, and exits with an error', async () => {
    const { supervisor, over, started, run, killed, ready } = supervised(2);
    ready(started[0]);
    ready(started[1]);
    supervisor.stop('SIGTERM');
    started[0]!.ends(0);
    run(STOP_MS);
    expect(started.map(({ signals }) => signals)).toEqual([['SIGTERM'], ['SIGTERM', 'SIGKILL']]);
    expect(killed).toEqual(['2 late']);
    started[1]!.ends(null, 'SIGKILL');
    expect(await over).toBe(1);
  });

  it('ends unresponsive workers when it ends itself, because they would keep the port', () => {
    const { supervisor, started, run, ready } = supervised(2);
    ready(started[0]);
    ready(started[1]);
    answer(started[0]);
    run(ASK_MS);
    supervisor.killUnresponsive();
    expect(started.map(({ signals }) => signals)).toEqual([[], ['SIGKILL']]);
  });

  it('keeps the figures of an ended worker, and asks only the other workers', () => {
    const { started, others, ready } = supervised(2);
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
    expect(others()).toEqual([]);
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
