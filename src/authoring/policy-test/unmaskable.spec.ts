import { lintPolicies } from '../lint/index.js';
import { mutantsOf, runMutants } from '../mutation/index.js';
import { compilePolicy } from '../../core/policy/compile-policy.js';
import type { CompiledPolicy, Environment } from '../../core/model/compiled-policy.js';
import { preparePolicyTests, runPolicyTests, runPrepared } from './index.js';
import { CATALOG } from './testdata/catalog.js';

const nowMs = Date.parse('2026-11-21T10:00:00Z');
const path = 'policies/production/policy.yaml';

const RULE = `
rules:
  - id: pii.mask
    stage: pre
    severity: medium
    when: { pii.types: { any_of: [EMAIL] } }
    then: { action: redact, redact: { entities: [EMAIL], with: '[{type}_{n}]' } }
    on_unknown: match
`;

function policyText(settings: string, rules = RULE): string {
  return `apiVersion: weir/v1
kind: Policy
metadata: { id: production, owner: security@example.com }
environment: production
default: allow
${settings}
detectors:
  pii: { plugin: pii@^1 }
${rules}`;
}

function policiesOf(settings: string): ReadonlyMap<Environment, CompiledPolicy> {
  const files = [{ path, text: policyText(settings) }];
  const { policy, problems } = compilePolicy({ environment: 'production', files, plugins: CATALOG });
  if (policy === undefined) throw new Error(problems.map(({ message }) => message).join('\n'));
  return new Map([['production', policy]]);
}

const suite = (tests: string): { path: string; text: string } => ({
  path: 'tests/contents.test.yaml',
  text: `apiVersion: weir/v1\nkind: PolicyTest\nenvironments: [production]\ntests:\n${tests}`,
});

async function failuresOf(settings: string, test: string): Promise<unknown[]> {
  const { results, problems } = await runPolicyTests({
    files: [suite(`  - ${test}\n`)],
    policies: policiesOf(settings),
    plugins: CATALOG,
    nowMs,
  });
  expect(problems).toEqual([]);
  return results.flatMap((result) => (result.status === 'failed' ? result.failures : []));
}

const MAIL = 'to {{EMAIL:ada@corp.example}}';
const given = (kind: string, text = 'Hello'): string =>
  `{ id: t, text: '${text}', contents: { ${kind}: [{ text: '${MAIL}' }] }, expect: `;

describe('policy tests of unmaskable content', () => {
  it.each(['documents', 'signed'])(
    'refuse calls by default if a rule would mask a value in unmaskable content (%s)',
    async (kind) => {
      const expected = '{ action: block, rules: [pii.mask], reason: content_policy_violation, redactions: [] } }';
      expect(await failuresOf('', given(kind) + expected)).toEqual([]);
    },
  );

  it.each(['documents', 'signed'])(
    'allow calls and report the masking rule if unmaskable.%s is set to flag',
    async (kind) => {
      const settings = `unmaskable: { ${kind}: flag }`;
      const reported = '{ action: allow, rules: [], would_redact: [pii.mask] } }';
      expect(await failuresOf(settings, given(kind) + reported)).toEqual([]);
      const both = `{ action: redact, rules: [pii.mask], would_redact: [pii.mask], text: 'I am [EMAIL_1]', redactions: [{ type: EMAIL, count: 1 }] } }`;
      expect(await failuresOf(settings, given(kind, 'I am {{EMAIL:ada@corp.example}}') + both)).toEqual([]);
    },
  );

  it('judge texts of documents at stage post', async () => {
    const post = RULE.replace('stage: pre', 'stage: post');
    const files = [{ path, text: policyText('', post) }];
    const { policy } = compilePolicy({ environment: 'production', files, plugins: CATALOG });
    const test = `  - { id: t, stage: post, text: 'See', contents: { documents: [{ text: '${MAIL}' }] }, expect: { action: block, rules: [pii.mask] } }\n`;
    const { results } = await runPolicyTests({
      files: [suite(test)],
      policies: new Map([['production', policy!]]),
      plugins: CATALOG,
      nowMs,
    });
    expect(results.map(({ status }) => status)).toEqual(['passed']);
  });

  it('kill the mutants of the setting unmaskable, which stay unproven without such tests', async () => {
    const policies = policiesOf('unmaskable: { documents: refuse, signed: flag }');
    const outcomes = async (tests: string): Promise<string[]> => {
      const input = { files: [suite(tests)], policies, plugins: CATALOG, nowMs };
      const { prepared } = await preparePolicyTests(input);
      const results = [];
      for (const one of prepared) results.push(await runPrepared(one, one.policy, input));
      const found: string[] = [];
      for await (const { mutant, outcome } of runMutants(mutantsOf(policies), { ...input, tests: prepared, results }))
        if (mutant.text.startsWith('unmaskable')) found.push(`${mutant.text}: ${outcome.state}`);
      return found;
    };
    const idle = `  - { id: t, text: 'x', expect: { action: allow, rules: [] } }\n`;
    expect(await outcomes(idle)).toEqual([
      'unmaskable.documents becomes flag: unproven',
      'unmaskable.signed becomes refuse: unproven',
    ]);
    expect(
      await outcomes(
        `  - ${given('documents')}{ action: block, rules: [pii.mask] } }\n  - ${given('signed').replace('id: t', 'id: u')}{ action: allow, rules: [], would_redact: [pii.mask] } }\n`,
      ),
    ).toEqual(['unmaskable.documents becomes flag: killed', 'unmaskable.signed becomes refuse: killed']);
  });
});

describe('lint of unread and unmaskable content', () => {
  async function codes(settings: string, rules = RULE): Promise<string[]> {
    const { findings } = await lintPolicies({
      environments: [
        { environment: 'production', files: [{ path, text: policyText(settings, rules) }], entry: [path] },
      ],
      plugins: CATALOG,
      nowMs,
    });
    return findings
      .filter(({ code, ignored }) => ['G311', 'G134'].includes(code) && ignored === undefined)
      .map(({ code, line }) => `${code}:${line}`);
  }

  it('reports unread content that passes on routes for prompts, unless a comment gives a reason', async () => {
    expect(await codes('unread: { governed: pass }')).toEqual(['G311:6']);
    expect(await codes('unread: { governed: pass } # weir-ignore G311: the gateway behind us reads archives')).toEqual(
      [],
    );
    expect(await codes('unread: { governed: flag, other: pass }')).toEqual([]);
  });

  it('reports the setting unmaskable if no enforced rule masks', async () => {
    const unmaskable = 'unmaskable: { documents: flag, signed: refuse }';
    expect(await codes(unmaskable)).toEqual([]);
    expect(await codes(`${unmaskable}\nmode: monitor`)).toEqual(['G134:6', 'G134:6']);
    expect(await codes(unmaskable, RULE.replace(/then: .*/, 'then: { action: flag }'))).toEqual(['G134:6', 'G134:6']);
  });
});
