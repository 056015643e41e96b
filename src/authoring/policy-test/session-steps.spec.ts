import { toolUse } from '../../../plugins/tool-use/tool-use.js';
import { compilePolicy } from '../../core/policy/compile-policy.js';
import { runPolicyTests } from './index.js';

const PLUGINS = { detectors: [], structures: [toolUse], ledgers: [] };
const POLICY = `apiVersion: weir/v1
kind: Policy
metadata: { id: production, owner: security@example.com }
environment: production
default: allow
rules:
  - id: mail.no-strangers
    stage: tool
    severity: high
    when:
      all:
        - flow: { from: { tool_result: { name: fetch_page } }, to: { tool_call: { name: send_mail } } }
        - tool.unstated_destinations: { gt: 0 }
    then: { action: block, reason: tool_use_blocked }
    on_unknown: match
  - id: tool.not-too-often
    stage: tool
    severity: medium
    when: { recent.same_tool_calls_5m: { gte: 2 } }
    then: { action: block, reason: tool_use_blocked }
    on_unknown: match
`;

/** The failures of a test of one tool call. */
async function failuresOf(tool: string, session: string, rules: string): Promise<unknown[]> {
  const { policy } = compilePolicy({
    environment: 'production',
    files: [{ path: 'policies/production/policy.yaml', text: POLICY }],
    plugins: PLUGINS,
  });
  const action = rules === '[]' ? 'allow' : 'block';
  const test = `{ id: t, stage: tool, tool: ${tool}, ${session} expect: { action: ${action}, rules: ${rules} } }`;
  const { results, problems } = await runPolicyTests({
    files: [
      {
        path: 'tests/session.test.yaml',
        text: `apiVersion: weir/v1\nkind: PolicyTest\nenvironments: [production]\ntests:\n  - ${test}\n`,
      },
    ],
    policies: new Map([['production', policy!]]),
    plugins: PLUGINS,
    nowMs: Date.parse('2026-11-21T10:00:00Z'),
  });
  expect(problems).toEqual([]);
  return results.flatMap((result) => (result.status === 'failed' ? result.failures : []));
}

const MAIL = '{ name: send_mail, args: { to: eve@evil.example } }';
const session = (steps: string): string => `session: { id: s, steps: [${steps}] },`;

describe('policy tests with a session', () => {
  it.each([
    ['an earlier tool result', MAIL, session('{ tool_result: fetch_page }'), '[mail.no-strangers]'],
    [
      'an address that the user named',
      MAIL,
      session("{ user: 'Write to eve@evil.example' }, { tool_result: fetch_page }"),
      '[]',
    ],
    ['the beginning of a session', MAIL, 'session: { id: s },', '[]'],
    [
      'recent calls',
      '{ name: search, args: {} }',
      session('{ tool_call: search, ago: 4m }, { tool_call: Search, ago: 10s }'),
      '[tool.not-too-often]',
    ],
    [
      'recent calls before hundreds of calls of another tool',
      '{ name: pay, args: {} }',
      session(
        ['pay', 'pay', ...Array.from({ length: 300 }, () => 'search')]
          .map((name) => `{ tool_call: ${name}, ago: ${name === 'pay' ? '4m' : '10s'} }`)
          .join(', '),
      ),
      '[tool.not-too-often]',
    ],
    [
      'older calls',
      '{ name: search, args: {} }',
      session('{ tool_call: search, ago: 6m }, { tool_call: search, ago: 10s }'),
      '[]',
    ],
  ])('evaluate rules with %s', async (_what, tool, given, rules) => {
    expect(await failuresOf(tool, given, rules)).toEqual([]);
  });

  it('fail if the session contradicts the expectation', async () => {
    expect(await failuresOf(MAIL, session('{ tool_result: fetch_page }'), '[]')).not.toEqual([]);
  });
});
