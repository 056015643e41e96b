import fc from 'fast-check';
import { Numbering } from './numbering.js';

/** The reference model: the first value gets 1, each new value the next number, and a value keeps its number. */
class Model {
  private readonly numbers = new Map<string, number>();
  private count = 0;

  of(value: string): number {
    if (!this.numbers.has(value)) this.numbers.set(value, ++this.count);
    return this.numbers.get(value)!;
  }

  known = (value: string): number | undefined => this.numbers.get(value);
  alias(value: string, spelling: string): void {
    const number = this.numbers.get(value);
    if (number !== undefined) this.numbers.set(spelling, number);
  }
  forget = (spelling: string): void => void this.numbers.delete(spelling);
}

/** Faster than `expect` for thousands of comparisons. */
function expectSame(given: number, expected: number): void {
  if (given !== expected) throw new Error(`the number is ${given}, not ${expected}`);
}

describe('Numbers of values', () => {
  it('are the same for equal values, regardless of their count and position', () => {
    // Few enough distinct values that they repeat, but more than the map holds.
    const value = fc.oneof(
      fc.integer({ min: 0, max: 3_000 }).map((n) => `value ${n}`),
      fc.string({ maxLength: 3 }),
      fc.integer({ min: 0, max: 40 }).map((n) => '\u00e9'.repeat(n)),
    );
    const step = fc.oneof(
      { weight: 20, arbitrary: fc.record({ of: value, before: fc.string({ maxLength: 4 }) }) },
      { weight: 1, arbitrary: fc.record({ alias: value, as: value }) },
      { weight: 1, arbitrary: fc.record({ forget: value }) },
    );
    fc.assert(
      fc.property(fc.boolean(), fc.array(step, { maxLength: 300 }), (many, steps) => {
        const [numbering, model] = [new Numbering(), new Model()];
        for (let n = 0; many && n < 2_000; n++) expectSame(numbering.of('T', `value ${n}`), model.of(`value ${n}`));
        for (const one of steps) {
          if ('of' in one) {
            const [start, end] = [one.before.length, one.before.length + one.of.length];
            expectSame(numbering.of('T', `${one.before}${one.of}.`, start, end), model.of(one.of));
          } else if ('alias' in one) {
            numbering.alias('T', one.alias, one.as);
            model.alias(one.alias, one.as);
          } else {
            numbering.forget('T', one.forget);
            model.forget(one.forget);
          }
        }
        const some = Array.from({ length: 200 }, (_, n) => `value ${n * 15}`);
        expect(some.map((each) => numbering.known('T', each))).toEqual(some.map(model.known));
      }),
      { numRuns: 25 },
    );
  });

  it('stay correct for values chosen to have the same hash', () => {
    const numbering = new Numbering();
    const values = [...Array.from({ length: 2_000 }, (_, n) => `value ${n}`), ...collidingTexts(6)];
    for (let round = 0; round < 2; round++) {
      expect(values.map((value) => numbering.of('T', value))).toEqual(values.map((_, index) => index + 1));
    }
  });
});

/** 2 to the power of `pairs` texts with the same FNV-1a hash: at each step, two different pieces lead to the same state. */
function collidingTexts(pairs: number): string[] {
  let texts = [''];
  let state = 0x811c9dc5 | 0;
  for (let pair = 0; pair < pairs; pair++) {
    const seen = new Map<number, string>();
    let twins: readonly [string, string] | undefined;
    for (let count = 0; twins === undefined; count++) {
      if (count === 1_000_000) throw new Error('a million texts have as many hashes');
      const text = `${Math.imul(count, 0x9e3779b1)}${Math.imul(count + 7, 0x85ebca6b)},`;
      let after = state;
      for (let at = 0; at < text.length; at++) after = Math.imul(after ^ text.charCodeAt(at), 0x01000193);
      const other = seen.get(after);
      if (other === undefined) seen.set(after, text);
      else [twins, state] = [[other, text], after];
    }
    texts = texts.flatMap((text) => twins.map((twin) => text + twin));
  }
  return texts;
}
