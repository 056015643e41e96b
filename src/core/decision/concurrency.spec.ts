import type { FactSet } from '../model/fact.js';
import { head, policyOf } from '../policy/testdata/sample-policy.js';
import { evaluate } from './evaluate.js';
import { FACTS, LATTICE, NOW_MS, clean, found } from './testdata/judge.js';

describe('evaluate, run concurrently,', () => {
  it('reports every rule in each of 50 evaluations', async () => {
    const rules = Array.from(
      { length: 12 },
      (_, index) => `  - { id: r${index}, stage: pre, when: { model.name: gpt-4o }, then: { action: flag } }`,
    );
    const policy = policyOf(`${head()}rules:\n${rules.join('\n')}\n`);
    // Each evaluation starts a few microtasks after the previous one, so that one ends while others are still running.
    const slowFacts = async (turns: number): Promise<FactSet> => {
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      if (turns % 5 === 0) await new Promise((resolve) => setImmediate(resolve));
      return FACTS;
    };
    const decisions = await Promise.all(
      Array.from({ length: 50 }, async (_, index) =>
        evaluate(policy, { stage: 'pre', nowMs: NOW_MS, clientMonitor: false, facts: await slowFacts(index) }),
      ),
    );
    expect(decisions.map(({ fired }) => fired.length)).toEqual(Array<number>(50).fill(12));
  });

  it('does not mix up evaluations of different facts', async () => {
    const policy = policyOf(LATTICE);
    const all = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        for (let turn = 0; turn < index % 9; turn++) await Promise.resolve();
        const facts = { ...FACTS, pii: index % 2 === 0 ? found('US_SSN') : clean };
        return evaluate(policy, { stage: 'pre', nowMs: NOW_MS, clientMonitor: false, facts });
      }),
    );
    expect(all.map(({ action }) => action)).toEqual(all.map((_, index) => (index % 2 === 0 ? 'block' : 'allow')));
  });
});
