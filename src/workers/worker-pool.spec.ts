import { WorkerFailure } from './worker-failure.js';
import { WorkerPool } from './worker-pool.js';

const FILE = new URL('./testdata/odd-jobs.ts', import.meta.url);
const SECRET = 'zanzibar';
const ample = { workMs: 30_000, for: ['somebody'] };

function poolOf(threads: number): WorkerPool {
  return new WorkerPool({ file: FILE, threads, memoryLimitMb: 128, idleMs: 60_000, data: { mark: '!' } });
}

/** A gate that holds a task in its thread until it is opened. */
function gate() {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  return {
    cell,
    open: () => {
      Atomics.store(cell, 0, 1);
      Atomics.notify(cell, 0);
    },
  };
}

describe('A pool of worker threads', () => {
  const pool = poolOf(1);

  afterAll(() => pool.close());

  const failureOf = (name: string, input?: unknown, workMs = 30_000): Promise<unknown> =>
    pool.run(name, input, { ...ample, workMs }).catch((error: unknown) => error);

  it('runs a task with the data that all tasks share, and returns its result', async () => {
    expect(await pool.run('shout', 'hello', ample)).toBe('HELLO!');
  });

  it('reveals no settings of the service to a task', async () => {
    expect(await pool.run('settings', undefined, ample)).toEqual([]);
  });

  it.each([
    ['timeout', 'loop', 50],
    ['memory', 'hoard', 30_000],
    ['memory', 'buffers', 30_000],
    ['crashed', 'leave', 30_000],
    ['threw', 'fail', 30_000],
    ['threw', 'uncloneable', 30_000],
    ['threw', 'no such task', 30_000],
  ])('reports "%s" for %s, and continues', async (kind, name, workMs) => {
    const failure = await failureOf(name, SECRET, workMs);
    expect(failure).toBeInstanceOf(WorkerFailure);
    expect(failure).toMatchObject({ kind });
    expect(String(failure)).not.toContain(SECRET);
    expect(await pool.run('shout', 'again', ample)).toBe('AGAIN!');
  });

  it('reports input that cannot be sent to a thread, and continues', async () => {
    expect(await failureOf('shout', () => undefined)).toMatchObject({ kind: 'threw' });
    expect(await pool.run('shout', 'again', ample)).toBe('AGAIN!');
  });

  it('continues with the waiting tasks when a thread dies', async () => {
    const results = await Promise.all([
      failureOf('leave'),
      failureOf('shout', 'a'),
      failureOf('loop', '', 20),
      failureOf('shout', 'b'),
    ]);
    expect(results).toMatchObject([{ kind: 'crashed' }, 'A!', { kind: 'timeout' }, 'B!']);
  });

  it('ends a cancelled task, whether it is running or waiting', async () => {
    const cancelling = new AbortController();
    const options = { ...ample, signal: cancelling.signal };
    const ended = [pool.run('loop', undefined, options), pool.run('shout', 'late', options)];
    cancelling.abort();
    expect(await Promise.allSettled(ended)).toMatchObject([
      { reason: { kind: 'cancelled' } },
      { reason: { kind: 'cancelled' } },
    ]);
    await expect(pool.run('shout', 'late', options)).rejects.toMatchObject({ kind: 'cancelled' });
  });

  it('rejects each task if no thread can be started', async () => {
    const broken = new WorkerPool({
      file: new URL('./testdata/broken.ts', import.meta.url),
      threads: 2,
      memoryLimitMb: 64,
      idleMs: 1,
    });
    const tasks = ['a', 'b', 'c'].map((text) => broken.run('shout', text, ample));
    expect(await Promise.allSettled(tasks)).toMatchObject(tasks.map(() => ({ reason: { kind: 'crashed' } })));
    await broken.close();
  });

  it('rejects each task, now and later, if the system refuses to start a thread', async () => {
    // Node refuses a file that is not on the disk as it refuses a thread beyond the limit of the system: with an error of the constructor.
    const refused = new WorkerPool({
      ...{ file: new URL('https://weir.invalid/worker.js'), threads: 2, memoryLimitMb: 64, idleMs: 1 },
    });
    for (const text of ['a', 'b']) {
      await expect(refused.run('shout', text, ample)).rejects.toMatchObject({ kind: 'crashed' });
    }
    expect(refused.state).toEqual({ waiting: 0, threads: 0, busy: 0 });
    await refused.close();
  });
});

describe('Tasks that wait for a thread', () => {
  it('take turns, even if one caller has many tasks', async () => {
    const pool = poolOf(1);
    const { cell, open } = gate();
    const order: string[] = [];
    const run = (who: string): Promise<unknown> =>
      pool.run('shout', who, { ...ample, for: [who] }).then(() => order.push(who));
    const held = pool.run('hold', cell, ample);
    const waiting = [...Array.from({ length: 20 }, () => run('noisy')), run('polite')];
    open();
    await Promise.all([held, ...waiting]);
    expect(order.indexOf('polite')).toBeLessThanOrEqual(1);
    await pool.close();
  });

  it('are not charged for their waiting time', async () => {
    const pool = poolOf(1);
    const first = pool.run('loop', undefined, { ...ample, workMs: 400 });
    const waiting = pool.run('shout', 'late', { ...ample, workMs: 200 });
    expect(await Promise.allSettled([first, waiting])).toMatchObject([
      { reason: { kind: 'timeout' } },
      { value: 'LATE!' },
    ]);
    await pool.close();
  });

  it('get a thread although long tasks wait', async () => {
    const pool = poolOf(2);
    const { cell, open } = gate();
    const long = Array.from({ length: 3 }, () => pool.run('hold', cell, { ...ample, long: true }));
    expect(await pool.run('shout', 'short', ample)).toBe('SHORT!');
    open();
    await Promise.all(long);
    await pool.close();
  });
});
