import { lintPolicies, preparePolicyTests } from '../index.js';
import { PLUGINS } from '../../../plugins/index.js';
import { compilePolicy } from '../../core/index.js';
import { CATALOG } from '../policy-test/testdata/catalog.js';
import { POLICY, SUITE, SUITE_HEAD } from '../policy-test/testdata/worked-policy.js';
import { distinctTestsFirst } from './tested.js';

const NOW_MS = Date.parse('2026-11-21T10:00:00Z');
const FILE = { path: 'policies/production/policy.yaml', text: POLICY };

async function untested(suite: string, code: string, file = FILE): Promise<string[]> {
  const { findings } = await lintPolicies({
    environments: [{ environment: 'production', files: [file], entry: [file.path] }],
    tests: [{ path: 'policies/tests/production.test.yaml', text: suite }],
    plugins: CATALOG,
    nowMs: NOW_MS,
  });
  return findings.filter((one) => one.code === code).map(({ message }) => /"([^"]+)"/.exec(message)?.[1] ?? message);
}

describe('distinctTestsFirst', () => {
  it('puts one test of each kind first, and keeps all tests', async () => {
    const { policy } = compilePolicy({ environment: 'production', files: [FILE], plugins: CATALOG });
    const { prepared } = await preparePolicyTests({
      files: [{ path: 'policies/tests/production.test.yaml', text: SUITE }],
      policies: new Map([['production', policy!]]),
      plugins: CATALOG,
      nowMs: NOW_MS,
    });
    const ids = (tests: readonly (typeof prepared)[number][]): string[] => tests.map(({ test }) => test.id);
    const ordered = ids(distinctTestsFirst(prepared));
    expect([...ordered].sort()).toEqual(ids(prepared).sort());
    expect(ordered.slice(0, 2)).toEqual(['clean-prompt-passes', 'contact-details-are-redacted']);
    expect(ordered.indexOf('live-credential[1]')).toBeLessThan(ordered.indexOf('live-credential[2]'));
    expect(ordered.indexOf('live-credential[2]')).toBeGreaterThan(
      ordered.indexOf('secrets-detector-down-fails-closed'),
    );
  });
});

describe('Patterns of a policy', () => {
  const policyOf = (pattern: string): string => `apiVersion: weir/v1
kind: Policy
metadata: { id: p, owner: security@example.com }
environment: production
default: allow
detectors:
  hid: { plugin: regex@^1, patterns: { employee_id: '${pattern}' } }
rules:
  - id: hid.flag
    stage: pre
    severity: low
    when: { hid.count: { gt: 0 } }
    then: { action: flag }
    on_unknown: no_match
`;
  const said = async (pattern: string, ...texts: string[]): Promise<string[]> => {
    const file = { path: 'policies/production/policy.yaml', text: policyOf(pattern) };
    const tests = texts.map(
      (text, at) => `  - { id: t${at}, text: '${text}', expect: { action: allow, rules_exclude: [] } }\n`,
    );
    const head = 'apiVersion: weir/v1\nkind: PolicyTest\nenvironments: [production]\ntests:\n';
    const { findings } = await lintPolicies({
      environments: [{ environment: 'production', files: [file], entry: [file.path] }],
      tests: [{ path: 'policies/tests/p.test.yaml', text: `${head}${tests.join('')}` }],
      plugins: PLUGINS,
      nowMs: NOW_MS,
    });
    return findings.filter(({ code }) => code === 'G202').map(({ line, message }) => `${line} ${message}`);
  };

  it('need a test with a text in which they find something, and one with a text in which they find nothing', async () => {
    expect(await said('HID-[0-9]{3}', 'Ask HID-123', 'hello')).toEqual([]);
    const never = '7 no test has a text in which "hid" finds employee_id';
    expect(await said('HID-9', 'Ask HID-123', 'hello')).toEqual([never]);
    const always = '7 no test has a text in which "hid" finds no employee_id';
    expect(await said('[A-Za-z]+', 'Ask HID-123', 'hello')).toEqual([always]);
  });
});

describe('Coverage findings', () => {
  const expecting = 'expect: { action: block, rules: [pii.block-government-id] }';
  const idle = `  - { id: idle, text: hello, ${expecting} }\n`;
  const firing = `  - { id: firing, text: "{{US_SSN:078-05-1120}}", ${expecting} }\n`;

  it('are not reported for a rule that fires only in the last of several similar tests', async () => {
    expect(await untested(SUITE_HEAD + idle, 'G200')).toContain('pii.block-government-id');
    expect(await untested(SUITE_HEAD + idle + firing, 'G200')).not.toContain('pii.block-government-id');
  });

  it('are not reported for an allow rule whose condition was true in one test and false in another', async () => {
    const head = POLICY.slice(0, POLICY.indexOf('\nrules:'));
    const text = `${head}
rules:
  - { id: model.good, stage: pre, when: { model.name: gpt-4o }, then: { action: allow } }
  - { id: mail.flag, stage: pre, when: { pii.types: { any_of: [EMAIL] } }, then: { action: flag } }
`;
    const allowing = { ...FILE, text };
    const test = (id: string, model: string): string =>
      `  - { id: ${id}, text: hello, model: { name: ${model} }, expect: { action: allow, rules: [] } }\n`;
    const [good, other] = [test('good', 'gpt-4o'), test('other', 'gpt-3')];
    expect(await untested(SUITE_HEAD + other, 'G200', allowing)).toContain('model.good');
    expect(await untested(SUITE_HEAD + good, 'G201', allowing)).toContain('model.good');
    for (const code of ['G200', 'G201'])
      expect(await untested(SUITE_HEAD + good + other, code, allowing)).not.toContain('model.good');
  });

  it('are reported for a blocking rule if a test has only a value that it cannot compare, since no detector was unavailable', async () => {
    const odd = `  - id: odd
    stage: tool
    tool: { name: send_email, args: { to: nobody } }
    expect: { action: block, reason: tool_use_blocked, rules: [tool.block-external-mail] }
`;
    const down = odd.replace('id: odd', 'id: down').replace('expect:', 'unavailable: [tool-use]\n    expect:');
    expect(await untested(SUITE_HEAD + odd, 'G210')).toContain('tool.block-external-mail');
    expect(await untested(SUITE_HEAD + odd + down, 'G210')).not.toContain('tool.block-external-mail');
  });
});
