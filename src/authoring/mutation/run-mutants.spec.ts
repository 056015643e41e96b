import fc from 'fast-check';
import { evaluate } from '../../core/decision/evaluate.js';
import type { CompiledPolicy, Environment } from '../../core/model/compiled-policy.js';
import { compilePolicy } from '../../core/policy/compile-policy.js';
import { CATALOG } from '../policy-test/testdata/catalog.js';
import { POLICY, SUITE } from '../policy-test/testdata/worked-policy.js';
import { comparePolicies } from '../policy-diff/index.js';
import {
  preparePolicyTests,
  readAgain,
  Readings,
  runPrepared,
  type PolicyTestResult,
  type PreparedTest,
} from '../policy-test/index.js';
import { mutantsOf, mutationScore, runMutants, type Mutant, type MutantResult } from './index.js';

const nowMs = Date.parse('2026-11-21T10:00:00Z');

function compiled(text: string): ReadonlyMap<Environment, CompiledPolicy> {
  const path = 'policies/production/policy.yaml';
  const { policy, problems } = compilePolicy({ environment: 'production', files: [{ path, text }], plugins: CATALOG });
  if (policy === undefined) throw new Error(problems.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  return new Map([['production', policy]]);
}

async function tested(policies: ReadonlyMap<Environment, CompiledPolicy>, suite: string) {
  const input = { files: [{ path: 't.test.yaml', text: suite }], policies, plugins: CATALOG, nowMs };
  const { prepared, problems } = await preparePolicyTests(input);
  if (problems.length > 0) throw new Error(problems.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  const results: PolicyTestResult[] = [];
  for (const one of prepared) results.push(await runPrepared(one, one.policy, input));
  return { prepared, results };
}

async function run(policies: ReadonlyMap<Environment, CompiledPolicy>, suite: string): Promise<MutantResult[]> {
  const { prepared, results } = await tested(policies, suite);
  const all: MutantResult[] = [];
  for await (const one of runMutants(mutantsOf(policies), {
    policies,
    tests: prepared,
    results,
    plugins: CATALOG,
    nowMs,
  })) {
    all.push(one);
  }
  return all;
}

/** Runs every test with a mutant, without any shortcut, and returns whether one fails. */
async function killedByBruteForce({ isOfDetector }: Mutant, policy: CompiledPolicy, tests: readonly PreparedTest[]) {
  for (const test of tests) {
    const readings = new Readings(CATALOG);
    const read = isOfDetector === true ? await readAgain(test, policy, { plugins: CATALOG, readings }) : test;
    if ((await runPrepared(read, policy, { nowMs, plugins: CATALOG })).status === 'failed') return true;
  }
  return false;
}

describe('runMutants', () => {
  it('kills exactly the mutants with which a test of the full suite fails', async () => {
    const policies = compiled(POLICY);
    const { prepared } = await tested(policies, SUITE);
    const results = await run(policies, SUITE);
    expect(results.length).toBeGreaterThan(60);
    for (const { mutant, outcome } of results) {
      const [version] = mutant.versions;
      const killed = await killedByBruteForce(mutant, version!.make(), prepared);
      expect({ mutant: mutant.id, killed: outcome.state === 'killed' }).toEqual({ mutant: mutant.id, killed });
    }
  });

  it('returns for every surviving mutant a request that the two policies judge differently', async () => {
    const policies = compiled(POLICY);
    const base = policies.get('production')!;
    const survivors = (await run(policies, SUITE)).flatMap(({ mutant, outcome }) =>
      outcome.state === 'survived' ? [{ mutant, witness: outcome.witness }] : [],
    );
    expect(survivors.length).toBeGreaterThan(5);
    for (const { witness } of survivors) expect(witness.before).not.toEqual(witness.after);
    expect(base.rules.length).toBeGreaterThan(0);
  });

  it('does not change the policy that it mutates', async () => {
    const policies = compiled(POLICY);
    const before = JSON.stringify(policies.get('production'));
    await run(policies, SUITE);
    expect(JSON.stringify(policies.get('production'))).toBe(before);
  });

  it('agrees with brute force on small random policies, including equivalent mutants', async () => {
    const leaf = fc.constantFrom(
      '{ model.name: { in: [a, b] } }',
      '{ model.name: a }',
      '{ pii.count: { gt: 0 } }',
      '{ pii.count: { gte: 2 } }',
      '{ pii.types: { any_of: [EMAIL, PHONE] } }',
    );
    const condition = fc
      .tuple(fc.constantFrom('all', 'any'), fc.array(leaf, { minLength: 1, maxLength: 3 }))
      .map(([kind, items]) => `{ ${kind}: [ ${items.join(', ')} ] }`);
    const surroundings = fc.constantFrom(
      'default: allow',
      'default: allow\nexceptions: [{ id: e, rules: [one], effect: monitor, when: { model.name: a }, because: a trial of theirs, approved_by: a@acme.example, ticket: T-1, expires: "2026-12-01T00:00:00Z" }]',
      'default: allow\nexceptions: [{ id: e, rules: [one, two], effect: skip, because: a trial of theirs, approved_by: a@acme.example, ticket: T-1, expires: "2026-12-01T00:00:00Z" }]',
      'default: block',
    );
    await fc.assert(
      fc.asyncProperty(condition, condition, surroundings, async (first, second, more) => {
        const policies = compiled(smallPolicy(first, second, more));
        const base = policies.get('production')!;
        const { prepared, results } = await tested(policies, SMALL_SUITE);
        const passing = prepared.filter((_, index) => results[index]?.status === 'passed');
        const passed = results.filter(({ status }) => status === 'passed');
        const input = { policies, tests: passing, results: passed, plugins: CATALOG, nowMs };
        for await (const { mutant, outcome } of runMutants(mutantsOf(policies), input)) {
          const policy = mutant.versions[0]!.make();
          const killed = await killedByBruteForce(mutant, policy, passing);
          expect({ mutant: mutant.id, killed: outcome.state === 'killed' }).toEqual({ mutant: mutant.id, killed });
          if (!killed && mutant.isBeyondTexts !== true) {
            const { changes } = await comparePolicies(base, policy, { plugins: CATALOG, nowMs, first: true });
            const survived = changes.length > 0;
            expect({ mutant: mutant.id, survived: outcome.state === 'survived' }).toEqual({
              mutant: mutant.id,
              survived,
            });
          }
          if (outcome.state === 'equivalent') expect(await differsInTheWorld(base, policy)).toBe(false);
        }
      }),
      { numRuns: 12 },
    );
  }, 120_000);

  it('computes the score over mutants that are not equivalent', () => {
    const of = (state: string) => ({ mutant: {}, outcome: { state } }) as unknown as MutantResult;
    expect(mutationScore([of('killed'), of('killed'), of('survived'), of('equivalent')])).toBe(66.6);
    expect(mutationScore([of('unproven'), of('killed')])).toBe(50);
    expect(mutationScore([])).toBe(100);
  });
});

const smallPolicy = (first: string, second: string, more: string): string => `apiVersion: weir/v1
kind: Policy
metadata: { id: small, owner: security@acme.example }
environment: production
detectors: { pii: { plugin: pii@^1, codes: [EMAIL, PHONE, IBAN] } }
${more}
rules:
  - { id: one, stage: pre, when: ${first}, then: { action: block }, on_unknown: match }
  - { id: two, stage: pre, when: ${second}, then: { action: flag }, on_unknown: no_match }
`;

/** Each call with every possible outcome, so that with any policy one test per call passes. */
const SMALL_SUITE = `apiVersion: weir/v1
kind: PolicyTest
environments: [production]
tests:
${[
  ['a', '{{EMAIL:x}}'],
  ['a', 'nothing'],
  ['b', '{{IBAN:x}} {{IBAN:y}}'],
  ['c', 'nothing'],
  ['c', '{{PHONE:x}}'],
]
  .flatMap(([name, text], call) =>
    ['allow, rules: []', 'allow, rules: [two]', 'block, rules: [one]', 'block, rules: [one, two]'].map(
      (expected, index) =>
        `  - { id: t${call}-${index}, model: { name: ${name!} }, text: '${text!}', expect: { action: ${expected} } }`,
    ),
  )
  .join('\n')}
`;

async function differsInTheWorld(base: CompiledPolicy, other: CompiledPolicy): Promise<boolean> {
  const codes = ['EMAIL', 'PHONE', 'IBAN'];
  for (const name of ['a', 'b', 'c', null]) {
    for (let bits = 0; bits < 8; bits++) {
      for (const extra of bits === 0 ? [0] : [0, 1, 2]) {
        const types = codes.filter((_, index) => (bits & (1 << index)) !== 0);
        const facts = {
          model: { name },
          pii: { types, count: types.length + extra, score: bits === 0 ? 0 : 1, counts: {} },
        };
        const input = { stage: 'pre', nowMs, facts, clientMonitor: false } as const;
        const [one, two] = await Promise.all([evaluate(base, input), evaluate(other, input)]);
        const seen = ({ action, reason, fired }: typeof one): string =>
          JSON.stringify([action, reason, fired.map(({ rule, action: what, enforced }) => [rule, what, enforced])]);
        if (seen(one) !== seen(two)) return true;
      }
    }
  }
  return false;
}
