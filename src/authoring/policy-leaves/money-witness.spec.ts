import fc from 'fast-check';
import type { BudgetDefinition } from '../../core/model/compiled-policy.js';
import { moneyWitnesses } from './money-witness.js';

function budget(tokens: number, onExceed: 'record' | 'block', per: BudgetDefinition['window']['per'] = 'day') {
  const window = { per, timezone: 'UTC' };
  return { id: 'team', scope: [], window, limit: { unit: 'tokens', tokens }, warnAt: [], onExceed } as const;
}

const dollars = (usd: number): BudgetDefinition => ({
  ...budget(1, 'block'),
  limit: { unit: 'usd', nanoUsd: String(usd * 1_000_000_000) },
});

/** Whether, among all small calls, one is refused before but not after the change. */
function passesMore(before: BudgetDefinition | undefined, after: BudgetDefinition | undefined): boolean {
  const isRefused = (one: BudgetDefinition | undefined, used: number, call: number): boolean =>
    one?.onExceed === 'block' && one.limit.unit === 'tokens' && used + call > one.limit.tokens;
  const all = Array.from({ length: 25 }, (_, index) => index);
  return all.some((used) =>
    all.some((call) => call > 0 && isRefused(before, used, call) && !isRefused(after, used, call)),
  );
}

describe('Witnesses of a budget change', () => {
  it('state the amount spent, the cost of the call, and both outcomes', () => {
    expect(moneyWitnesses(dollars(50), dollars(500))).toEqual([
      { direction: 'weaker', text: 'a call of $10 after $50 spent: refused before, passes now' },
    ]);
    expect(moneyWitnesses(dollars(50), undefined)).toEqual([
      { direction: 'weaker', text: 'a call of $10 after $50 spent: refused before, passes now' },
    ]);
  });

  it('show a shorter window with an amount that was spent in the previous window', () => {
    expect(moneyWitnesses(budget(50, 'block', 'month'), budget(50, 'block', 'day'))).toEqual([
      {
        direction: 'weaker',
        text: 'a call of 10 tokens after 50 tokens used in the day before: refused before, passes now',
      },
    ]);
  });

  it('show both directions for a longer window with a higher limit', () => {
    const shown = moneyWitnesses(budget(50, 'block', 'day'), budget(1000, 'block', 'month'));
    expect(shown.map(({ direction }) => direction).sort()).toEqual(['stricter', 'weaker']);
  });

  it('show a call that passes only after the change exactly if there is such a call among all small ones', () => {
    const any = fc.option(
      fc.record({
        tokens: fc.integer({ min: 1, max: 12 }),
        onExceed: fc.constantFrom('record' as const, 'block' as const),
      }),
      { nil: undefined },
    );
    fc.assert(
      fc.property(any, any, (a, b) => {
        const [before, after] = [a, b].map((one) => one && budget(one.tokens, one.onExceed));
        const isShown = moneyWitnesses(before, after).some(({ text }) => /: refused before, passes/.test(text));
        expect(isShown).toBe(passesMore(before, after));
      }),
    );
  });

  it('state the actual outcome of a call under the old and the new budget', () => {
    const some = fc.record({
      tokens: fc.integer({ min: 1, max: 40 }),
      onExceed: fc.constantFrom('record' as const, 'block' as const),
    });
    fc.assert(
      fc.property(some, some, (a, b) => {
        const said = /^a call of (\d+) tokens after (\d+) tokens used: (.+) before, (.+) now$/;
        for (const { text } of moneyWitnesses(budget(a.tokens, a.onExceed), budget(b.tokens, b.onExceed))) {
          const [, call, used, before, now] = said.exec(text)!;
          const answers = [a, b].map(({ tokens, onExceed }) => {
            if (Number(used) + Number(call) <= tokens) return 'passes';
            return onExceed === 'block' ? 'refused' : 'passes and is reported';
          });
          expect([text, before, now]).toEqual([text, ...answers]);
        }
      }),
    );
  });

  it('do not exist for a change from months to weeks', () => {
    expect(moneyWitnesses(budget(50, 'block', 'month'), budget(50, 'block', 'week'))).toEqual([]);
  });
});
