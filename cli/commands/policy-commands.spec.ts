import type { ZodType } from 'zod';
import { formatPolicyFile } from '../../src/authoring/index.js';
import { expectGolden } from '../../test/support/golden.js';
import { FILES, PoliciesFolder } from '../../test/support/policies-folder.js';
import { bench } from './test/bench.js';
import { diff } from './test/diff.js';
import { docs } from './write/docs.js';
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

  it.each<[string, readonly string[], { readonly output?: ZodType }]>([
    ['test', ['test', '--coverage', '--json'], test],
    ['try', ['try', 'Write to bob@corp.example', '--trace', '--json'], tryCommand],
    ['render', ['render', 'production', '--json'], render],
    ['explain-rule', ['explain-rule', 'secrets.block', '--json'], explainRule],
    ['docs', ['docs', '--json'], docs],
    ['bench', ['bench', '--decisions', '5', '--json'], bench],
    ['diff', ['diff', '--witness', '--json'], diff],
    ['mutate', ['mutate', '--json'], mutate],
    ['repl', ['repl', '--json'], repl],
  ])('print only JSON that follows the schema with --json for %s', async (_name, argv, { output }) => {
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

  it('accept a flag with several values more than once', async () => {
    const { exit } = await folder.weir(['try', 'hi', '--metadata', 'team=a', '--metadata', 'user=b']);
    expect(exit).toBe(0);
  });

  it('change no file unless a flag asks for it', async () => {
    const texts = async (): Promise<string[]> => Promise.all(Object.keys(FILES).map((name) => folder.read(name)));
    const before = await texts();
    for (const argv of [['test'], ['mutate'], ['docs'], ['explain-rule', 'secrets.block']]) await folder.weir(argv);
    expect(await texts()).toEqual(before);
  });
});
