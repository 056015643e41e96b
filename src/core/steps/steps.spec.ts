import fc from 'fast-check';
import {
  atOnce,
  atOnceOrInTurns,
  filtered,
  flatMapped,
  joinedLists,
  mapped,
  oneStep,
  sorted,
  THINGS_BETWEEN_STOPS,
  type Steps,
} from './steps.js';

/** Long enough for several stops. */
const numbers = fc.array(fc.integer({ min: -50, max: 50 }), { maxLength: 3 * THINGS_BETWEEN_STOPS, size: 'max' });

describe('Work in steps', () => {
  it('can join more lists than a function call can have arguments', () => {
    const lists = Array.from({ length: 300_000 }, (_, index) => [index]);
    expect(joinedLists(lists)).toEqual(lists.map(([index]) => index));
  });

  it('returns the same as the array methods', () => {
    fc.assert(
      fc.property(numbers, (items) => {
        const pairs = items.map((value, index) => ({ value, index }));
        expect(atOnce(mapped(items, (item, index) => item * index))).toEqual(items.map((item, index) => item * index));
        expect(atOnce(filtered(items, (item) => item > 0))).toEqual(items.filter((item) => item > 0));
        expect(atOnce(flatMapped(items, (item) => (item > 0 ? [item, item] : [])))).toEqual(
          items.flatMap((item) => (item > 0 ? [item, item] : [])),
        );
        // The sort is stable: equal values keep their order.
        expect(atOnce(sorted(pairs, (a, b) => a.value - b.value))).toEqual(pairs.toSorted((a, b) => a.value - b.value));
      }),
      { numRuns: 60 },
    );
  });

  it('pauses regularly by elapsed time, and returns the same result', async () => {
    let [now, pauses, steps] = [0, 0, 0];
    function* work(): Steps<string> {
      for (; steps < 100; steps++) {
        now += 0.25;
        yield;
      }
      return 'done';
    }
    const pause = (): Promise<void> => Promise.resolve(void pauses++);
    expect(await atOnceOrInTurns(work(), { nowMs: () => now, pause })).toBe('done');
    expect(pauses).toBeGreaterThanOrEqual(10);
    expect(pauses).toBeLessThan(20);
  });

  it.each([
    ['at once if it takes no longer than a turn', 0.01, 0],
    ['in turns if it takes longer than a turn', 0.25, 1],
  ])('is done %s', async (_what, stepMs, leastPauses) => {
    let [now, pauses] = [0, 0];
    function* work(): Steps<string> {
      for (let steps = 0; steps < 100; steps++) {
        now += stepMs;
        yield;
      }
      return 'done';
    }
    const pause = (): Promise<void> => Promise.resolve(void pauses++);
    const result = atOnceOrInTurns(work(), { nowMs: () => now, pause });
    expect(result instanceof Promise).toBe(leastPauses > 0);
    await expect(Promise.resolve(result)).resolves.toBe('done');
    expect(pauses).toBeGreaterThanOrEqual(leastPauses);
  });

  it('yields to other work between two long steps, whatever precedes them', async () => {
    let now = 0;
    const done: string[] = [];
    const long = (name: string) => (): void => {
      now += 5;
      done.push(name);
    };
    function* work(): Steps<void> {
      now += 1;
      yield* oneStep(long('first'));
      yield* oneStep(long('second'));
    }
    const pause = (): Promise<void> => Promise.resolve(void done.push('others'));
    await atOnceOrInTurns(work(), { nowMs: () => now, pause });
    expect(done.slice(0, 3)).toEqual(['first', 'others', 'second']);
  });

  it('fails with the error of its work', async () => {
    function* failing(): Steps<never> {
      throw new RangeError('outside');
    }
    expect(() => atOnce(failing())).toThrow('outside');
    expect(() => atOnceOrInTurns(failing(), { nowMs: () => 0, pause: () => Promise.resolve() })).toThrow('outside');
  });
});
