import fc from 'fast-check';
import { FairQueue } from './fair-queue.js';

function drain(queue: FairQueue<string>): string[] {
  const items: string[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) items.push(item);
  return items;
}

describe('A fair queue', () => {
  it('serves a party with one item after at most one item of each other party', () => {
    const queue = new FairQueue<string>();
    for (let index = 0; index < 1_000; index++) queue.push(['noisy', 'key'], `noisy ${index}`);
    queue.push(['polite', 'key'], 'polite');
    expect(drain(queue).indexOf('polite')).toBeLessThanOrEqual(1);
  });

  it('gives an account with many keys no more turns than an account with a single key', () => {
    const queue = new FairQueue<string>();
    for (let key = 0; key < 50; key++) queue.push(['many', `key ${key}`], 'many');
    for (let index = 0; index < 50; index++) queue.push(['one', 'key'], 'one');
    expect(
      drain(queue)
        .slice(0, 20)
        .filter((item) => item === 'one'),
    ).toHaveLength(10);
  });

  it('can remove an item of the party with the most waiting items', () => {
    const queue = new FairQueue<string>();
    queue.push(['polite'], 'polite');
    for (let index = 0; index < 3; index++) queue.push(['noisy'], `noisy ${index}`);
    expect([queue.popFromLongest(), queue.popFromLongest()]).toEqual(['noisy 2', 'noisy 1']);
    expect(drain(queue)).toEqual(['polite', 'noisy 0']);
  });

  it('loses no item, adds none, and keeps the order of each party', () => {
    const operation = fc.oneof(
      fc.record({ push: fc.constantFrom('a/x', 'a/y', 'b/x', 'c/x') }),
      fc.constant({ take: 'next' as const }),
      fc.constant({ take: 'last' as const }),
      fc.record({ remove: fc.nat(9) }),
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
        const queue = new FairQueue<{ path: string; id: number }>();
        const inside = new Set<number>();
        let next = 0;
        for (const step of operations) {
          if ('push' in step) {
            inside.add(next);
            queue.push(step.push.split('/'), { path: step.push, id: next++ });
          } else if ('remove' in step) {
            for (const { id } of queue.removeAll(({ id }) => id % 10 === step.remove))
              expect(inside.delete(id)).toBe(true);
          } else {
            const seen: unknown[] = [];
            // An item that is not wanted keeps its place.
            queue.shift(undefined, (item) => seen.push(item) === 0);
            const taken = step.take === 'next' ? queue.shift() : queue.popFromLongest();
            if (step.take === 'next') expect(taken).toBe(seen[0]);
            if (taken !== undefined) expect(inside.delete(taken.id)).toBe(true);
          }
          expect(queue.size).toBe(inside.size);
        }
        const last = new Map<string, number>();
        for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
          expect(item.id).toBeGreaterThan(last.get(item.path) ?? -1);
          last.set(item.path, item.id);
          inside.delete(item.id);
        }
        expect(inside.size).toBe(0);
        expect(queue.parties).toBe(0);
      }),
    );
  });
});
