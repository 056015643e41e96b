import fc from 'fast-check';
import type { BudgetLedger, BudgetTerms } from '../../src/core/index.js';
import { budget } from './budget.js';

const DOLLARS: BudgetTerms = { id: 'team', unit: 'usd', limit: 5_000_000_000n };
const TOKENS: BudgetTerms = { id: 'team', unit: 'tokens', limit: 1_001n };

function ledgerWith(used: bigint, reserved = 0n): BudgetLedger {
  return { usageOf: (id) => (id === 'team' ? { used, reserved } : undefined) };
}

const read = (terms: BudgetTerms, used: bigint, reserved = 0n) => budget.read(terms, ledgerWith(used, reserved), {});

describe('budget', () => {
  it('reports the used, reserved and remaining amounts of a budget in dollars as dollars', () => {
    expect(read(DOLLARS, 4_000_000_000n, 250_000_000n)).toEqual({
      used_ratio: 0.8,
      used: 4,
      remaining: 1,
      reserved: 0.25,
    });
  });

  it('reports the amounts of a budget in tokens as tokens', () => {
    expect(read(TOKENS, 1n, 7n)).toEqual({ used_ratio: 0.000999000999001, used: 1, remaining: 1_000, reserved: 7 });
  });

  it('reports a negative remaining amount if more was used than the limit', () => {
    expect(read(DOLLARS, 6_000_000_001n)).toEqual({
      used_ratio: 1.2000000002,
      used: 6.000000001,
      remaining: -1.000000001,
      reserved: 0,
    });
  });

  it('does not count reserved amounts as used', () => {
    expect(read(DOLLARS, 0n, 5_000_000_000n)).toMatchObject({ used_ratio: 0, remaining: 5, reserved: 5 });
  });

  it('returns no facts while the ledger does not answer', () => {
    expect(budget.read(DOLLARS, { usageOf: () => undefined }, {})).toBeUndefined();
  });

  it('declares facts in the unit of the limit or as ratios, and none as optional or client-controlled', () => {
    for (const terms of [DOLLARS, TOKENS]) {
      const declared = budget.facts(terms);
      expect(declared.map(({ name }) => name)).toEqual(
        Object.keys(read(terms, 1n)!).map((what) => `budgets.team.${what}`),
      );
      for (const { name, unit, optional, clientControlled } of declared) {
        expect({ unit, optional, clientControlled }).toEqual({
          unit: name.endsWith('_ratio') ? 'ratio' : terms.unit,
          optional: false,
          clientControlled: false,
        });
      }
    }
  });

  it('yields usages for which a fact is at a given threshold or directly next to it', () => {
    const amount = fc.double({ min: 0, max: 5_000, noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(fc.constantFrom(DOLLARS, TOKENS), fc.nat({ max: 3 }), amount, (terms, index, value) => {
        const fact = budget.facts(terms)[index]!;
        const what = fact.name.slice('budgets.team.'.length);
        const usages = budget.usagesAt(fact, value, terms);
        const readings = usages.map((usage) => Number(budget.read(terms, { usageOf: () => usage }, {})![what]));
        // The nearest whole amount differs by at most one nano-dollar or one token; facts have twelve significant digits.
        const step = what === 'used_ratio' ? 1 / Number(terms.limit) : terms.unit === 'usd' ? 1e-9 : 1;
        const near = step * (1 + 1e-6) + Math.abs(value) * 1e-11;
        const isReachable = what !== 'remaining' || value <= Number(terms.limit) / (terms.unit === 'usd' ? 1e9 : 1);
        expect(usages.length > 0 || !isReachable).toBe(true);
        for (const one of readings) expect(Math.abs(one - value)).toBeLessThanOrEqual(near);
      }),
    );
  });

  it('accepts no options', () => {
    expect(budget.meta.options.safeParse({}).success).toBe(true);
    expect(budget.meta.options.safeParse({ warn: 1 }).success).toBe(false);
  });
});
