import { PLUGINS } from '../../plugins/index.js';
import {
  comparePolicies,
  isTouched,
  LEAF_CLASSES,
  mutantsOf,
  policyChanges,
  policySchemas,
  unshownWeakenings,
} from '../../src/authoring/index.js';
import { compilePolicy, type CompiledPolicy } from '../../src/core/index.js';
import { FULL_POLICY, OTHER_VALUES, PLAIN_TEXT } from '../support/full-policy.js';
import { leavesOfSchema, type Schema } from '../support/schema-leaves.js';

const NOW_MS = Date.parse('2026-11-21T00:00:00Z');
const SCHEMA = policySchemas(PLUGINS, { detectors: new Map(), budgets: [], lists: [], conditions: [] })[
  'policy.v1.json'
] as Schema;
const LEAVES = leavesOfSchema(SCHEMA);

type Plain = string | number | boolean | null | undefined | Plain[] | { [key: string]: Plain };

function compiled(document: Plain): CompiledPolicy {
  const { policy, problems } = compilePolicy({
    environment: 'production',
    files: [
      { path: 'production/policy.yaml', text: JSON.stringify(document) },
      { path: '_shared/base.yaml', text: PLAIN_TEXT },
      {
        path: '_shared/more.yaml',
        text: PLAIN_TEXT.replace('id: inherited', 'id: more').replace('old.flag', 'more.flag'),
      },
    ],
    plugins: PLUGINS,
  });
  if (policy === undefined) throw new Error(problems.map(({ message, hint }) => `${message} ${hint}`).join('; '));
  return policy;
}

/** The same document with another value at a leaf; undefined takes it out. */
function changed(leaf: string, value: Plain): Plain {
  const copy = structuredClone(FULL_POLICY) as unknown as Plain;
  const plugin = /\((.+?)\)/.exec(leaf)?.[1];
  const steps = leaf
    .replace(/\(.+?\)/, '')
    .replaceAll('[]', '.[]')
    .split('.');
  let at = copy as Record<string, Plain>;
  steps.forEach((step, index) => {
    const keys = Object.keys(at);
    const rule = leaf.includes('redact') ? 1 : leaf.endsWith('on_unknown') ? 3 : 0;
    const key =
      step === '[]'
        ? leaf.startsWith('rules')
          ? rule
          : 0
        : step !== '*'
          ? step
          : keys.find(
              (one) =>
                plugin === undefined ||
                index > 1 ||
                String((at[one] as Record<string, Plain>)['plugin']).startsWith(`${plugin}@`),
            )!;
    if (leaf === 'detectors.*.plugin' && index === 1) at = at['extra'] as Record<string, Plain>;
    else if (index < steps.length - 1) at = at[key] as Record<string, Plain>;
    else if (value === undefined) delete at[key];
    else at[key] = value;
    // A limit is in dollars or in tokens.
    if (leaf.endsWith('limit.tokens') && index === steps.length - 1) delete at['usd'];
    if (leaf === 'rules[].mode' && index === steps.length - 1) at['review_by'] = '2026-12-31';
    if (leaf.endsWith('then.action') && index === steps.length - 1)
      for (const key of ['reason', 'detail']) delete at[key];
    if (leaf.endsWith('redact.restore') && index === steps.length - 1) at['tokens'] = 'stable';
  });
  return copy;
}

/** What each of the three gates says about a change. */
async function gates(base: CompiledPolicy, next: CompiledPolicy) {
  const changes = policyChanges(base, next, NOW_MS);
  const comparison = await comparePolicies(base, next, { plugins: PLUGINS, nowMs: NOW_MS, maxRequests: 300 });
  const shown = (direction: string): boolean => comparison.changes.some((one) => one.direction === direction);
  const beside = unshownWeakenings(changes, comparison);
  return {
    diff: { weaker: shown('weaker') || beside.length > 0, stricter: shown('stricter'), failsBeside: beside.length > 0 },
    plan: changes,
    mutate: mutantsOf(new Map([['production', next]])).filter((mutant) => isTouched(mutant, changes)),
  };
}

describe('The table of leaves', () => {
  it('has a class for every leaf of the policy schema, and for nothing else', () => {
    expect(Object.keys(LEAF_CLASSES).sort()).toEqual([...LEAVES].sort());
  });

  it('says why for each', () => {
    expect(Object.entries(LEAF_CLASSES).filter(([, { why }]) => !/^[A-Z].{10,}\.$/.test(why))).toEqual([]);
  });

  it('has other values for each leaf that is not for people alone', () => {
    const told = LEAVES.filter((leaf) => LEAF_CLASSES[leaf]!.order.words !== 'neither weaker nor stricter');
    expect(told.filter((leaf) => OTHER_VALUES[leaf] === undefined)).toEqual([]);
  });
});

const base = compiled(FULL_POLICY as unknown as Plain);
const cases = Object.entries(OTHER_VALUES).flatMap(([leaf, { weaker, stricter, either }]) => [
  ...(weaker === undefined ? [] : [[leaf, 'weaker', weaker.value] as const]),
  ...(stricter === undefined ? [] : [[leaf, 'stricter', stricter.value] as const]),
  ...(either === undefined ? [] : [[leaf, 'incomparable', either.value] as const]),
]);

describe.each(cases)('%s made %s', (leaf, direction, value) => {
  it('is seen by diff, plan and mutate', async () => {
    const { diff, plan, mutate } = await gates(base, compiled(changed(leaf, value as Plain)));
    expect(plan).not.toEqual([]);
    expect(mutate).not.toEqual([]);
    if (direction === 'stricter') {
      expect(diff.stricter || plan.some(({ effect }) => effect === 'stricter')).toBe(true);
      expect(diff.failsBeside).toBe(false);
    } else {
      expect(diff.weaker).toBe(true);
      if (direction === 'weaker')
        expect(plan.some(({ weaker }) => weaker) || LEAF_CLASSES[leaf]!.toldBy !== 'values').toBe(true);
    }
  });
});
