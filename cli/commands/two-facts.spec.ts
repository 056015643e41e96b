import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { folder, policy, project, put, read, weir } from '../../test/support/policy-project.js';

const FORMS = {
  ours: '{ tool.args.amount: { gt: { fact: metadata.limit } } }',
  "json-rules-engine's": '{ tool.args.amount: { gt: { fact: metadata, path: $.limit } } }',
};
const paying = (when: string): string => `  - id: pay.limit
    stage: tool
    when: ${when}
    then: { action: block, reason: tool_use_blocked }
    on_unknown: match
    client_controlled: accepted
    because: The limit comes from our own service
`;

describe.each(Object.entries(FORMS))('A comparison of two facts (%s)', (_, when) => {
  beforeEach(() => project(policy(undefined, paying(when))));

  it('is shown with both values where a call is tried and where a test fails', async () => {
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

  it('is right for editors, too', async () => {
    expect((await weir(['schema', 'write'], { cwd: `${folder}/policies` })).exit).toBe(0);
    const schema = JSON.parse(read('policies/_schema/policy.v1.json')) as object;
    const ajv = new Ajv({ strict: false, allErrors: true });
    expect(ajv.validate(schema, parse(read('policies/production/policy.yaml'))) ? [] : ajv.errors).toEqual([]);
  });
});
