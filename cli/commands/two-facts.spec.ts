import { policy, project, put, weir } from '../../test/support/policy-project.js';
import { FORMS, paying } from '../../test/support/two-facts.js';

describe.each(Object.entries(FORMS))('A comparison of two facts (%s)', (_, when) => {
  beforeEach(() => project(policy(undefined, paying(when))));

  it('is shown with both values in weir try and in a failed test', async () => {
    const call = ['--tool', 'pay', '--args', '{"amount":500}', '--metadata', 'limit=100'];
    const tried = await weir(['try', ...call, '--trace']);
    expect(tried.stdout).toContain('tool.args.amount gt metadata.limit    500; metadata.limit = 100');
    put(
      'policies/tests/pay.test.yaml',
      `apiVersion: weir/v1
kind: PolicyTest
environments: [production]
tests:
  - id: too-much
    stage: tool
    tool: { name: pay, args: { amount: 50 } }
    metadata: { limit: 100 }
    expect: { action: block, reason: tool_use_blocked, rules: [pay.limit] }
`,
    );
    const tested = await weir(['test']);
    expect([tested.exit, tested.stdout]).toEqual([
      1,
      expect.stringContaining('tool.args.amount = 50; metadata.limit = 100'),
    ]);
  });
});
