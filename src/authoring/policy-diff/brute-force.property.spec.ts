import fc from 'fast-check';
import { evaluate, type EvaluateInput } from '../../core/decision/evaluate.js';
import { Unknown, type FactSet, type FactValue } from '../../core/model/fact.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { PLUGINS } from '../../core/policy/testdata/plugins.js';
import { DETECTORS, head, policyOf } from '../../core/policy/testdata/sample-policy.js';
import { compareVerdicts, type VerdictChange } from './index.js';

/**
 * Compares the search with brute force: both policies judge combinations of a small set of facts that is generated here, independently of
 * the search. If brute force finds a difference, the search must find one, and it must not report differences between equivalent
 * conditions.
 */
const nowMs = Date.parse('2026-11-21T09:00:00Z');

const leaf = fc.oneof(
  fc.constantFrom('a', 'b').map((name) => `{ model.name: ${name} }`),
  fc.constantFrom('[a]', '[a, b]', '[b, c]').map((list) => `{ model.name: { in: ${list} } }`),
  fc.constantFrom('[EMAIL]', '[EMAIL, PHONE]', '[IBAN]').map((list) => `{ pii.types: { any_of: ${list} } }`),
  fc.constantFrom('[EMAIL, PHONE]').map((list) => `{ pii.types: { all_of: ${list} } }`),
  fc.integer({ min: 0, max: 3 }).map((limit) => `{ pii.count: { gt: ${limit} } }`),
  fc.constantFrom(0.6, 0.8).map((limit) => `{ pii.score: { gte: ${limit} } }`),
  fc.constantFrom('true', 'false').map((flag) => `{ metadata.vip: ${flag} }`),
);
const { condition } = fc.letrec<{ condition: string }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    leaf,
    fc.array(tie('condition'), { minLength: 1, maxLength: 2 }).map((items) => `{ all: [ ${items.join(', ')} ] }`),
    fc.array(tie('condition'), { minLength: 1, maxLength: 2 }).map((items) => `{ any: [ ${items.join(', ')} ] }`),
    tie('condition').map((item) => `{ not: ${item} }`),
  ),
}));
const rule = fc.record({
  when: condition,
  action: fc.constantFrom('block', 'flag', 'redact'),
  onUnknown: fc.constantFrom('match', 'no_match'),
});

/** A change of a rule: of one field or all. */
const edit = fc.oneof(
  rule,
  rule.map(({ when }) => ({ when })),
  rule.map(({ action }) => ({ action })),
  rule.map(({ onUnknown }) => ({ onUnknown })),
);

const ENTITIES = ', redact: { entities: [EMAIL] }';
const policyText = (
  rules: readonly { when: string; action: string; onUnknown: string }[],
): string => `${head().replace('environment: production', 'environment: staging')}${DETECTORS}
rules:
${rules
  .map(
    ({ when, action, onUnknown }, index) => `  - id: r${index}
    stage: pre
    when: ${when}
    then: { action: ${action}${action === 'redact' ? ENTITIES : ''} }
    on_unknown: ${onUnknown}`,
  )
  .join('\n')}
`;

/** All combinations of facts that these conditions can distinguish, and more. */
function world(): EvaluateInput[] {
  const codes = ['EMAIL', 'PHONE', 'IBAN', 'US_SSN'];
  const states: FactValue[] = [new Unknown('failed', 'pii'), { types: [], count: 0, score: 0, counts: {} }];
  for (let bits = 1; bits < 16; bits++) {
    const types = codes.filter((_, index) => (bits & (1 << index)) !== 0).sort();
    for (const extra of [0, 1, 2, 3]) {
      for (const score of [0.55, 0.6, 0.7, 0.8, 1]) {
        const counts = Object.fromEntries(types.map((code, index) => [code, index === 0 ? 1 + extra : 1]));
        states.push({ types, count: types.length + extra, score, counts });
      }
    }
  }
  const worlds: EvaluateInput[] = [];
  for (const pii of states) {
    for (const model of ['a', 'b', 'c', 'd', null]) {
      for (const vip of [true, false, null]) {
        const facts: FactSet = { pii, model: { name: model }, metadata: vip === null ? {} : { vip } };
        worlds.push({ stage: 'pre', nowMs, facts, clientMonitor: false });
      }
    }
  }
  return worlds;
}
const WORLD = world();

/** The visible outcome, computed independently of the search: the decision, the rules that fired, and whether a value is masked. */
async function seen(policy: CompiledPolicy, input: EvaluateInput): Promise<string> {
  const { action, unavailable, fired } = await evaluate(policy, input);
  const pii = input.facts['pii'] as { types?: string[] };
  const masked = action === 'redact' && (pii.types ?? []).includes('EMAIL');
  return JSON.stringify([action, unavailable, fired.map(({ rule: id, action: act }) => `${id} ${act}`), masked]);
}

/** The few combinations in which the detector is down or finds nothing are always tried. */
const PLAIN = WORLD.flatMap(({ facts: { pii } }, index) =>
  pii instanceof Unknown || (pii as { count: number }).count === 0 ? [index] : [],
);
/** Of all other combinations, a random sample is tried: all of them would take a second per pair of policies. */
const sample = fc
  .uniqueArray(fc.nat({ max: WORLD.length - 1 }), { minLength: 300, maxLength: 300 })
  .map((indices) => [...PLAIN, ...indices]);

async function bruteForce(base: CompiledPolicy, next: CompiledPolicy, indices: readonly number[]): Promise<boolean> {
  for (const index of indices) {
    const input = WORLD[index]!;
    if ((await seen(base, input)) !== (await seen(next, input))) return true;
  }
  return false;
}

describe('comparePolicies against brute force', () => {
  const compare = (
    base: CompiledPolicy,
    next: CompiledPolicy,
    maxRequests: number,
  ): Promise<readonly VerdictChange[]> => compareVerdicts(base, next, { plugins: PLUGINS, nowMs, maxRequests });

  it.each([
    ['all combinations', 2_000],
    ['rule by rule, with all other variables at rest', 120],
  ])(
    'finds a change wherever there is one, with %s',
    async (_how, maxRequests) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(rule, { minLength: 1, maxLength: 3 }),
          edit,
          fc.nat(),
          sample,
          async (rules, other, at, indices) => {
            const changed = rules.map((one, index) => (index === at % rules.length ? { ...one, ...other } : one));
            const [base, next] = [policyOf(policyText(rules), 'staging'), policyOf(policyText(changed), 'staging')];
            const changes = await compare(base, next, maxRequests);
            if (await bruteForce(base, next, indices)) expect(changes.length).toBeGreaterThan(0);
          },
        ),
        { numRuns: 90, endOnFailure: true },
      );
    },
    120_000,
  );

  it('finds no witness where brute force over all requests finds none', async () => {
    await fc.assert(
      fc.asyncProperty(rule, condition, async (one, also) => {
        // Two equivalent conditions, which no combination of known facts may distinguish.
        const doubled = { ...one, when: `{ any: [ ${one.when}, { all: [ ${one.when}, ${also} ] } ] }` };
        const [base, next] = [policyOf(policyText([one]), 'staging'), policyOf(policyText([doubled]), 'staging')];
        const changes = await compare(base, next, 2_000);
        const visible = changes.filter(({ before, after }) => before.action !== after.action);
        // Unknown facts in the added part can make a real difference, so changes with unavailable sources are ignored.
        expect(visible.filter(({ request }) => request.unavailable.length === 0)).toEqual([]);
      }),
      { numRuns: 40, endOnFailure: true },
    );
  }, 120_000);
});
