/** The reports that `weir` writes for other programs, checked against the schemas of their formats. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { execFileSync } from 'node:child_process';
import { Ajv } from 'ajv';
import { junitProblems } from '../support/junit-grammar.js';
import { folder, NOW, policy, project, put, weir } from '../support/policy-project.js';

const { resolve } = createRequire(import.meta.url);
const {
  $schema: _draft,
  id: _id,
  ...SARIF
} = JSON.parse(readFileSync(resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json'), 'utf8')) as Record<
  string,
  unknown
>;
/** Written for draft 4, of which only `$schema` and `id`, which are removed, have another meaning today. */
const sarif = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(SARIF);

interface SarifLog {
  readonly version: string;
  readonly runs: readonly { readonly results: readonly { readonly ruleId: string }[] }[];
}

function sarifProblems(text: string): unknown[] {
  return sarif(JSON.parse(text)) ? [] : (sarif.errors ?? []);
}
const resultsIn = (text: string): number => (JSON.parse(text) as SarifLog).runs[0]!.results.length;

/** A test whose text contains the special characters of XML and of GitHub commands. */
const TEST = (id: string, action: string): string =>
  `  - { id: ${id}, text: "a <b> & 100 % \\"c\\", d: e", expect: { action: ${action}, rules: [] } }\n`;
const SUITE = (tests: string): string =>
  `apiVersion: weir/v1\nkind: PolicyTest\nenvironments: [production]\ntests:\n${tests}`;

const STATES: Readonly<Record<string, () => void>> = {
  'with nothing wrong': () => {
    project(policy());
    put('policies/tests/a.test.yaml', SUITE(TEST('fine', 'allow')));
  },
  'with something wrong': () => {
    project(policy('{ all: [{ pii.count: { gt: 5 } }, { pii.count: { lt: 2 } }] }'));
    put('policies/tests/a.test.yaml', SUITE(TEST('fine', 'allow') + TEST('wrong', 'block')));
  },
  'of what does not compile': () => {
    project(policy('{ pii.cuont: { gt: 0 } }'));
    put('policies/tests/a.test.yaml', SUITE(TEST('fine', 'allow')));
  },
};

const report = async (command: string, format: string): Promise<string> =>
  (await weir([command, '--format', format, ...(command === 'lint' ? ['--now', NOW] : [])])).stdout;

describe.each(Object.entries(STATES))('a project %s', (state, make) => {
  beforeEach(() => make());

  it.each(['lint', 'test', 'mutate'])(
    'has reports of weir %s that are valid by the schemas of SARIF and JUnit',
    async (command) => {
      const text = await report(command, 'sarif');
      expect(sarifProblems(text)).toEqual([]);
      if (state !== 'with nothing wrong') expect(resultsIn(text)).toBeGreaterThan(0);
      const xml = await report(command, 'junit');
      expect(junitProblems(xml)).toEqual([]);
      expect(xml).toContain('<testsuites name="weir');
    },
  );

  it.each(['lint', 'test', 'mutate'])(
    'is annotated by weir %s in the format of GitHub, with one command per line',
    async (command) => {
      const lines = (await report(command, 'github')).split('\n').filter((line) => line !== '');
      const properties =
        /^::(?:error|warning|notice) (?:(?:file|line|endLine|col|endColumn|title)=[^,:\n]*,?)+::[^\n]+$/;
      expect(lines.filter((line) => !properties.test(line))).toEqual([]);
      if (state === 'of what does not compile') expect(lines.length).toBeGreaterThan(0);
    },
  );
});

describe('a change', () => {
  it('is shown by weir diff as Markdown and as annotations', async () => {
    project(policy());
    for (const args of [
      ['init', '--quiet'],
      ['add', '.'],
      ['commit', '--quiet', '-m', 'first'],
    ])
      execFileSync('git', ['-C', folder, '-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args]);
    project(policy('{ pii.types: { any_of: [PHONE] } }'));
    const shown = await weir(['diff', '--witness', '--format', 'markdown'], {
      env: { PATH: process.env['PATH'] ?? '' },
    });
    expect(shown.stdout).toMatch(/^#+ .*\n/);
    expect(shown.stdout.match(/```/g)!.length % 2).toBe(0);
    const github = await weir(['diff', '--witness', '--format', 'github'], {
      env: { PATH: process.env['PATH'] ?? '' },
    });
    expect(github.stdout).toMatch(/^::(?:error|warning|notice) /);
  });
});

describe('the check of reports', () => {
  it('refuses SARIF with an unknown level', async () => {
    STATES['with something wrong']?.();
    const text = (await report('test', 'sarif')).replaceAll('"level": "error"', '"level": "fatal"');
    expect(sarifProblems(text)).not.toEqual([]);
  });

  it.each([
    ['<testsuites skipped="1"/>', '<testsuites> with skipped'],
    ['<testsuites><testsuite name="a" tests="1" failures="0"/></testsuites>', '<testsuite> without errors'],
    ['<testsuites><testcase name="a"/></testsuites>', '<testcase> in testsuites'],
    ['<testcase name="a" line="3"/>', '<testcase> with line'],
    ['<testsuites time="1.2345"/>', '<testsuites> with the time 1.2345'],
    ['<testsuites name="a & b"/>', 'a bare & in'],
    ['<testsuites>words</testsuites>', 'text in testsuites'],
    ['<testsuites>', '<testsuites> is not closed'],
    ['<testsuites><testsuite>', '<testsuite> is not closed'],
    ['<testsuites name="a<b"/>', 'not XML from character 0'],
  ])('reports the error in %s', (xml, problem) => {
    expect(junitProblems(xml).join('\n')).toContain(problem);
  });
});
