import type { ReadLeaf } from './read-leaves.js';
import { triedValues } from './tried-values.js';

/** One condition per value, each in its own rule. */
const leavesOf = (values: readonly string[]): ReadLeaf[] =>
  values.map((value, index) => ({ owner: `rule-${index}`, op: 'eq', value }) as unknown as ReadLeaf);
const named = (leaves: readonly ReadLeaf[]): string[] => leaves.map(({ value }) => value as string);
const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `value-${index}`);

describe('triedValues', () => {
  it('returns all values if there are few conditions', () => {
    const values = numbered(50);
    const leaves = leavesOf(values);
    expect(triedValues(values, leaves, [leaves, leaves], named)).toEqual({ values, sampled: false });
  });

  it('returns some of thousands of values, including those of changed conditions', () => {
    const before = numbered(9_000);
    const after = before.map((value) => (value === 'value-4500' ? 'changed' : value));
    const [old, now] = [leavesOf(before), leavesOf(after)];
    const tried = triedValues([...before, 'changed'], [...old, ...now], [old, now], named);
    expect(tried.sampled).toBe(true);
    expect(tried.values).toEqual(expect.arrayContaining(['value-4500', 'changed', 'value-0']));
    expect(tried.values.length * (old.length + now.length)).toBeLessThanOrEqual(4_100_000);
  });
});
