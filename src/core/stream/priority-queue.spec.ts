import fc from 'fast-check';
import { PriorityQueue } from './priority-queue.js';

describe('PriorityQueue', () => {
  it('returns its elements in order, whatever is added meanwhile', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(50), { nil: undefined }), { maxLength: 200 }), (steps) => {
        const least = new PriorityQueue<number>((value) => value);
        const known: number[] = [];
        for (const step of steps) {
          if (step === undefined) expect(least.take()).toBe(known.shift());
          else {
            least.add(step);
            known.push(step);
            known.sort((a, b) => a - b);
          }
        }
        for (const value of known) expect(least.take()).toBe(value);
        expect(least.take()).toBeUndefined();
      }),
    );
  });
});
