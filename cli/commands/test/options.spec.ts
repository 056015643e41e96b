import { PoliciesFolder } from '../../../test/support/policies-folder.js';
import { expectGolden } from '../../../test/support/golden.js';

const HEAD = `apiVersion: weir/v1
kind: PolicyTest
environments: [staging, production]
clock: 2026-11-21T09:00:00Z
defaults: { app: { name: web }, model: { name: gpt-4o } }
tests:
`;

describe('weir test', () => {
  let folder: PoliciesFolder;
  beforeEach(async () => {
    folder = await PoliciesFolder.create();
  });
  afterEach(() => folder.remove());

  const ids = (stdout: string): string[] =>
    (JSON.parse(stdout) as { results: { id: string; environment: string }[] }).results.map(
      ({ id, environment }) => `${id} ${environment}`,
    );

  describe('--shard', () => {
    it('distributes the tests: each is in one part, and each part differs from the average size by less than one test', async () => {
      const whole = ids((await folder.weir(['test', '--json'])).stdout);
      const parts = await Promise.all(
        [1, 2, 3, 4].map(async (part) => ids((await folder.weir(['test', '--shard', `${part}/4`, '--json'])).stdout)),
      );
      expect(parts.flat().sort()).toEqual([...whole].sort());
      for (const part of parts) expect(Math.abs(part.length - whole.length / 4)).toBeLessThan(1);
      expectGolden('test-shard', await folder.weir(['test', '--shard', '2/4']));
    });

    it('fails if a test of the selected part fails, and exits 7 for an empty part', async () => {
      await folder.edit('_shared/baseline.yaml', 'any_of: [EMAIL, PHONE]', 'any_of: [PHONE]');
      await folder.edit('production/policy.yaml', /overrides:[\s\S]*(?=exceptions:)/, '');
      const exits = await Promise.all(
        [1, 2, 3].map(async (part) => (await folder.weir(['test', '--shard', `${part}/3`])).exit),
      );
      expect(exits).toContain(1);
      expect(await folder.weir(['test', 'iban', '--shard', '3/3'])).toEqual({
        exit: 7,
        stdout: '',
        stderr: 'exit 7: part 3/3 contains no test: all parts together contain 2\n',
      });
    });

    it.each([['0/4'], ['5/4'], ['1'], ['a/b'], ['1/4000']])('refuses %s', async (shard) => {
      expect(await folder.weir(['test', '--shard', shard])).toEqual({
        exit: 2,
        stdout: '',
        stderr: 'exit 2: --shard takes the number of a part and the total, such as 1/4\n',
      });
    });

    it('is refused together with coverage flags, because the coverage of one part is meaningless', async () => {
      expect((await folder.weir(['test', '--shard', '1/2', '--coverage'])).exit).toBe(2);
      expect((await folder.weir(['test', '--shard', '1/2', '--min-coverage', '80'])).exit).toBe(2);
    });
  });

  describe('--update', () => {
    it('writes the actual results as expectations, keeps comments, and prints the difference', async () => {
      await folder.edit('tests/all.test.yaml', 'tests:\n', 'tests:\n  # what everybody sends\n');
      await folder.edit('_shared/baseline.yaml', 'any_of: [EMAIL, PHONE]', 'any_of: [PHONE]');
      await folder.edit(
        '_shared/baseline.yaml',
        'on_unknown: match\n  - id: tool',
        'on_unknown: no_match\n  - id: tool',
      );
      await folder.edit('production/policy.yaml', /overrides:[\s\S]*(?=exceptions:)/, '');
      await folder.weir(['fmt']);
      const run = await folder.weir(['test', '--update']);
      expectGolden('test-update', run);
      expect(await folder.read('tests/all.test.yaml')).toContain('# what everybody sends');
      expect((await folder.weir(['fmt', '--check'])).exit).toBe(0);
      expect((await folder.weir(['test', '--update'])).stderr).toMatch(/exit 0: 15 tests passed\n$/);
    });

    it('lists the updated tests with --json', async () => {
      await folder.edit(
        '_shared/baseline.yaml',
        'redact: { entities: [EMAIL, PHONE] }',
        'redact: { entities: [EMAIL] }',
      );
      const { stdout, exit } = await folder.weir(['test', '--update', '--json']);
      expect(exit).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        failed: 0,
        updated: [{ file: 'policies/tests/all.test.yaml', tests: ['contact-is-masked'] }],
      });
      expect(await folder.read('tests/all.test.yaml')).toContain("text: 'Write to [EMAIL_1] or +1 415 555 0100'");
    });

    it('writes a separate expectation for an environment with a different result', async () => {
      await folder.edit(
        'staging/policy.yaml',
        'client_monitor_mode: honor',
        'client_monitor_mode: honor\nmode: monitor',
      );
      expect((await folder.weir(['test', 'contact-is-masked', '--update'])).exit).toBe(0);
      const text = await folder.read('tests/all.test.yaml');
      expect(text).toContain(
        "expect: { action: redact, rules: [pii.mask-contact], text: 'Write to [EMAIL_1] or [PHONE_1]' }",
      );
      expect(text).toContain('expect@staging: { action: allow, rules: [] }');
    });

    it('keeps the expectations of environments that were not run', async () => {
      await folder.edit('_shared/baseline.yaml', 'any_of: [aws_access_key, github_pat]', 'any_of: [aws_access_key]');
      await folder.edit('tests/all.test.yaml', /rows: .*\n/, 'rows: [[github_pat, ghp_xxxx]]\n');
      const one = await folder.weir(['test', 'credential', '--update', '--env', 'production']);
      expect(one.stderr).toContain(
        'credential-is-refused[1] (production) was not updated: "action" differs between rows',
      );
      expect(one.exit).toBe(1);
      expect((await folder.weir(['test', 'credential', '--update'])).exit).toBe(0);
      await folder.edit('_shared/baseline.yaml', 'any_of: [EMAIL, PHONE]', 'any_of: [PHONE]');
      await folder.edit(
        'tests/all.test.yaml',
        "{{EMAIL:bob@corp.example}} or {{PHONE:+1 415 555 0100}}'",
        "{{EMAIL:bob@corp.example}}'",
      );
      await folder.edit('tests/all.test.yaml', '[EMAIL_1] or [PHONE_1]', '[EMAIL_1]');
      expect((await folder.weir(['test', 'contact', '--update', '--env', 'staging'])).exit).toBe(0);
      const text = await folder.read('tests/all.test.yaml');
      expect(text).toContain("expect: { action: redact, rules: [pii.mask-contact], text: 'Write to [EMAIL_1]' }");
      expect(text).toContain('expect@staging: { action: allow, rules: [] }');
    });

    it('updates the columns of a table, and reports what a table cannot express', async () => {
      const rows = `${HEAD}  - id: two
    detectors: stub
    table:
      columns: [code, action, rules, sent]
      rows:
        - [EMAIL, redact, [pii.mask-contact], '[EMAIL_1]'] # masked
        - [PHONE, redact, [pii.mask-contact], '[PHONE_1]']
    text: '{{$code:x@y.example}}'
    expect: { text: $sent }
`;
      await folder.write('tests/all.test.yaml', rows);
      await folder.edit('_shared/baseline.yaml', 'any_of: [EMAIL, PHONE]', 'any_of: [EMAIL]');
      await folder.edit('production/policy.yaml', /overrides:[\s\S]*(?=exceptions:)/, '');
      const { exit, stderr } = await folder.weir(['test', '--update']);
      expect(exit).toBe(1);
      expect(stderr).toContain(
        'two[2] (staging) was not updated: the new value of "text" cannot be written in its column alone',
      );
      const text = await folder.read('tests/all.test.yaml');
      expect(text).toContain("- [EMAIL, redact, [pii.mask-contact], '[EMAIL_1]'] # masked");
      expect(text).toContain("- [PHONE, allow, [], '[PHONE_1]']");
    });

    it('leaves a leak unchanged, because no expectation may accept it', async () => {
      await folder.edit(
        'tests/all.test.yaml',
        "'Write to {{EMAIL:bob@corp.example}} or",
        "'Write to {{EMAIL:bob@corp.example}} and bob@corp.example or",
      );
      await folder.edit(
        'tests/all.test.yaml',
        '- id: contact-is-masked',
        '- id: contact-is-masked\n    detectors: stub',
      );
      const before = await folder.read('tests/all.test.yaml');
      const { exit, stderr } = await folder.weir(['test', 'contact', '--update']);
      expect(exit).toBe(1);
      expect(stderr).toContain('contact-is-masked (staging) was not updated: a test cannot expect "leak"');
      expect(await folder.read('tests/all.test.yaml')).toBe(before);
    });

    it('is refused if CI is set, and with incompatible flags', async () => {
      await folder.edit('_shared/baseline.yaml', 'any_of: [EMAIL, PHONE]', 'any_of: [PHONE]');
      const before = await folder.read('tests/all.test.yaml');
      for (const CI of ['true', '1', 'yes']) {
        expect((await folder.weir(['test', '--update'], { env: { CI } })).exit).toBe(2);
      }
      for (const flag of [['--watch'], ['--shard', '1/2']]) {
        expect((await folder.weir(['test', '--update', ...flag])).exit).toBe(2);
      }
      expect(await folder.read('tests/all.test.yaml')).toBe(before);
      expect((await folder.weir(['test', '--update'], { env: { CI: 'false' } })).exit).toBe(0);
    });
  });
});
