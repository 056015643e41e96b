import fc from 'fast-check';
import type { FactValue } from '../model/fact.js';
import { implies, type Formula } from './implied-condition.js';
import { applyOperator } from './operators.js';
import { allOf, anyOf, type Verdict } from './verdict.js';

const LISTS = new Map([['some', [0, 2]]]);
const number = fc.integer({ min: 0, max: 3 });
const leaf = fc.oneof(
  fc.record({
    op: fc.constantFrom('gt', 'gte', 'lt', 'lte', 'not_gt', 'not_gte', 'not_lt', 'eq', 'ne'),
    value: number,
  }),
  fc.record({
    op: fc.constantFrom('in', 'not_in'),
    value: fc.oneof(fc.array(number, { minLength: 1 }), fc.constant({ list: 'some' })),
  }),
  fc.record({
    op: fc.constantFrom('any_of', 'none_of', 'all_of', 'not_all_of'),
    value: fc.array(number, { minLength: 1 }),
  }),
);
const { formula } = fc.letrec<{ formula: Formula }>((tie) => ({
  formula: fc.oneof(
    { depthSize: 'small' },
    fc
      .record({ one: leaf, fact: fc.constantFrom('a', 'b') })
      .map(({ one, fact }): Formula => ({ kind: 'leaf', fact, ...one })),
    fc.record({
      kind: fc.constantFrom('all' as const, 'any' as const),
      items: fc.array(tie('formula'), { minLength: 1, maxLength: 3 }),
    }),
  ),
}));

/** Numbers, an absent value, a value that no number operator reads, and sets, one with an entry that cannot be compared. */
const VALUES: readonly FactValue[] = [0, 1, 2, 3, 4, null, 'x', [0, 1], [2, 3], [0, { x: 1 }], []];
const ORDER = new Map<Verdict, number>([
  [false, 0],
  [null, 1],
  [true, 2],
]);

function verdict(one: Formula, facts: Readonly<Record<string, FactValue>>): Verdict {
  if (one.kind !== 'leaf') return (one.kind === 'all' ? allOf : anyOf)(one.items, (item) => verdict(item, facts));
  const { value } = one;
  const operand = typeof value === 'object' && value !== null && 'list' in value ? LISTS.get('some') : value;
  return applyOperator(one.op, facts[one.fact] as never, operand, {} as never);
}

const limits = () => ({ lists: LISTS, effort: { steps: 10_000 } });

describe('implies', () => {
  it('is true only if the wide condition is at least as true as the narrow one in every call', () => {
    fc.assert(
      fc.property(formula, formula, (narrow, wide) => {
        if (!implies(narrow, wide, limits())) return;
        for (const a of VALUES) {
          for (const b of VALUES) {
            const [first, second] = [narrow, wide].map((one) => ORDER.get(verdict(one, { a, b }))!);
            expect(first).toBeLessThanOrEqual(second!);
          }
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('is true for equal conditions, for an added alternative, and for an omitted condition', () => {
    fc.assert(
      fc.property(formula, formula, (one, other) => {
        expect(implies(one, one, limits())).toBe(true);
        expect(implies(one, { kind: 'any', items: [other, one] }, limits())).toBe(true);
        expect(implies({ kind: 'all', items: [other, one] }, one, limits())).toBe(true);
      }),
    );
  });

  it('is false when no steps are left, so that large conditions take limited time', () => {
    const items = Array.from({ length: 3_000 }, (_, value): Formula => ({ kind: 'leaf', fact: 'a', op: 'eq', value }));
    const effort = { steps: 1_000 };
    expect(implies({ kind: 'any', items }, { kind: 'any', items: items.toReversed() }, { lists: LISTS, effort })).toBe(
      false,
    );
    expect(effort.steps).toBeLessThanOrEqual(0);
  });
});
