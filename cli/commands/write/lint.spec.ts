import { execFileSync } from 'node:child_process';
import {
  CONFIG,
  EXCEPTION,
  NOW,
  REDUNDANT,
  folder,
  jsonOf,
  lastLine,
  lintCodes,
  policy,
  project,
  put,
  read,
  weir,
} from '../../../test/support/policy-project.js';

describe('weir lint', () => {
  it('reports what it checked and exits 0 without findings', async () => {
    project(policy());
    expect(await weir(['lint', '--now', NOW])).toEqual({
      exit: 0,
      stdout: '',
      stderr: 'exit 0: no findings; checked 3 rules and 0 tests in 1 file\n',
    });
  });

  it('prints each finding with its lines, its fix and its page', async () => {
    project(policy(REDUNDANT));
    const { exit, stdout, stderr } = await weir(['lint', '--now', NOW]);
    expect(stdout).toBe(`warning[G131]: the condition on "pii.count" never changes the result
  --> policies/production/policy.yaml:14:11
   13 |       all:
   14 |         - pii.count: { gt: 0 } # at least one
      |           ^^^^^^^^^ implied by "pii.types" on line 15
   15 |         - pii.types: { any_of: [EMAIL] }
      = fix: weir lint --fix    = docs: weir lint --explain G131

`);
    expect({ exit, stderr }).toEqual({
      exit: 0,
      stderr: 'exit 0: 1 warning; checked 3 rules and 0 tests in 1 file\n',
    });
    expect((await weir(['lint', '--now', NOW, '--fail-level', 'warning'])).exit).toBe(1);
  });

  it('applies a fix if there is one safe fix, and keeps every other character', async () => {
    project(policy(REDUNDANT, '# the end\n'));
    const { exit, stdout, stderr } = await weir(['lint', '--fix', '--now', NOW]);
    expect(stdout).toContain('fixed[G131]: the condition on "pii.count" never changes the result');
    expect({ exit, line: lastLine(stderr) }).toEqual({
      exit: 0,
      line: 'exit 0: 1 fixed; checked 3 rules and 0 tests in 1 file',
    });
    expect(read('policies/production/policy.yaml')).toBe(
      policy('\n      all:\n        - pii.types: { any_of: [EMAIL] }', '# the end\n'),
    );
  });

  it('applies fixes of several kinds until none remain', async () => {
    project(
      policy(`
      all:
        - pii.count: { gt: 0 }
        - pii.types: { any_of: [EMAIL] }
        - model.name: { in: gpt-4o }`).replace(
        'then: { action: flag }\n  - { id: a.post',
        'then: { action: flag, reason: content_policy_violation } # weir-ignore G142: left over\n  - { id: a.post',
      ),
    );
    expect((await weir(['lint', '--fix', '--now', NOW])).exit).toBe(0);
    expect(read('policies/production/policy.yaml')).toBe(
      policy('\n      all:\n        - pii.types: { any_of: [EMAIL] }\n        - model.name: { in: [gpt-4o] }'),
    );
  });

  it.each([
    ['one file that cannot be compiled', policy('{ pi.count: { gt: 0 } }'), 3, 'could not be compiled'],
    ['an expired exception', policy(undefined, EXCEPTION('2026-05-28T00:00:00Z')), 1, '1 error'],
    ['a text that is not YAML', 'rules: [', 3, '1 file could not be compiled'],
  ])('has an exit code for each kind of problem: %s', async (_what, text, exit, words) => {
    project(text);
    const ended = await weir(['lint', '--now', NOW]);
    expect(ended.exit).toBe(exit);
    expect(lastLine(ended.stderr)).toMatch(new RegExp(`^exit ${exit}: .*${words}`));
  });

  it('prints one line per finding, annotations, TAP and JUnit', async () => {
    project(policy(REDUNDANT));
    const out = async (format: string): Promise<string> =>
      (await weir(['lint', '--now', NOW, '--format', format])).stdout;
    expect(await out('compact')).toBe(
      'policies/production/policy.yaml:14:11: warning[G131] the condition on "pii.count" never changes the result (implied by "pii.types" on line 15)\n',
    );
    expect(await out('github')).toBe(
      '::warning file=policies/production/policy.yaml,line=14,col=11,endColumn=20,title=G131::the condition on "pii.count" never changes the result (implied by "pii.types" on line 15)\n',
    );
    expect(await out('tap')).toContain('not ok 1 - policies/production/policy.yaml G131');
    expect(await out('junit')).toContain('<failure message="warning[G131]');
  });

  it('prints SARIF 2.1.0 that code scanning can read', async () => {
    project(policy(REDUNDANT, EXCEPTION('2026-05-28T00:00:00Z # weir-ignore G301: renewed next week')));
    const { stdout } = await weir(['lint', '--now', NOW, '--format', 'sarif']);
    const log = JSON.parse(stdout) as {
      version: string;
      runs: { tool: unknown; results: Record<string, unknown>[] }[];
    };
    expect(log).toMatchObject({
      version: '2.1.0',
      runs: [{ tool: { driver: { name: 'weir', rules: [{ id: 'G131' }, { id: 'G211' }, { id: 'G301' }] } } }],
    });
    for (const result of log.runs[0]!.results) {
      expect(result).toMatchObject({
        ruleId: expect.stringMatching(/^G\d{3}$/) as unknown,
        level: expect.stringMatching(/^(?:error|warning)$/) as unknown,
        message: { text: expect.any(String) as unknown },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'policies/production/policy.yaml', uriBaseId: 'SRCROOT' },
              region: { startLine: expect.any(Number) as unknown, startColumn: expect.any(Number) as unknown },
            },
          },
        ],
      });
    }
    expect(log.runs[0]!.results.find(({ ruleId }) => ruleId === 'G301')).toMatchObject({
      suppressions: [{ kind: 'inSource', justification: 'renewed next week' }],
    });
  });

  it('prints JSON that follows the documented schema', async () => {
    project(policy(REDUNDANT));
    const value = await jsonOf(['lint', '--json', '--now', NOW], 'lint');
    expect(value['summary']).toMatchObject({ environments: ['production'], rules: 3, warnings: 1, compiled: true });
  });

  it('writes the report to a file with -o', async () => {
    project(policy(REDUNDANT));
    expect((await weir(['lint', '--now', NOW, '--format', 'compact', '-o', 'report.txt'])).stdout).toBe('');
    expect(read('report.txt')).toContain('G131');
  });

  it('checks one environment, a file in every environment that loads it, or stdin', async () => {
    put(
      'policies/_shared/base.yaml',
      policy().replace('environment: production\n', '').replace('id: example', 'id: base'),
    );
    for (const name of ['staging', 'production']) {
      put(
        `policies/${name}/policy.yaml`,
        `apiVersion: weir/v1\nkind: Policy\nmetadata: { id: ${name}, owner: me }\nenvironment: ${name}\ndefault: allow\nextends: [../_shared/base.yaml]\n`,
      );
    }
    put('policies/weir.config.yaml', CONFIG.replace('[production]', '[staging, production]'));
    const environments = async (...paths: string[]): Promise<unknown> => {
      const { stdout } = await weir(['lint', '--json', '--now', NOW, ...paths]);
      return (JSON.parse(stdout) as { summary: { environments: string[] } }).summary.environments;
    };
    expect(await environments()).toEqual(['staging', 'production']);
    expect(await environments('policies/staging')).toEqual(['staging']);
    expect(await environments('production')).toEqual(['production']);
    expect(await environments('policies/_shared/base.yaml')).toEqual(['staging', 'production']);
    expect((await weir(['lint', '-'], { stdin: policy() })).exit).toBe(0);
    const unsaved = ['lint', '-', '--stdin-filename', 'policies/production/policy.yaml', '--now', NOW];
    const broken = read('policies/production/policy.yaml').replace('default', 'defualt');
    expect((await weir(unsaved, { stdin: broken })).stdout).toContain('did you mean "default"?');
    expect((await weir(unsaved, { stdin: read('policies/production/policy.yaml') })).exit).toBe(0);
  });

  it('applies the levels in the project file, except to errors that prevent compiling', async () => {
    project(policy(REDUNDANT), CONFIG.replace('G200: ignore', 'G200: ignore, G131: error, G101: ignore'));
    expect((await weir(['lint', '--now', NOW])).exit).toBe(1);
    project(policy('{ pi.count: { gt: 0 } }'), CONFIG.replace('G200: ignore', 'G200: ignore, G101: ignore'));
    expect((await weir(['lint', '--now', NOW])).exit).toBe(3);
  });

  it('ignores a finding until a date if a comment gives a reason, and reports comments without effect', async () => {
    const commented = (comment: string): string => policy(REDUNDANT.replace('# at least one', comment));
    project(commented('# weir-ignore G131: kept for readability (until 2027-01-01)'));
    expect(await lintCodes()).toEqual([]);
    expect((await weir(['lint', '--now', '2027-01-02', '--format', 'compact'])).stdout).toMatch(/G131[\s\S]*G322/);
    project(commented('# weir-ignore G131'));
    expect(await lintCodes()).toEqual(['G131', 'G321']);
    project(commented('# weir-ignore G130: not this one'));
    expect(await lintCodes()).toEqual(['G131', 'G320']);
    project(commented('# weir-ignore G131: it\'s "#fine"'));
    expect(await lintCodes()).toEqual([]);
    project(policy("{ metadata.x: '# weir-ignore G131: a text' }"));
    expect(await lintCodes()).toEqual([]);
  });

  describe('with comments for checks that did not run', () => {
    const COMMENT = '# weir-ignore G131: kept for readability';
    const kept = policy(REDUNDANT.replace('# at least one', COMMENT));
    const BROKEN = 'apiVersion: weir/v1\nkind: PolicyTest\nenvironments: [production]\ntests: [{ id: Wrong Id }]\n';

    it('keeps them with --fix while a policy does not compile', async () => {
      project(kept.replace('tool.name: rm', 'tool.nam: rm'));
      const before = read('policies/production/policy.yaml');
      const { exit, stdout } = await weir(['lint', '--fix', '--now', NOW, '--format', 'compact']);
      expect(exit).toBe(3);
      expect(stdout).not.toContain('G320');
      expect(read('policies/production/policy.yaml')).toBe(before);
    });

    it('keeps them with --fix while a test file is broken, and removes them once the check ran', async () => {
      const comment = '  # weir-ignore G210: the gateway refuses on its own\n';
      const text = policy()
        .replace('  - id: a.pre\n', `${comment}  - id: a.pre\n`)
        .replace('then: { action: flag }\n', 'then: { action: block }\n    on_unknown: match\n');
      project(text);
      expect(await lintCodes()).toEqual([]);
      put('policies/tests/a.test.yaml', BROKEN);
      expect((await weir(['lint', '--fix', '--now', NOW])).exit).toBe(3);
      expect(read('policies/production/policy.yaml')).toBe(text);
      project(policy('{ pii.types: { any_of: [EMAIL] } }').replace('  - id: a.pre\n', `${comment}  - id: a.pre\n`));
      expect(await lintCodes()).not.toContain('G320');
      const test = '{ id: t, text: hi, expect: { action: allow, rules: [] } }';
      put('policies/tests/a.test.yaml', BROKEN.replace('{ id: Wrong Id }', test));
      expect(await lintCodes()).toEqual(['G320']);
    });

    it('reports a comment on a renamed rule only if a revision to compare with is given', async () => {
      project(policy().replace('  - id: a.pre\n', '  # weir-ignore G306: nobody used the old id\n  - id: a.pre\n'));
      expect(await lintCodes()).toEqual([]);
    });

    it('reports no comment of a shared file if not every environment that loads the file is checked', async () => {
      const head = (name: string): string =>
        `apiVersion: weir/v1\nkind: Policy\nmetadata: { id: ${name}, owner: me }\ndefault: allow\n`;
      const shared = policy().replace('environment: production\n', '');
      put(
        'policies/_shared/base.yaml',
        shared.replace(
          '  - id: a.pre\n',
          '  - id: a.pre\n    mode: monitor\n    review_by: 2026-01-31 # weir-ignore G304: the team decides in spring\n',
        ),
      );
      const own = (name: string): string => `${head(name)}environment: ${name}\nextends: [../_shared/base.yaml]\n`;
      put('policies/production/policy.yaml', own('production'));
      put(
        'policies/staging/policy.yaml',
        `${own('staging')}overrides: [{ rule: a.pre, because: Staging enforces, set: { mode: enforce } }]\n`,
      );
      put('policies/weir.config.yaml', CONFIG.replace('[production]', '[staging, production]'));
      expect(await lintCodes()).toEqual([]);
      expect(await lintCodes('staging')).toEqual([]);
    });
  });

  it('explains each rule', async () => {
    const { exit, stdout } = await weir(['lint', '--explain', 'g131']);
    expect(exit).toBe(0);
    expect(stdout).toMatch(/^G131 \(warning\): A condition never changes the result\n[\s\S]*Avoid[\s\S]*Prefer/);
    expect((await weir(['lint', '--explain', 'G999'])).exit).toBe(2);
  });

  it('reports a rule id that no longer exists since a git revision, unless a rule lists it as a former id', async () => {
    const git = (...args: string[]): unknown =>
      execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], {
        cwd: folder,
        stdio: 'ignore',
      });
    project(policy());
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'first');
    project(policy().replace('a.pre', 'b.pre'));
    expect(await lintCodes('--since', 'HEAD')).toEqual(['G306']);
    project(policy().replace('id: a.pre', 'id: b.pre\n    formerly: [a.pre]'));
    expect(await lintCodes('--since', 'HEAD')).toEqual([]);
    expect((await weir(['lint', '--since', 'no-such-revision'])).exit).toBe(2);
  });
});
