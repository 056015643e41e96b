import { compilePolicy } from '../../core/index.js';
import { coverageOf, runPolicyTests } from './index.js';
import { CATALOG } from './testdata/catalog.js';
import { POLICY, SUITE_HEAD } from './testdata/worked-policy.js';

const FILE = { path: 'policies/production/policy.yaml', text: POLICY };

/** The states of the conditions of one rule in the tests. */
async function statesOf(rule: string, suite: string) {
  const { policy } = compilePolicy({ environment: 'production', files: [FILE], plugins: CATALOG });
  const policies = new Map([['production', policy!]] as const);
  const { results, problems } = await runPolicyTests({
    files: [{ path: 'policies/tests/production.test.yaml', text: SUITE_HEAD + suite }],
    policies,
    plugins: CATALOG,
    nowMs: Date.parse('2026-11-21T10:00:00Z'),
  });
  expect(problems).toEqual([]);
  const { leaves } = coverageOf(policies, results, CATALOG)[0]!;
  return leaves
    .filter((leaf) => leaf.rule === rule)
    .map(({ seenTrue, seenFalse, seenUnknown }) => ({ seenTrue, seenFalse, seenUnknown }));
}

const mail = (id: string, to: string, more = ''): string => `  - id: ${id}
    stage: tool
    tool: { name: send_email, args: { to: ${to} } }
${more}    expect: { action: block, rules: [tool.block-external-mail] }
`;

describe('Coverage of a condition', () => {
  it('counts a missing fact as unknown, and a value that cannot be compared as no result', async () => {
    const odd = mail('odd', 'nobody');
    const outside = mail('outside', 'eve@attacker.example');
    const down = mail('down', 'eve@attacker.example', '    unavailable: [tool-use]\n');
    const rule = 'tool.block-external-mail';
    expect(await statesOf(rule, odd)).toEqual([{ seenTrue: false, seenFalse: false, seenUnknown: false }]);
    expect(await statesOf(rule, odd + outside)).toEqual([{ seenTrue: true, seenFalse: false, seenUnknown: false }]);
    expect(await statesOf(rule, odd + down)).toEqual([{ seenTrue: false, seenFalse: false, seenUnknown: true }]);
  });
});
