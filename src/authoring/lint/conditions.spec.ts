import { lintPolicies } from '../index.js';
import { PLUGINS } from '../../core/policy/testdata/plugins.js';
import { head } from '../../core/policy/testdata/sample-policy.js';

const FILE = 'policies/production/policy.yaml';

async function constantRules(when: string): Promise<string[]> {
  const text = `${head()}lists: { named: [fetch, browse] }
rules:
  - id: t
    stage: tool
    when: ${when}
    then: { action: block }
    on_unknown: match
`;
  const { findings, compiled } = await lintPolicies({
    environments: [{ environment: 'production', files: [{ path: FILE, text }], entry: [FILE] }],
    plugins: PLUGINS,
    nowMs: Date.parse('2026-11-21T10:00:00Z'),
  });
  expect(compiled).toBe(true);
  return findings.filter(({ code }) => code === 'G130').map(({ message }) => message);
}

describe('Conditions that are always true or false', () => {
  it.each([
    '{ tool_calls: { some: { name: { in: $lists.named } } } }',
    '{ history.tool_calls: { none: { name: { in: $lists.named } } } }',
    '{ flow: { from: { tool_result: { name: { in: $lists.named } } }, to: { tool_call: { name: { in: $lists.named } } } } }',
  ])('do not include %s, which an entry of the list makes true or false', async (when) => {
    expect(await constantRules(when)).toEqual([]);
  });

  it('include a condition on the existence of a list that every call has', async () => {
    expect(await constantRules('{ tool_calls: { exists: true } }')).toEqual(['the rule "t" matches every call']);
  });

  it('include a condition on one entry that has two names', async () => {
    expect(
      await constantRules('{ tool_calls: { some: { all: [{ name: fetch }, { name: { in: [a, b] } }] } } }'),
    ).toEqual(['the rule "t" can never match']);
  });
});
