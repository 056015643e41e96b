import { cp, readdir, rm, symlink } from 'node:fs/promises';
import type { ZodType } from 'zod';
import { formatPolicyFile } from '../../src/authoring/index.js';
import { expectGolden } from '../../test/support/golden.js';
import { FILES, PoliciesFolder } from '../../test/support/policies-folder.js';
import { bench } from './test/bench.js';
import { diff } from './test/diff.js';
import { docs } from './write/docs.js';
import { exceptionsRenew } from './write/exceptions/renew.js';
import { explainRule } from './write/explain-rule.js';
import { mutate } from './test/mutate.js';
import { render } from './write/render.js';
import { repl } from './test/repl.js';
import { test } from './test/test.js';
import { tryCommand } from './test/try.js';

/** The complete output and exit code of each command on policies, compared with the files in test/golden. */
describe('The commands on policies', () => {
  let folder: PoliciesFolder;
  beforeEach(async () => {
    folder = await PoliciesFolder.create();
  });
  afterEach(() => folder.remove());

  it.each([
    ['test', ['test']],
    ['test-coverage', ['test', '--coverage', '--min-coverage', '100']],
    ['test-junit', ['test', '--format', 'junit']],
    ['test-tap', ['test', 'masked', '--format', 'tap', '--env', 'production']],
    ['test-json', ['test', 'iban', '--json']],
    ['try', ['try', 'Write to bob@corp.example', '--trace']],
    ['try-block', ['try', 'key AKIASAMPLE', '--at', '2026-11-21T09:00:00Z']],
    ['try-tool', ['try', '--tool', 'run_shell', '--args', '{"command":"password=abc"}', '--env', 'staging']],
    ['try-json', ['try', '[{"role":"user","content":"call +1 415 555 0100"}]', '--json', '--trace']],
    ['try-content', ['try', 'Write to bob@corp.example', '--show-content']],
    ['try-outage', ['try', 'hello', '--unavailable', 'pii']],
    ['render', ['render', 'production', '--source-map']],
    ['render-json', ['render', 'staging', '--json']],
    ['explain-rule', ['explain-rule', 'secrets.block']],
    ['explain-rule-json', ['explain-rule', 'pii.mask-contact', '--json']],
    ['docs', ['docs']],
    ['mutate', ['mutate', '--min-score', '95']],
    ['mutate-rule-json', ['mutate', '--rule', 'secrets.block', '--json']],
    ['mutate-github', ['mutate', '--rule', 'tool.block-dangerous', '--format', 'github']],
    ['mutate-junit', ['mutate', '--rule', 'tool.block-dangerous', '--format', 'junit']],
    ['mutate-sarif', ['mutate', '--rule', 'tool.block-dangerous', '--format', 'sarif']],
    ['bench', ['bench', '--decisions', '10']],
  ])('print %s as expected', async (name, argv) => {
    expectGolden(name, await folder.weir(argv));
  });

  it('show a failing test with its reasons, and all other results', async () => {
    await folder.edit('_shared/baseline.yaml', 'any_of: [EMAIL, PHONE]', 'any_of: [PHONE]');
    await folder.edit('production/policy.yaml', /overrides:[\s\S]*(?=exceptions:)/, '');
    expectGolden('test-failing', await folder.weir(['test']));
    expectGolden('test-failing-junit', await folder.weir(['test', 'iban', '--format', 'junit']));
    expectGolden('test-failing-github', await folder.weir(['test', 'iban', '--format', 'github']));
    expectGolden('test-failing-sarif', await folder.weir(['test', 'iban', '--format', 'sarif']));
  });

  it.each([
    ['diff', ['diff']],
    ['diff-witness', ['diff', '--witness']],
    ['diff-gate', ['diff', 'HEAD', '--fail-on-weakening', '--env', 'production']],
    ['diff-github', ['diff', '--witness', '--format', 'github']],
    ['diff-markdown', ['diff', '--witness', '--format', 'markdown', '--env', 'production']],
  ])('print %s as expected', async (name, argv) => {
    folder.commit();
    await folder.edit('_shared/baseline.yaml', 'dangerous: [run_shell, delete_database]', 'dangerous: [run_shell]');
    await folder.edit('_shared/baseline.yaml', '{ gte: 0.8 }', '{ gte: 0.9 }');
    expectGolden(name, await folder.weir(argv));
  });

  it('show changed prices, and changed scores and codes of detectors', async () => {
    folder.commit();
    await folder.edit(
      '_shared/baseline.yaml',
      '{ plugin: pii@^1 }',
      '{ plugin: pii@^1, min_score: 0.9, codes: [EMAIL, PHONE, IBAN] }',
    );
    const prices = 'prices: { gpt-4o: { input_usd_per_million: 2.5 } }';
    await folder.edit('production/policy.yaml', 'default: allow', `default: allow\n${prices}`);
    const { stdout } = await folder.weir(['diff', '--env', 'production']);
    expect(stdout).toMatch(/^ {2}prices\n.*\n? *\+ +gpt-4o: \{ input_usd_per_million: 2\.5 \}$/m);
    expect(stdout).toMatch(/^ +\+ +min_score: 0\.9$/m);
    expect(stdout).toMatch(/^ +- +codes: \[.*US_SSN.*\]\n +\+ +min_score: 0\.9\n +\+ +codes: \[EMAIL, IBAN, PHONE\]$/m);
  });

  it('escape the texts of a policy in Markdown, so that they hide nothing of the report', async () => {
    const listed = 'dangerous: [run_shell, delete_database]';
    await folder.edit('_shared/baseline.yaml', listed, 'dangerous: [run_shell, "wipe <!-- | `![disk](x)"]');
    folder.commit();
    await folder.edit('_shared/baseline.yaml', ', "wipe <!-- | `![disk](x)"]', ']');
    const { stdout } = await folder.weir(['diff', '--witness', '--format', 'markdown', '--env', 'production']);
    expect(stdout).toContain('tool.name="wipe &#60;!-- &#124; &#96;!&#91;disk&#93;(x)');
    const table = stdout.slice(stdout.indexOf('| **weaker**'));
    expect(table).not.toMatch(/<|`|!\[/);
  });

  it('show an entry of several lines in one line, so that the entry cannot end the code block', async () => {
    folder.commit();
    const listed = 'dangerous: [run_shell, delete_database]';
    await folder.edit(
      '_shared/baseline.yaml',
      listed,
      'dangerous: [run_shell, delete_database, "x\\n```\\n## Nothing"]',
    );
    const { stdout } = await folder.weir(['diff', '--format', 'markdown', '--env', 'production']);
    expect(stdout).toContain('+ x\\u{a}```\\u{a}## Nothing\n');
    expect(stdout.match(/^```/gm)).toHaveLength(2);
  });

  it('answer each line of an interactive session', async () => {
    const lines = [
      'hello',
      ':fact pii.types=["EMAIL"]',
      'hello',
      ':unset',
      ':down secrets',
      'hello',
      ':up',
      ':tool run_shell {"command": "ls"}',
      ':whatif prompt_injection.score=0.9',
      ':explain',
      ':env staging',
      ':stage post',
      'password=abc',
      ':model',
      ':nonsense',
      ':tool run_shell {',
      ':env nowhere',
      ':load',
      ':quit',
      'never read',
    ];
    expectGolden('repl', await folder.weir(['repl'], { stdin: `${lines.join('\n')}\n` }));
  });

  it('write the missing tests, which kill the surviving mutants', async () => {
    const before = await folder.weir(['mutate', '--write-tests', '--json']);
    const { survived } = JSON.parse(before.stdout) as { survived: number };
    expect(survived).toBeGreaterThan(5);
    expect(before.exit).toBe(0);
    expect((await folder.weir(['test'])).exit).toBe(0);
    const after = await folder.weir(['mutate', '--json', '--min-score', '100']);
    expect(JSON.parse(after.stdout)).toMatchObject({ survived: 0, score: 100 });
    expect(after.exit).toBe(0);
    const text = await folder.read('tests/mutants.test.yaml');
    expect(formatPolicyFile('mutants.test.yaml', text)).toEqual({ kind: 'formatted', text });
    expect(text).toContain('# Tests written by `weir mutate --write-tests`');
    // No test is missing now, so the file stays unchanged, including a comment added by hand.
    await folder.edit('tests/mutants.test.yaml', 'tests:', '# ours now\ntests:');
    await folder.weir(['mutate', '--write-tests']);
    expect(await folder.read('tests/mutants.test.yaml')).toBe(text.replace('tests:', '# ours now\ntests:'));
  });

  it('run in a subfolder of a repository, and on a named folder', async () => {
    folder.commit();
    for (const argv of [
      ['test', '--policies', '.'],
      ['diff', '--policies', '.'],
      ['render', 'production', '--policies', '..'],
    ]) {
      const { exit } = await folder.weir(argv, {
        cwd: `${folder.root}/policies${argv[0] === 'render' ? '/tests' : ''}`,
      });
      expect({ argv, exit }).toEqual({ argv, exit: 0 });
    }
  });

  it('limit mutants to what changed since a revision', async () => {
    folder.commit();
    const nothing = await folder.weir(['mutate', '--since', 'HEAD']);
    expect(nothing).toMatchObject({ exit: 0, stdout: '', stderr: 'exit 0: nothing changed since HEAD\n' });
    const empty = await folder.weir(['mutate', '--since', 'HEAD', '--json', '--min-score', '90']);
    expect(empty).toMatchObject({ exit: 0, stderr: 'exit 0: nothing changed since HEAD\n' });
    const report = JSON.parse(empty.stdout) as unknown;
    expect(report).toEqual({ schemaVersion: 1, score: 100, killed: 0, survived: 0, equivalent: 0, mutants: [] });
    expect(mutate.output?.parse(report)).toEqual(report);
    const sarif = await folder.weir(['mutate', '--since', 'HEAD', '--format', 'sarif']);
    expect(JSON.parse(sarif.stdout)).toMatchObject({ runs: [{ results: [] }] });
    expect((await folder.weir(['mutate', '--since', 'HEAD', '--format', 'junit'])).stdout).toContain('tests="0"');
    await folder.edit('_shared/baseline.yaml', 'severity: critical', 'severity: high');
    const { stdout } = await folder.weir(['mutate', '--since', 'HEAD', '--json']);
    const { mutants } = JSON.parse(stdout) as { mutants: { owners: string[] }[] };
    expect(new Set(mutants.flatMap(({ owners }) => owners))).toEqual(new Set(['secrets.block']));
  });

  const withJson: [string, readonly string[], { readonly output?: ZodType }][] = [
    ['test', ['test', '--coverage', '--json'], test],
    ['try', ['try', 'Write to bob@corp.example', '--trace', '--json'], tryCommand],
    ['render', ['render', 'production', '--json'], render],
    ['explain-rule', ['explain-rule', 'secrets.block', '--json'], explainRule],
    ['docs', ['docs', '--json'], docs],
    ['bench', ['bench', '--decisions', '5', '--json'], bench],
    ['diff', ['diff', '--witness', '--json'], diff],
    ['mutate', ['mutate', '--json'], mutate],
    ['repl', ['repl', '--json'], repl],
  ];
  it.each(withJson)('print only JSON that follows the schema with --json for %s', async (_name, argv, { output }) => {
    folder.commit();
    await folder.edit('_shared/baseline.yaml', 'gte: 0.8', 'gte: 0.9');
    await folder.edit('tests/all.test.yaml', 'score: 0.9', 'score: 1');
    const { stdout } = await folder.weir(argv, {
      stdin: argv[0] === 'repl' ? 'bob@corp.example\n:explain\n:help\n' : '',
    });
    const objects = argv[0] === 'repl' ? stdout.trimEnd().split('\n') : [stdout];
    for (const text of objects) {
      const value = JSON.parse(text) as { schemaVersion: unknown };
      expect(value.schemaVersion).toBe(1);
      // Parsing drops fields that the schema does not name, so the comparison finds them.
      expect(output?.parse(value)).toEqual(value);
    }
  });

  it.each([
    ['mutate', ['mutate']],
    ['bench', ['bench', '--decisions', '1000000']],
    ['diff', ['diff', '--witness', '--max-requests', '100000']],
  ])('end the CPU-bound %s at its timeout and on Ctrl-C', async (_name, argv) => {
    folder.commit();
    await folder.edit('_shared/baseline.yaml', 'gte: 0.8', 'gte: 0.9');
    await folder.edit('_shared/baseline.yaml', 'any_of: [EMAIL, PHONE]', 'any_of: [EMAIL]');
    // With a clock in large steps, every step of the work is long enough to yield to the event loop.
    let clockMs = 0;
    const nowMs = (): number => (clockMs += 100);
    expect(await folder.weir([...argv, '--timeout', '0.001'], { nowMs })).toMatchObject({
      exit: 4,
      stderr: 'exit 4: gave up after 0.001 s (--timeout)\n',
    });
    const signal = AbortSignal.timeout(1);
    expect(await folder.weir(argv, { nowMs, signal })).toMatchObject({ exit: 130, stderr: 'exit 130: interrupted\n' });
  });

  it('try a call with metadata whose name contains a dot, as the service judges it', async () => {
    const rule =
      '{ id: user.stop, stage: pre, when: { metadata.user.id: 42 }, then: { action: block }, on_unknown: match }';
    await folder.edit('_shared/baseline.yaml', 'rules:', `rules:\n  - ${rule}`);
    const tried = async (given: string): Promise<string> =>
      (await folder.weir(['try', 'hi', '--metadata', given, '--env', 'staging'])).stderr;
    expect(await tried('user.id=42')).toContain('the decision of staging is block');
    expect(await tried('user={"id":42}')).toContain('the decision of staging is block');
    expect(await tried('user.id=43')).toContain('the decision of staging is allow');
  });

  it('try a text that follows a list of values and two dashes', async () => {
    const options = ['--env', 'staging', '--metadata', 'team=a', 'user.id=42'];
    const tried = await folder.weir(['try', ...options, '--', 'Write to bob@corp.example']);
    expect(tried.exit).toBe(0);
    expect(tried).toEqual(await folder.weir(['try', 'Write to bob@corp.example', ...options]));
  });

  it('renew an exception in every environment that has it, or in the named one', async () => {
    const exception = `exceptions:
  - id: EX-1
    rules: [secrets.block]
    because: Staging tests the vault
    approved_by: dpo@acme.example
    ticket: SEC-3
    expires: 2031-01-01T00:00:00Z
`;
    await folder.edit('staging/policy.yaml', /$/, exception);
    const renew = (until: string, ...more: string[]) =>
      folder.weir([
        ...['exceptions', 'renew', 'EX-1', '--until', until, '--because', 'Still needed'],
        ...['--approved-by', 'dpo@acme.example', ...more],
      ]);
    const ends = async (): Promise<(string | undefined)[]> =>
      Promise.all(
        ['staging', 'production'].map(
          async (name) => /expires: "?(\d{4})/.exec(await folder.read(`${name}/policy.yaml`))?.[1],
        ),
      );
    const both = await renew('2032-01-01T00:00:00Z', '--json');
    expect({ exit: both.exit, ends: await ends() }).toEqual({ exit: 0, ends: ['2032', '2032'] });
    const report: unknown = JSON.parse(both.stdout);
    expect(exceptionsRenew.output?.parse(report)).toMatchObject({
      files: [{ environments: ['staging'] }, { environments: ['production'] }],
    });
    expect((await renew('2033-01-01T00:00:00Z', '--env', 'staging')).exit).toBe(0);
    expect(await ends()).toEqual(['2033', '2032']);
    // Nothing is changed if one of the exceptions would end earlier.
    const shorter = await renew('2032-06-01T00:00:00Z');
    expect(shorter).toMatchObject({ exit: 2, stderr: expect.stringContaining('staging/policy.yaml') as unknown });
    expect((await renew('2034-01-01T00:00:00Z', '--env', 'development')).exit).toBe(2);
    expect((await renew('2034-01-01T00:00Z')).exit).toBe(2);
    expect(await ends()).toEqual(['2033', '2032']);
  });

  it('refuse a time without a time zone, because its meaning depends on the machine', async () => {
    const times = ['2026-11-21T09:00:00', '2026-02-30', 'tomorrow'];
    for (const time of times) {
      expect(await folder.weir(['try', 'hi', '--at', time])).toMatchObject({ exit: 2, stdout: '' });
      expect((await folder.weir(['exceptions', 'preview', 'EX-1', '--at', time])).exit).toBe(2);
      expect((await folder.weir(['lint', '--now', time])).exit).toBe(2);
    }
    const { stdout } = await folder.weir(['repl'], { stdin: times.map((time) => `:at ${time}\n`).join('') });
    expect(stdout.match(/give a time with its zone/g)).toHaveLength(times.length);
    expect((await folder.weir(['try', 'hi', '--at', '2026-11-21'])).exit).toBe(0);
  });

  it('accept a flag with several values more than once', async () => {
    const { exit } = await folder.weir(['try', 'hi', '--metadata', 'team=a', '--metadata', 'user=b']);
    expect(exit).toBe(0);
  });

  it.each([
    ['test', ['test', '--format', 'tap']],
    ['lint', ['lint', '--format', 'compact']],
    ['docs', ['docs']],
  ])('write the output of %s to stdout for -o -', async (_name, argv) => {
    const { stdout } = await folder.weir(argv);
    expect(await folder.weir([...argv, '-o', '-'])).toMatchObject({ stdout });
    expect(await readdir(folder.root)).toEqual(['policies']);
  });

  it('judge stdin for -', async () => {
    const text = 'Write to bob@corp.example';
    const { stdout } = await folder.weir(['try', text]);
    for (const argv of [['try'], ['try', '-'], ['try', '--file', '-']]) {
      expect(await folder.weir(argv, { stdin: text })).toMatchObject({ stdout });
    }
  });

  it('compare links in the folder with what they lead to, as the working tree does', async () => {
    await folder.write('_shared/more/org.yaml', await folder.read('_shared/baseline.yaml'));
    await rm(`${folder.root}/policies/_shared/baseline.yaml`);
    await symlink('more/org.yaml', `${folder.root}/policies/_shared/baseline.yaml`);
    await cp(`${folder.root}/policies/staging`, `${folder.root}/policies/_staging`, { recursive: true });
    await folder.delete('staging');
    await symlink('_staging', `${folder.root}/policies/staging`);
    folder.commit();
    const same = await folder.weir(['diff', 'HEAD', '--fail-on-weakening']);
    expect(same).toMatchObject({ exit: 0, stderr: 'exit 0: no change since HEAD\n' });
    await folder.edit('_shared/more/org.yaml', 'dangerous: [run_shell, delete_database]', 'dangerous: [run_shell]');
    expect((await folder.weir(['diff', 'HEAD', '--fail-on-weakening'])).exit).toBe(1);
  });

  it('refuse a revision with a link to a place outside the folder, whose rules it does not contain', async () => {
    await symlink('../../elsewhere.yaml', `${folder.root}/policies/production/more.yaml`);
    folder.commit();
    await folder.delete('production/more.yaml');
    const { exit, stderr } = await folder.weir(['diff', 'HEAD']);
    expect([exit, stderr]).toEqual([3, expect.stringContaining('HEAD:policies/production/more.yaml is a broken link')]);
  });

  it('explain why git does not read a checkout of another user, and build it without a commit', async () => {
    folder.commit();
    process.env['GIT_TEST_ASSUME_DIFFERENT_OWNER'] = '1';
    try {
      const { exit, stderr } = await folder.weir(['diff', 'HEAD']);
      expect([exit, stderr]).toEqual([2, expect.stringContaining('run: git config --global --add safe.directory /')]);
      const built = await folder.weir(['build', 'production']);
      expect(built).toMatchObject({
        exit: 0,
        stderr: expect.stringMatching(/^no git commit is recorded: .*safe\.directory/m),
      });
    } finally {
      delete process.env['GIT_TEST_ASSUME_DIFFERENT_OWNER'];
    }
  });

  it('say that a shallow clone lacks the revision', async () => {
    folder.commit();
    await folder.edit('production/policy.yaml', 'default: allow', 'default: allow # again');
    folder.git('commit', '--all', '--quiet', '--message', 'second');
    const clone = `${folder.root}/clone`;
    folder.git('clone', '--quiet', '--depth', '1', `file://${folder.root}`, clone);
    const { stderr } = await folder.weir(['diff', 'HEAD~1'], { cwd: clone });
    expect(stderr).toContain('there is no revision "HEAD~1" in this repository, a shallow clone: fetch more');
  });

  it('change no file unless a flag asks for it', async () => {
    const texts = async (): Promise<string[]> => Promise.all(Object.keys(FILES).map((name) => folder.read(name)));
    const before = await texts();
    for (const argv of [['test'], ['mutate'], ['docs'], ['explain-rule', 'secrets.block']]) await folder.weir(argv);
    expect(await texts()).toEqual(before);
  });
});
