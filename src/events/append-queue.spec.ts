import fc from 'fast-check';
import { AppendQueue, keyNameOf, type QueuedAppend } from './append-queue.js';

interface Item extends QueuedAppend {
  readonly id: number;
}

const LIMITS = { batchRows: 512, batchSize: 8 * 1_024 * 1_024 };
/** The duration of a statement, to which each row adds, as measured with the embedded database. */
const STATEMENT_MS = 5;
const ROW_MS = 0.5;

let made = 0;
const item = (key: string, sinceMs = 0, more: Partial<Item> = {}): Item => {
  const event = more.event ?? { accountId: 'account', keyId: key };
  return { id: made++, rows: [0], size: 1_000, event, keyName: keyNameOf(event), sinceMs, names: [], ...more };
};
const LARGE = { size: 5_000_000 };
const keysOf = (batch: readonly Item[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { event } of batch) counts[event.keyId] = (counts[event.keyId] ?? 0) + 1;
  return counts;
};

/** The waiting times of a quiet key's appends, each until its statement ends, on a simulated clock. */
function waitsOfQuietKey(noisyAtOnce: number): number[] {
  const queue = new AppendQueue<Item>(LIMITS);
  const waitedMs: number[] = [];
  let nowMs = 0;
  let dueMs = 43;
  queue.push(item('quiet', 0));
  for (let statement = 0; statement < 200; statement++) {
    for (let index = 0; index < noisyAtOnce; index++) queue.push(item('noisy', nowMs));
    const batch = queue.nextBatch(nowMs);
    if (batch.length === 0) {
      nowMs = dueMs;
    } else {
      nowMs += STATEMENT_MS + batch.length * ROW_MS;
      for (const { event, sinceMs } of batch) if (event.keyId === 'quiet') waitedMs.push(nowMs - sinceMs);
    }
    for (; dueMs <= nowMs; dueMs += 43) queue.push(item('quiet', dueMs));
  }
  return waitedMs;
}

describe('The queue of events to be stored', () => {
  it('makes a quiet key wait for little more than the running statement, however much another key stores', () => {
    const alone = Math.max(...waitsOfQuietKey(0));
    const statementMs = STATEMENT_MS + (16 + 1) * ROW_MS;
    expect(alone).toBe(STATEMENT_MS + ROW_MS);
    expect(Math.max(...waitsOfQuietKey(100))).toBeLessThanOrEqual(2 * statementMs);
  });

  it('gives a key no more than its share of a statement while another key of the same account stores events', () => {
    const queue = new AppendQueue<Item>(LIMITS);
    queue.push(item('quiet'));
    for (let index = 0; index < 100; index++) queue.push(item('noisy'));
    expect(keysOf(queue.nextBatch(0))).toEqual({ quiet: 1, noisy: 16 });
    expect(keysOf(queue.nextBatch(1_000))).toEqual({ noisy: 16 });
  });

  it('gives an account with many keys no more than its share of a statement while another account stores events', () => {
    const queue = new AppendQueue<Item>(LIMITS);
    for (let index = 0; index < 500; index++) queue.push(item(`noisy ${index % 50}`));
    queue.push(item('quiet', 0, { event: { accountId: 'other', keyId: 'quiet' } }));
    const batch = queue.nextBatch(0);
    expect(keysOf(batch)).toMatchObject({ quiet: 1 });
    expect(batch).toHaveLength(65);
  });

  it('gives a key the whole statement while it is alone, and again when the other keys are idle', () => {
    const queue = new AppendQueue<Item>(LIMITS);
    queue.push(item('quiet'));
    expect(queue.nextBatch(0)).toHaveLength(1);
    for (let index = 0; index < 100; index++) queue.push(item('busy', 61_000));
    expect(queue.nextBatch(61_000)).toHaveLength(100);
  });

  it('stores each large request alone, and small requests between two large ones', () => {
    const queue = new AppendQueue<Item>(LIMITS);
    for (let index = 0; index < 3; index++) queue.push(item('large', 0, { size: 5_000_000 }));
    for (let index = 0; index < 3; index++) queue.push(item('many rows', 0, { rows: Array.from({ length: 100 }) }));
    for (let index = 0; index < 20; index++) queue.push(item('small'));
    const batches = Array.from({ length: 8 }, () => queue.nextBatch(0));
    expect(batches.map((batch) => keysOf(batch))).toEqual([
      { large: 1 },
      { small: 16 },
      { 'many rows': 1 },
      { small: 4 },
      { large: 1 },
      { 'many rows': 1 },
      { large: 1 },
      { 'many rows': 1 },
    ]);
  });

  it('does not give out a small request before an earlier, large one of its call', () => {
    const queue = new AppendQueue<Item>(LIMITS);
    const names = ['call'];
    const first = item('key', 0, { ...LARGE, names });
    const second = item('key', 0, { names });
    const [other, later] = [item('key'), item('key')];
    for (const each of [other, first, second]) queue.push(each);
    expect([queue.nextBatch(0), queue.length, queue.units]).toEqual([[first], 2, 2_000]);
    queue.push(later);
    expect(queue.nextBatch(0)).toEqual([other, second, later]);
  });

  it('does not give out a large request before an earlier, small one of its call', () => {
    const queue = new AppendQueue<Item>({ ...LIMITS, batchRows: 1 });
    const names = ['call'];
    const others = [item('key'), item('key')];
    const first = item('key', 0, { names });
    const second = item('key', 0, { ...LARGE, names });
    for (const each of [...others, first, second]) queue.push(each);
    const batches = Array.from({ length: 4 }, () => queue.nextBatch(0));
    expect(batches).toEqual([[others[0]], [others[1]], [first], [second]]);
  });

  it('removes requests that have waited too long together with the related requests that they held back', () => {
    const queue = new AppendQueue<Item>(LIMITS);
    const names = ['call'];
    const old = [item('key', 0, { ...LARGE, names }), item('key', 10, { names })];
    const late = [item('key', 20, { names }), item('key', 30, { ...LARGE, names })];
    for (const each of [...old, ...late]) queue.push(each);
    expect(
      queue
        .takeOlderThan(15)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(old.map(({ id }) => id));
    expect([queue.nextBatch(0), queue.nextBatch(0), queue.length]).toEqual([[late[0]], [late[1]], 0]);
  });

  it('removes every request once, in the order of each key, and no statement exceeds its limits', () => {
    const arrival = fc.record({
      key: fc.constantFrom('a', 'b', 'c'),
      account: fc.constantFrom('one', 'other'),
      size: fc.integer({ min: 1, max: 100_000 }),
      rows: fc.integer({ min: 1, max: 60 }),
      isLarge: fc.boolean(),
      names: fc.subarray(['call 1', 'call 2', 'call 3', 'session']),
    });
    const step = fc.oneof({ weight: 4, arbitrary: arrival }, { weight: 1, arbitrary: fc.constant('next' as const) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const queue = new AppendQueue<Item>({ batchRows: 200, batchSize: 1_000_000 });
        const out: Item[] = [];
        const put: Item[] = [];
        const take = (): void => {
          const batch = queue.nextBatch(0);
          const size = batch.reduce((sum, one) => sum + one.size, 0);
          const rows = batch.reduce((sum, one) => sum + one.rows.length, 0);
          if (batch.length > 1) expect([size <= 1_000_000, rows <= 200]).toEqual([true, true]);
          out.push(...batch);
        };
        for (const each of steps) {
          if (each === 'next') take();
          else {
            const { account, key, rows, isLarge, names } = each;
            const size = isLarge ? 200_000 : each.size;
            const event = { accountId: account, keyId: key };
            const namesOfKey = names.map((name) => `${account} ${key} ${name}`);
            put.push(item(key, 0, { event, rows: Array.from({ length: rows }), size, names: namesOfKey }));
            queue.push(put.at(-1)!);
          }
        }
        while (queue.length > 0) take();
        expect(queue.units).toBe(0);
        expect(out.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(put.map(({ id }) => id));
        const orders = (items: readonly Item[]): Record<string, number[]> => {
          const found: Record<string, number[]> = {};
          for (const { event, size, id, names } of items) {
            // Requests of a key with the same size keep their order among those without relatives, and all requests of a call theirs.
            const own = `${event.accountId} ${event.keyId} ${size > 150_000 ? 'large' : 'small'}`;
            for (const name of names.length === 0 ? [own] : names) (found[name] ??= []).push(id);
          }
          return found;
        };
        expect(orders(out)).toEqual(orders(put));
      }),
    );
  });
});
