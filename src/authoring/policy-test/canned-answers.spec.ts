import { lintPolicies } from '../lint/index.js';
import { policyChanges } from '../policy-changes/index.js';
import { describeRule, renderPolicy } from '../render/index.js';
import { compilePolicy } from '../../core/policy/compile-policy.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { DESCRIBED } from '../../../plugins/described.js';
import { PLUGINS } from '../../../plugins/index.js';
import { runPolicyTests } from './index.js';

const nowMs = Date.parse('2026-11-21T10:00:00Z');

function compiled(then: string) {
  const text = `apiVersion: weir/v1
kind: Policy
metadata: { id: production, owner: security@example.com }
environment: production
default: allow
detectors:
  pii: { plugin: pii@^1 }
rules:
  - id: pii.stop
    stage: pre
    when: { pii.types: { any_of: [EMAIL] } }
    then: { ${then} }
    on_unknown: match
`;
  const input = { environment: 'production', files: [{ path: 'production/policy.yaml', text }] } as const;
  return { ...input, ...compilePolicy({ ...input, plugins: PLUGINS }) };
}

function policyOf(then: string): CompiledPolicy {
  const { policy, problems } = compiled(then);
  if (policy === undefined) throw new Error(JSON.stringify(problems));
  return policy;
}

async function failuresOf(then: string, expectation: string, given = 'text: ada@corp.example'): Promise<unknown[]> {
  const text = `apiVersion: weir/v1
kind: PolicyTest
environments: [production]
tests:
  - { id: t, ${given}, expect: { ${expectation} } }
`;
  const { results, problems } = await runPolicyTests({
    files: [{ path: 'tests/t.test.yaml', text }],
    policies: new Map([['production', policyOf(then)]]),
    plugins: PLUGINS,
    nowMs,
  });
  expect(problems).toEqual([]);
  return results.flatMap((result) => (result.status === 'failed' ? result.failures : []));
}

const ANSWERED = 'action: block, answer: Ask the desk.';
const BLOCK = 'action: block, rules: [pii.stop]';

describe('A canned answer in a policy', () => {
  it('can be expected by a test, and so can its absence', async () => {
    expect(await failuresOf(ANSWERED, `${BLOCK}, answer: Ask the desk.`)).toEqual([]);
    expect(await failuresOf('action: block', `${BLOCK}, answer: null`)).toEqual([]);
    expect(await failuresOf(ANSWERED, `${BLOCK}, answer: Ask.`)).toMatchObject([
      { field: 'answer', expected: '"Ask."', actual: '"Ask the desk."', now: 'Ask the desk.' },
    ]);
    expect(await failuresOf(ANSWERED, `${BLOCK}, answer: null`)).toMatchObject([{ field: 'answer' }]);
  });

  it('is not used for an outage', async () => {
    const down = 'text: hello, unavailable: [pii]';
    expect(await failuresOf(ANSWERED, `${BLOCK}, unavailable: true, answer: null`, down)).toEqual([]);
  });

  it.each([
    ['an action that refuses nothing', 'action: flag, answer: Ask the desk.', 'G114'],
    ['a blank text', "action: block, answer: ' '", 'G007'],
    ['more than 2,000 characters', `action: block, answer: ${'x'.repeat(2_001)}`, 'G007'],
  ])('is rejected with %s', (_what, then, code) => {
    expect(
      compiled(then)
        .problems.filter(({ level }) => level === 'error')
        .map((one) => one.code),
    ).toEqual([code]);
  });

  it.each([
    ['then.answer', (words: string) => `action: block, answer: '${words}'`],
    [
      'message',
      (words: string) =>
        `action: block }\n    message: '${words}'\n    tags: [x]\n    rollout: { percent: 100, by: api_key`,
    ],
  ])('is reported by lint if %s contains a credential', async (_field, thenOf) => {
    const codesOf = async (words: string): Promise<string[]> => {
      const { files } = compiled(thenOf(words));
      const environments = [{ environment: 'production' as const, files, entry: [files[0].path] }];
      // As in `weir lint`: the catalog contains only descriptions, and detectors are loaded when needed.
      const { findings } = await lintPolicies({ environments, plugins: DESCRIBED, nowMs });
      return findings.filter(({ code, level }) => level === 'error' && code !== 'G001').map(({ code }) => code);
    };
    const secret = ['AKIA', 'QYLPMN5H', 'HH5WZKPN'].join('');
    expect(await codesOf(`Use ${secret} instead`)).toEqual(['G312']);
    expect(await codesOf('Use the desk instead')).toEqual([]);
  });

  it('is rendered, and a change of the answer counts as neutral', () => {
    const policy = policyOf(ANSWERED);
    expect(renderPolicy(policy).map(({ text }) => text)).toContain('      answer: "Ask the desk."');
    expect(describeRule(policy.rules[0]!, policy).join(' ')).toContain('are answered "Ask the desk."');
    const changes = policyChanges(policyOf(ANSWERED), policyOf('action: block, answer: Go away.'), nowMs);
    expect(changes).toMatchObject([{ effect: 'neutral', details: ['answer "Ask the desk." → "Go away."'] }]);
    const gone = policyChanges(policyOf(ANSWERED), policyOf('action: block'), nowMs);
    expect(gone).toMatchObject([{ effect: 'neutral', details: ['answer "Ask the desk." → none'] }]);
  });
});
