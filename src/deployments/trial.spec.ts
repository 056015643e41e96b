import { compilePolicy, type PolicyProblem } from '../core/index.js';
import type { ActivePolicy } from '../policy-store/index.js';
import { SSN_TEST, testBundle } from '../../test/support/deployments.js';
import { TEST_PLUGINS } from '../../test/support/test-app.js';
import { tryBundle, type TrialTerms } from './trial.js';

const TERMS: TrialTerms = { nowMs: Date.parse('2026-11-21T00:00:00Z'), waivedTests: [], untested: false };
const pauses = { count: 0 };
const pause = (): Promise<void> => Promise.resolve(void pauses.count++);

/** A store that compiles; `spoil` changes the texts first, like a broken build in one process. */
function storeOf(spoil: (text: string) => string = (text) => text) {
  return {
    prepare({
      environment,
      files,
      entry,
    }: Parameters<typeof compilePolicy>[0] & { entry: readonly string[] }): Promise<{
      active?: ActivePolicy;
      problems: readonly PolicyProblem[];
    }> {
      const spoilt = files.map(({ path, text }) => ({ path, text: spoil(text) }));
      const { policy, problems } = compilePolicy({ environment, files: spoilt, entry, plugins: TEST_PLUGINS });
      const active = policy && { policy, digest: 'd', version: 'v', detectors: [], structures: [] };
      return Promise.resolve({ ...(active && { active }), problems });
    },
  } as unknown as Parameters<typeof tryBundle>[2];
}
const attempt = (
  bundle = testBundle('x'),
  terms: Partial<TrialTerms> = {},
  store = storeOf(),
): ReturnType<typeof tryBundle> => tryBundle(bundle, { ...TERMS, ...terms }, store, TEST_PLUGINS, pause);

describe('A trial of a bundle', () => {
  it('runs the tests with the policy as this process compiles it, and so detects a policy that differs from the bundle', async () => {
    expect(await attempt()).toMatchObject({ ok: true, testsPassed: 1, failedTests: [] });
    const broken = storeOf((text) => text.replace('any_of: [SSN]', 'any_of: [TOKEN]'));
    expect(await attempt(testBundle('x'), {}, broken)).toEqual({
      ok: false,
      failure: 'tests_failed',
      problem: '1 test of 1 failed',
      details: ['tests/ssn.test.yaml#number-words-stay-inside@production (line 8): action, rules, reason'],
      failedTests: ['tests/ssn.test.yaml#number-words-stay-inside@production'],
    });
  });

  it('yields to calls between its steps', async () => {
    pauses.count = 0;
    const one = SSN_TEST.text.split('tests:\n')[1]!;
    const many = Array.from({ length: 50 }, (_, index) => one.replace('number-words', `number-${index}-words`));
    const tests = [{ ...SSN_TEST, text: `${SSN_TEST.text.split('tests:\n')[0]}tests:\n${many.join('')}` }];
    expect(await attempt(testBundle('x', { tests }))).toMatchObject({ ok: true, testsPassed: 50 });
    expect(pauses.count).toBeGreaterThanOrEqual(100);
  });

  it('accepts failures of waived tests and no others', async () => {
    const broken = storeOf((text) => text.replace('any_of: [SSN]', 'any_of: [TOKEN]'));
    const name = 'tests/ssn.test.yaml#number-words-stay-inside@production';
    expect(await attempt(testBundle('x'), { waivedTests: [name] }, broken)).toMatchObject({
      ok: true,
      failedTests: [name],
    });
    expect(await attempt(testBundle('x'), { waivedTests: ['another'] }, broken)).toMatchObject({ ok: false });
  });

  it('refuses a bundle in which nothing is tested, whether there is no test or all are skipped', async () => {
    const skipped = SSN_TEST.text.replace(
      '    text:',
      '    skip: true\n    because: later\n    until: 2027-01-01\n    text:',
    );
    for (const tests of [[], [{ ...SSN_TEST, text: skipped }]]) {
      expect(await attempt(testBundle('x', { tests }))).toMatchObject({ ok: false, failure: 'no_tests' });
      expect(await attempt(testBundle('x', { tests }), { untested: true })).toMatchObject({ ok: true });
    }
  });

  it('counts a skip only until its date: a later trial of the same bundle fails', async () => {
    const text = SSN_TEST.text
      .replace('    text:', '    skip: true\n    because: later\n    until: 2026-12-01\n    text:')
      .replace('tests:\n', 'tests:\n  - id: harmless\n    text: hello\n    expect: { action: allow, rules: [] }\n');
    const bundle = testBundle('x', { tests: [{ ...SSN_TEST, text }] });
    expect(await attempt(bundle)).toMatchObject({ ok: true });
    expect(await attempt(bundle, { nowMs: Date.parse('2026-12-02T00:00:00Z') })).toMatchObject({ ok: false });
  });
});
