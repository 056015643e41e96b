import { TESTS, PoliciesFolder } from '../../test/support/policies-folder.js';

/** Known complaints about other policy tools: in each of these cases such a tool succeeded, or gave no helpful message. */
describe('The commands on policies never report success for something unchecked:', () => {
  let folder: PoliciesFolder;
  beforeEach(async () => {
    folder = await PoliciesFolder.create();
  });
  afterEach(() => folder.remove());

  const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1)!;

  it('a configured environment without a folder fails', async () => {
    await folder.delete('staging');
    const { exit, stderr } = await folder.weir(['test']);
    expect(exit).toBe(3);
    expect(stderr).toContain('the environment "staging" has no folder in policies');
    expect(lastLine(stderr)).toBe('exit 3: 1 file could not be compiled');
  });

  it('a folder that is not an environment fails, because nothing would load its policy', async () => {
    await folder.write(
      'prod/policy.yaml',
      (await folder.read('production/policy.yaml')).replace('id: production', 'id: prod'),
    );
    const { exit, stderr } = await folder.weir(['test']);
    expect(exit).toBe(3);
    expect(stderr).toContain('"prod" is not an environment, so no policy loads this file');
  });

  it.each<[string, string, string]>([
    ['a policy in a folder of an environment', 'production/team/more.yaml', 'directly in the folder of their env'],
    ['a policy whose name ends in capital letters', 'production/more.YAML', 'in small letters'],
    ['a policy outside of the environments', 'production.yaml', 'in the folder of their environment'],
    ['a test outside of the tests', 'more.test.yaml', 'tests in tests/*.test.yaml'],
  ])('%s fails, because nothing would load it', async (_what, file, hint) => {
    await folder.write(file, file.includes('test') ? TESTS : await folder.read('production/policy.yaml'));
    const { exit, stderr } = await folder.weir(['test']);
    expect(exit).toBe(3);
    expect(stderr).toContain(`policies/${file}`);
    expect(stderr).toContain('no policy loads this file');
    expect(stderr).toContain(hint);
    expect((await folder.weir(['lint'])).exit).toBe(3);
  });

  it('a policy in a folder of an environment is loaded if a policy extends it', async () => {
    await folder.write('production/team/base.yaml', await folder.read('_shared/baseline.yaml'));
    await folder.edit('production/policy.yaml', '../_shared/baseline.yaml', './team/base.yaml');
    expect(await folder.weir(['test'])).toMatchObject({ exit: 0 });
  });

  it('an environment with a file too many is named, because the last one is not loaded', async () => {
    const short = 'apiVersion: weir/v1\nkind: Policy\nmetadata: { id: more, owner: security@acme.example }\n';
    const isShared = 1;
    for (let more = 0; more < 1_000 - isShared; more++) await folder.write(`production/p${more}.yaml`, short);
    expect((await folder.weir(['test'])).stderr).toContain('the environment has more than 1,000 files');
  });

  it('an environment that is missing in the project file fails', async () => {
    await folder.edit('weir.config.yaml', 'staging, production', 'production');
    await folder.edit('tests/all.test.yaml', 'environments: [staging, production]', 'environments: [production]');
    await folder.edit('tests/all.test.yaml', /\n {4}expect@staging.*\n/, '\n');
    const { exit, stderr } = await folder.weir(['test']);
    expect(exit).toBe(3);
    expect(stderr).toContain('name it under `environments` in weir.config.yaml');
  });

  it('weir test fails if no run includes a test file', async () => {
    await folder.write('tests/more/deep.test.yaml', TESTS);
    expect((await folder.weir(['test'])).stderr).toContain('no test run includes this file');
    await folder.delete('tests/more');
    await folder.write('tests/other.yaml', TESTS);
    const { exit, stderr } = await folder.weir(['test']);
    expect(exit).toBe(3);
    expect(stderr).toContain('tests are in tests/*.test.yaml');
    await folder.delete('tests/other.yaml');
    await folder.write('tests/fixtures/sample.test.yaml', TESTS);
    expect(await folder.weir(['test'])).toMatchObject({
      exit: 3,
      stderr: expect.stringContaining('policies/tests/fixtures/sample.test.yaml') as string,
    });
  });

  it.each<[string, (folder: PoliciesFolder) => Promise<unknown>, readonly string[], number, string]>([
    ['no test file', (one) => one.delete('tests'), [], 7, 'there is no test in policies/tests'],
    [
      'no test in the file',
      (one) => one.edit('tests/all.test.yaml', /tests:\n[\s\S]*/, 'tests: []\n'),
      [],
      3,
      '0 tests were run',
    ],
    ['a filter that matches nothing', () => Promise.resolve(), ['no-such-test'], 7, 'no test matches "no-such-test"'],
    [
      'only skipped tests',
      (one) => one.edit('tests/all.test.yaml', /tests:\n[\s\S]*/, SKIPPED),
      [],
      7,
      'all 2 tests are skipped',
    ],
    [
      'no test for one environment',
      (one) => one.edit('tests/all.test.yaml', /environments: \[staging, production\]\n[\s\S]*/, ONLY_PRODUCTION),
      [],
      7,
      'no test was run for staging',
    ],
    [
      'an environment that does not exist',
      () => Promise.resolve(),
      ['--env', 'prod'],
      2,
      'there is no environment "prod"',
    ],
    [
      'an expired skip',
      (one) => one.edit('tests/all.test.yaml', 'text: hello\n', EXPIRED),
      ['detector-down'],
      1,
      'failed',
    ],
  ])('weir test fails with %s', async (_what, change, argv, exit, words) => {
    await change(folder);
    const run = await folder.weir(['test', ...argv]);
    expect({ exit: run.exit, last: lastLine(run.stderr) }).toEqual({ exit, last: expect.stringContaining(words) });
    expect(lastLine(run.stderr)).toMatch(new RegExp(`^exit ${exit}: `));
  });

  it.each<[string, string, string, string]>([
    ['a misspelt rule in a test', 'tests/all.test.yaml', 'rules: [secrets.block]', 'rules: [secret.block]'],
    ['a misspelt fact in a test', 'tests/all.test.yaml', 'prompt_injection: { score', 'prompt_injektion: { score'],
    ['a misspelt key in a test', 'tests/all.test.yaml', 'unavailable: [secrets]', 'unavailabel: [secrets]'],
    ['a misspelt entity in a test', 'tests/all.test.yaml', '{{IBAN:', '{{IBAM:'],
    [
      'an expectation without an action',
      'tests/all.test.yaml',
      'expect: { action: allow, rules: [] }',
      'expect: { rules: [] }',
    ],
    [
      'an expectation without rules',
      'tests/all.test.yaml',
      'expect: { action: allow, rules: [] }',
      'expect: { action: allow }',
    ],
    ['an unknown decision word', 'tests/all.test.yaml', 'action: block, reason', 'action: deny, reason'],
    ['a misspelt key in a rule', '_shared/baseline.yaml', 'on_unknown: match', 'on_unknwon: match'],
    ['a misspelt action in a rule', '_shared/baseline.yaml', 'action: block', 'action: blok'],
    ['an override of an unknown rule', 'production/policy.yaml', 'rule: pii.mask-contact', 'rule: pii.mask-contacts'],
    ['an exception for every rule', 'production/policy.yaml', 'rules: [secrets.block]', 'rules: ["*"]'],
  ])('%s exits 3 with file and line, and no test is run', async (_what, file, from, to) => {
    await folder.edit(file, from, to);
    const { exit, stdout, stderr } = await folder.weir(['test']);
    expect(exit).toBe(3);
    expect(stdout).toBe('');
    expect(stderr).toMatch(new RegExp(`--> policies/${file.replaceAll('.', '\\.')}:\\d+:\\d+`));
  });

  it('a policy that cannot be compiled exits 3 in every command, never 0 or 1', async () => {
    await folder.commit();
    await folder.edit('_shared/baseline.yaml', 'stage: tool', 'stage: tols');
    for (const argv of [
      ['test'],
      ['mutate'],
      ['diff'],
      ['try', 'x'],
      ['render', 'production'],
      ['docs'],
      ['bench'],
      ['explain-rule', 'secrets.block'],
    ]) {
      const { exit, stdout, stderr } = await folder.weir(argv);
      expect({ argv, exit, stdout }).toEqual({ argv, exit: 3, stdout: '' });
      expect(lastLine(stderr)).toBe('exit 3: 1 file could not be compiled');
    }
  });

  it('a policy that cannot be compiled at the compared revision is named with that revision', async () => {
    await folder.edit('_shared/baseline.yaml', 'stage: tool', 'stage: tols');
    folder.commit();
    await folder.edit('_shared/baseline.yaml', 'stage: tols', 'stage: tool');
    const { exit, stderr } = await folder.weir(['diff']);
    expect(exit).toBe(3);
    expect(lastLine(stderr)).toMatch(/^exit 3: the (staging|production) policy of HEAD could not be compiled$/);
  });

  it('every test is run and reported, even after a failure', async () => {
    await folder.edit(
      'tests/all.test.yaml',
      'expect: { action: allow, rules: [] }',
      'expect: { action: block, rules: [] }',
    );
    const { exit, stdout } = await folder.weir(['test', '--json']);
    expect(exit).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ passed: 13, failed: 2, skipped: 0 });
  });

  it('every failure has file, line and id in every format', async () => {
    await folder.edit(
      'tests/all.test.yaml',
      'expect: { action: allow, rules: [] }',
      'expect: { action: block, rules: [] }',
    );
    for (const format of ['pretty', 'junit', 'tap']) {
      const { stdout } = await folder.weir(['test', '--format', format]);
      expect({ format, stdout }).toEqual({ format, stdout: expect.stringMatching(/clean-text-passes/) });
      expect({ format, stdout }).toEqual({ format, stdout: expect.stringMatching(/all\.test\.yaml(:|" line=")7/) });
    }
  });

  it('the report is written to the file that -o names even if tests fail', async () => {
    await folder.edit(
      'tests/all.test.yaml',
      'expect: { action: allow, rules: [] }',
      'expect: { action: block, rules: [] }',
    );
    const { exit, stdout } = await folder.weir(['test', '--format', 'junit', '-o', 'policies/results.xml']);
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: '' });
    expect(await folder.read('results.xml')).toContain('failures="2"');
    const nowhere = await folder.weir(['test', '-o', 'no/such/folder/x.xml']);
    expect(nowhere.exit).toBe(2);
  });

  it('mutation finds a test that passes without the rule', async () => {
    await folder.edit(
      'tests/all.test.yaml',
      /action: block, reason: tool_use_blocked, rules: \[tool.block-dangerous\]/,
      'action: block, rules_exclude: []',
    );
    await folder.edit('tests/all.test.yaml', 'action: block, rules_exclude: []', 'action: block, rules_include: []');
    const { stdout } = await folder.weir(['mutate', '--rule', 'tool.block-dangerous']);
    expect(stdout).toContain('SURVIVED tool.block-dangerous  reason becomes content_policy_violation');
  });

  it('no mutant is made while a test fails without mutation', async () => {
    await folder.edit(
      'tests/all.test.yaml',
      'expect: { action: allow, rules: [] }',
      'expect: { action: block, rules: [] }',
    );
    const { exit, stderr, stdout } = await folder.weir(['mutate', '--min-score', '0']);
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: '' });
    expect(lastLine(stderr)).toContain('2 tests fail before any mutation, the first is clean-text-passes');
  });

  it('the trace explains why a rule did not match', async () => {
    const { stdout } = await folder.weir(['try', 'hello', '--trace']);
    expect(stdout).toContain('secrets.block  did not match\n  false    secrets.types any_of');
  });

  it('the weakening gate fails if an environment is removed', async () => {
    folder.commit();
    await folder.delete('staging');
    await folder.edit('weir.config.yaml', 'staging, production', 'production');
    await folder.edit('tests/all.test.yaml', 'environments: [staging, production]', 'environments: [production]');
    const { exit, stdout, stderr } = await folder.weir(['diff', '--fail-on-weakening']);
    expect(exit).toBe(1);
    expect(stdout).toContain('staging  removed');
    expect(lastLine(stderr)).toBe('exit 1: the environment staging of HEAD was removed');
  });

  it.each<[string, readonly string[], string]>([
    ['no repository', ['diff'], 'this folder is not in a git repository'],
    ['an unknown revision', ['diff', 'no-such-branch'], 'there is no revision "no-such-branch"'],
  ])('diff explains the failure for %s', async (what, argv, words) => {
    if (what !== 'no repository') folder.commit();
    const { exit, stderr } = await folder.weir(argv);
    expect(exit).toBe(2);
    expect(lastLine(stderr)).toContain(words);
  });

  it('a test fails by default, with advice, if the detector does not find a marked value', async () => {
    await folder.edit('tests/all.test.yaml', '{{PHONE:+1 415 555 0100}}', '{{PHONE:number of nobody}}');
    const { exit, stdout } = await folder.weir(['test', 'contact', '--env', 'production']);
    expect(exit).toBe(1);
    expect(stdout).toContain('expected pii to find PHONE 29-45 at messages[0].content, got EMAIL 9-25');
    expect(stdout).toContain('set detectors: stub so that annotations replace the findings');
    await folder.edit('tests/all.test.yaml', '- id: contact-is-masked', '- id: contact-is-masked\n    detectors: stub');
    expect((await folder.weir(['test', 'contact'])).exit).toBe(0);
  });

  it('a value without an annotation is judged as on the server, and reported if it makes the test fail', async () => {
    await folder.edit('tests/all.test.yaml', 'What is the capital of France?', 'Who is eve@corp.example?');
    const { exit, stdout } = await folder.weir(['test', 'clean', '--env', 'production']);
    expect(exit).toBe(1);
    expect(stdout).toContain('action  expected "allow", got "redact"');
    expect(stdout).toContain('pii found EMAIL 7-23 at messages[0].content, which is not annotated');
    expect((await folder.weir(['test', 'clean', '--detectors', 'stub'])).exit).toBe(0);
  });
});

const SKIPPED = `tests:
  - id: later
    skip: true
    because: not yet
    until: 2999-01-01
    text: hello
    expect: { action: allow, rules: [] }
`;
const ONLY_PRODUCTION = `environments: [production]
defaults: { app: { name: web }, model: { name: gpt-4o } }
tests:
  - id: one
    text: hello
    expect: { action: allow, rules: [] }
`;
const EXPIRED = `text: hello
    skip: true
    because: flaky
    until: 2020-01-01
`;
