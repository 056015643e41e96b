import fc from 'fast-check';
import { evaluate } from '../../core/decision/evaluate.js';
import type { CompiledPolicy, Environment } from '../../core/model/compiled-policy.js';
import { compilePolicy } from '../../core/policy/compile-policy.js';
import { CATALOG } from '../policy-test/testdata/catalog.js';
import { POLICY, SUITE } from '../policy-test/testdata/worked-policy.js';
import { comparePolicies } from '../policy-diff/index.js';
import { mistakesInside } from './mutate-predicates.js';
import {
  preparePolicyTests,
  readAgain,
  Readings,
  runPrepared,
  type PolicyTestResult,
  type PreparedTest,
} from '../policy-test/index.js';
import {
  missingTest,
  mutantsOf,
  mutationScore,
  runMutants,
  type MissingTestInput,
  type Mutant,
  type MutantResult,
} from './index.js';

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

  it('finds a request for each entry of a list that a condition names inside some, which no test kills', async () => {
    const when = '{ tool_calls: { some: { name: { in: $lists.named } } } }';
    const found = await survivingAtTools('lists: { named: [run, send] }', when);
    expect(found).toEqual(
      expect.arrayContaining(['survived drop run from $lists.named', 'survived drop send from $lists.named']),
    );
  });

  it('makes mistakes in every comparison and group inside some and flow', async () => {
    const some = '{ all: [{ name: { in: [run, send] } }, { not: { args.n: { gt: 5 } } }] }';
    expect(await survivingAtTools('', `{ tool_calls: { some: ${some} } }`)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^survived all becomes any in tool_calls: \{ some: /),
        expect.stringMatching(/^survived drop \{ name: \{ in: \[run, send\] \} \} in /),
        expect.stringMatching(/^survived negate \{ args\.n: \{ gt: 5 \} \} in /),
        expect.stringMatching(/^survived gt becomes gte in \{ args\.n: /),
        expect.stringMatching(/^survived 5 becomes 6 in \{ args\.n: /),
        expect.stringMatching(/^survived drop send in \{ name: /),
      ]),
    );
    const [fetched, named] = [
      { field: 'name', op: 'eq', value: 'fetch' },
      { field: 'name', op: 'in', value: ['run', 'send'] },
    ];
    const flow = { from: { kind: 'tool_result', where: fetched }, to: { kind: 'tool_call', where: named } };
    expect(mistakesInside('flow', flow)).toEqual([
      ['from: negate { name: { eq: fetch } }', { ...flow, from: { ...flow.from, where: { ...fetched, op: 'ne' } } }],
      ['to: negate { name: { in: [run, send] } }', { ...flow, to: { ...flow.to, where: { ...named, op: 'not_in' } } }],
      [
        'to: drop run in { name: { in: [run, send] } }',
        { ...flow, to: { ...flow.to, where: { ...named, value: ['send'] } } },
      ],
      [
        'to: drop send in { name: { in: [run, send] } }',
        { ...flow, to: { ...flow.to, where: { ...named, value: ['run'] } } },
      ],
    ]);
  });

  it('makes a mistake in the share of a rollout, in the action of a flag, and in the rules of an exception', async () => {
    const more = `default: allow\nexceptions: [{ id: e, rules: [one], effect: skip, when: { model.name: a }, because: a trial, approved_by: a@acme.example, ticket: T-1, expires: "2026-12-01T00:00:00Z" }]`;
    const text = smallPolicy('{ model.name: b }', '{ model.name: a }', more).replace(
      'on_unknown: match',
      'on_unknown: match, rollout: { percent: 50, by: api_key }',
    );
    expect(await surviving(text)).toEqual(
      expect.arrayContaining([
        'survived rollout: 50 % becomes 25 %',
        'survived flag becomes allow',
        'survived the exception also names two',
      ]),
    );
  });

  it('makes no mutant of a replacement text that stable tokens make superfluous', async () => {
    const masking = (spec: string): string =>
      smallPolicy('{ pii.count: { gt: 0 } }', '{ pii.count: { gt: 0 } }', 'default: allow').replace(
        '{ action: block }',
        `{ action: redact, redact: { entities: [EMAIL], ${spec} } }`,
      );
    const texts = (policy: string): string[] => mutantsOf(compiled(policy)).map(({ text }) => text);
    expect(texts(masking('label: contact'))).toContain('another replacement text');
    const tokens = texts(masking('tokens: stable, restore: true'));
    expect(tokens).not.toContain('another replacement text');
    expect(tokens).toEqual(expect.arrayContaining(['tokens: stable becomes none', 'restore: true becomes false']));
    expect(await surviving(masking('tokens: stable, restore: true'))).toContain('unproven restore: true becomes false');
    const setting = '  - { id: restored, settings: { rules.one.then.redact.restore: true } }\n';
    expect(await surviving(masking('tokens: stable, restore: true'), setting)).toContain(
      'killed restore: true becomes false',
    );
  });

  it('finds a test that kills the mutant without stable tokens', async () => {
    const policies = compiled(
      smallPolicy('{ pii.count: { gt: 0 } }', '{ pii.count: { gt: 5 } }', 'default: allow').replace(
        '{ action: block }',
        '{ action: redact, redact: { entities: [EMAIL], tokens: stable } }',
      ),
    );
    const results = await run(policies, QUIET_SUITE);
    const found = results.find(({ mutant: { text } }) => text === 'tokens: stable becomes none')!;
    const { state, ...outcome } = found.outcome;
    expect(state).toBe('survived');
    const [{ make }] = found.mutant.versions as [Mutant['versions'][number]];
    const test = await missingTest({
      ...(outcome as Pick<MissingTestInput, 'environment' | 'witness'>),
      ...{ id: 'masked', title: 'Masked', plugins: CATALOG, nowMs },
      ...{ policy: policies.get('production')!, mutant: make() },
    });
    expect(test).toMatchObject({ expect: { action: 'redact', text: expect.stringMatching(/\[EMAIL_[a-z]+\]/) } });
  });

  it('computes the score over mutants that are not equivalent', () => {
    const of = (state: string) => ({ mutant: {}, outcome: { state } }) as unknown as MutantResult;
    expect(mutationScore([of('killed'), of('killed'), of('survived'), of('equivalent')])).toBe(66.6);
    expect(mutationScore([of('unproven'), of('killed')])).toBe(50);
    expect(mutationScore([])).toBe(100);
  });
});

/** A test of a call that no rule matches. */
const QUIET_SUITE = `apiVersion: weir/v1
kind: PolicyTest
environments: [production]
tests:
  - { id: quiet, stage: pre, key: { id: k }, model: { name: z }, text: nothing, expect: { action: allow, rules: [] } }
`;

/** The outcomes of the mutants of a policy, with these tests in addition to a test of a call that no rule matches. */
async function surviving(policy: string, tests = ''): Promise<string[]> {
  const results = await run(compiled(policy), QUIET_SUITE + tests);
  return results.map(({ mutant: { text }, outcome: { state } }) => `${state} ${text}`);
}

/** Like `surviving`, for a policy whose first rule judges tool calls. */
const survivingAtTools = (more: string, when: string): Promise<string[]> => surviving(atTools(when, more));

const atTools = (when: string, more = ''): string =>
  smallPolicy(when, '{ pii.count: { gt: 0 } }', `default: allow\n${more}`).replace(
    'id: one, stage: pre',
    'id: one, stage: tool',
  );

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
