import { compilePolicy } from '../../core/policy/compile-policy.js';
import { mutantsOf, runMutants } from '../mutation/index.js';
import { CATALOG } from './testdata/catalog.js';
import { preparePolicyTests, runPrepared } from './index.js';

const POLICY = `apiVersion: weir/v1
kind: Policy
metadata: { id: production, owner: security@example.com }
environment: production
default: allow
rules:
  - id: hours.closed
    stage: pre
    severity: medium
    when: { clock.hour.Europe/Berlin: { lt: 7 } }
    then: { action: block }
    on_unknown: match
`;
const nowMs = Date.parse('2026-11-21T10:00:00Z');

async function tested(tests: string) {
  const files = [{ path: 'policies/production/policy.yaml', text: POLICY }];
  const policies = new Map([
    ['production' as const, compilePolicy({ environment: 'production', files, plugins: CATALOG }).policy!],
  ]);
  const text = `apiVersion: weir/v1\nkind: PolicyTest\nenvironments: [production]\ntests:\n${tests}`;
  const input = { files: [{ path: 't.test.yaml', text }], policies, plugins: CATALOG, nowMs };
  const { prepared, problems } = await preparePolicyTests(input);
  expect(problems).toEqual([]);
  const results = await Promise.all(prepared.map((one) => runPrepared(one, one.policy, input)));
  return { policies, prepared, results };
}

const test = (clock: string, action: string): string =>
  `  - { id: at-${clock.replace(/\D/g, '')}, text: Hello, clock: ${clock}, expect: { action: ${action}, rules: [${action === 'block' ? 'hours.closed' : ''}] } }\n`;
const BOTH_SIDES = test('2026-11-21T05:59:00Z', 'block') + test('2026-11-21T06:00:00Z', 'allow');

async function survivors(tests: string): Promise<string[]> {
  const { policies, prepared, results } = await tested(tests);
  const found: string[] = [];
  const input = { policies, tests: prepared, results, plugins: CATALOG, nowMs };
  for await (const { mutant, outcome } of runMutants(mutantsOf(policies), input)) {
    if (outcome.state === 'survived' && !mutant.id.includes(' reason ')) found.push(mutant.id);
  }
  return found;
}

/** The problems of a test file with one test that has these further keys. */
async function problemsOf(more: string, head = ''): Promise<string[]> {
  const files = [{ path: 'policies/production/policy.yaml', text: POLICY }];
  const policies = new Map([
    ['production' as const, compilePolicy({ environment: 'production', files, plugins: CATALOG }).policy!],
  ]);
  const one = `{ id: t, text: Hello, ${more} expect: { action: allow, rules: [] } }`;
  const text = `apiVersion: weir/v1\nkind: PolicyTest\nenvironments: [production]\n${head}tests:\n  - ${one}\n`;
  const input = { files: [{ path: 't.test.yaml', text }], policies, plugins: CATALOG, nowMs };
  return (await preparePolicyTests(input)).problems.map(({ code, message }) => `${code} ${message}`);
}

describe('the times in policy tests', () => {
  it.each([
    ['no time zone', '2026-11-21T08:00:00'],
    ['no seconds', '2026-11-21T08:00Z'],
    ['a day that does not exist', '2026-02-30T08:00:00Z'],
  ])('are refused if they have %s, so that a test has the same result on every machine', async (_what, time) => {
    const refused = expect.stringMatching(/^T003 (?:clock|until): expected .*time zone/) as unknown;
    expect(await problemsOf(`clock: '${time}',`)).toEqual([refused]);
    expect(await problemsOf('', `clock: '${time}'\n`)).toEqual([refused]);
    expect(await problemsOf(`skip: true, because: later, until: '${time}',`)).toEqual([refused]);
  });

  it('can have any time zone, and a skipped test ends with a day', async () => {
    for (const time of ['2026-11-21T08:00:00Z', '2026-11-21T08:00:00.5+05:30']) {
      expect(await problemsOf(`clock: '${time}',`, `clock: '${time}'\n`)).toEqual([]);
    }
    expect(await problemsOf(`skip: true, because: later, until: 2026-12-31,`)).toEqual([]);
    expect(await problemsOf(`skip: true, because: later, until: 2026-02-30,`)).toHaveLength(1);
  });
});

describe('policy tests of rules about the time', () => {
  it('judge at the time that the test states', async () => {
    const { results } = await tested(BOTH_SIDES);
    expect(results.map(({ status }) => status)).toEqual(['passed', 'passed']);
    const wrong = await tested(test('2026-11-21T05:59:00Z', 'allow'));
    expect(wrong.results).toMatchObject([{ status: 'failed' }]);
    expect(JSON.stringify(wrong.results)).toContain('clock.hour.Europe/Berlin = 6');
  });

  it('kill mutants of an hour only if they cover times before and after it', async () => {
    expect(await survivors(BOTH_SIDES)).toEqual([]);
    expect(await survivors(test('2026-11-21T10:00:00Z', 'allow'))).not.toEqual([]);
  });
});
