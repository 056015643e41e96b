import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { PLUGINS } from '../../plugins/index.js';
import { runWeir, type WeirOptions, type WeirRun } from '../../test/support/run-weir.js';

const NOW = '2026-11-21T09:00:00Z';
const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1)!;

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'weir-tools-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function weir(argv: readonly string[], options: WeirOptions = {}): Promise<WeirRun> {
  return runWeir(argv, { catalog: PLUGINS, cwd: folder, ...options });
}

function put(file: string, text: string): void {
  mkdirSync(join(folder, file, '..'), { recursive: true });
  writeFileSync(join(folder, file), text);
}

function read(file: string): string {
  return readFileSync(join(folder, file), 'utf8');
}

/** One rule per stage, so that nothing is found; `more` goes below them. */
function policy(when = '{ pii.types: { any_of: [EMAIL] } }', more = ''): string {
  return `apiVersion: weir/v1
kind: Policy
metadata: { id: example, owner: security@example.com }
environment: production
default: allow
detectors:
  pii: { plugin: pii@^1 }
  secrets: { plugin: secrets@^1 }
rules:
  - id: a.pre
    stage: pre
    when: ${when}
    then: { action: flag }
  - { id: a.post, stage: post, when: { pii.count: { gt: 0 } }, then: { action: flag } }
  - { id: a.tool, stage: tool, when: { tool.name: rm }, then: { action: flag } }
${more}`;
}

const CONFIG = `apiVersion: weir/v1
kind: Project
environments: [production]
lint: { levels: { G200: ignore, G201: ignore } }
`;

function project(text: string, config = CONFIG): void {
  put('policies/weir.config.yaml', config);
  put('policies/production/policy.yaml', text);
}

const EXCEPTION = (expires: string): string => `exceptions:
  - id: EX-1
    rules: [a.pre]
    because: The contract allows it
    approved_by: dpo@example.com
    ticket: SEC-1
    expires: ${expires}
`;

const REDUNDANT = `
      all:
        - pii.count: { gt: 0 } # at least one
        - pii.types: { any_of: [EMAIL] }`;

async function lintCodes(...more: string[]): Promise<string[]> {
  const { stdout } = await weir(['lint', '--json', '--now', NOW, ...more]);
  const { findings } = JSON.parse(stdout) as { findings: { code: string; ignored?: string }[] };
  return findings.filter(({ ignored }) => ignored === undefined).map(({ code }) => code);
}

function schemaOf(command: string): object {
  return JSON.parse(readFileSync(`docs/reference/schemas/${command}.json`, 'utf8')) as object;
}

async function jsonOf(argv: readonly string[], command: string): Promise<Record<string, unknown>> {
  const { stdout } = await weir(argv);
  const value = JSON.parse(stdout) as Record<string, unknown>;
  const ajv = new Ajv({ strict: false });
  expect(ajv.validate(schemaOf(command), value) ? [] : ajv.errors).toEqual([]);
  expect(value['schemaVersion']).toBe(1);
  return value;
}

describe('weir lint', () => {
  it('says what it checked, and exits 0, when there is nothing to say', async () => {
    project(policy());
    expect(await weir(['lint', '--now', NOW])).toEqual({
      exit: 0,
      stdout: '',
      stderr: 'exit 0: no findings; checked 3 rules and 0 tests in 1 file\n',
    });
  });

  it('shows each finding with its lines, its repair and its page', async () => {
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

  it('repairs what has one safe repair, and keeps every other character', async () => {
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

  it('repairs several kinds at once, until nothing is left to repair', async () => {
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
  ])('exits by the kind of trouble: %s', async (_what, text, exit, words) => {
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

  it('prints JSON of the documented shape', async () => {
    project(policy(REDUNDANT));
    const value = await jsonOf(['lint', '--json', '--now', NOW], 'lint');
    expect(value['summary']).toMatchObject({ environments: ['production'], rules: 3, warnings: 1, compiled: true });
  });

  it('writes the report into a file when it is told to', async () => {
    project(policy(REDUNDANT));
    expect((await weir(['lint', '--now', NOW, '--format', 'compact', '-o', 'report.txt'])).stdout).toBe('');
    expect(read('report.txt')).toContain('G131');
  });

  it('looks at one environment, at a file in every environment that loads it, and at stdin', async () => {
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

  it('takes levels from the project file, but not for what keeps a policy from compiling', async () => {
    project(policy(REDUNDANT), CONFIG.replace('G200: ignore', 'G200: ignore, G131: error, G101: ignore'));
    expect((await weir(['lint', '--now', NOW])).exit).toBe(1);
    project(policy('{ pi.count: { gt: 0 } }'), CONFIG.replace('G200: ignore', 'G200: ignore, G101: ignore'));
    expect((await weir(['lint', '--now', NOW])).exit).toBe(3);
  });

  it('ignores a finding for a reason, until a day, and complains about comments that do nothing', async () => {
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

  it('explains each rule', async () => {
    const { exit, stdout } = await weir(['lint', '--explain', 'g131']);
    expect(exit).toBe(0);
    expect(stdout).toMatch(/^G131 \(warning\): A condition never changes the result\n[\s\S]*Avoid[\s\S]*Prefer/);
    expect((await weir(['lint', '--explain', 'G999'])).exit).toBe(2);
  });

  it('compares ids with a revision of git', async () => {
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

describe('weir fmt', () => {
  const messy = policy().replace('metadata: { id: example', 'metadata: {id:   example');

  it('writes canonical form, names what it changed, and has nothing to do the second time', async () => {
    project(messy);
    expect(await weir(['fmt'])).toEqual({
      exit: 0,
      stdout: 'policies/production/policy.yaml\n',
      stderr: 'exit 0: 1 of 2 files formatted\n',
    });
    expect(read('policies/production/policy.yaml')).toBe(policy());
    expect(await weir(['fmt'])).toEqual({ exit: 0, stdout: '', stderr: 'exit 0: 2 files in canonical form\n' });
  });

  it('only checks under --check, and shows a patch under --diff', async () => {
    project(messy);
    const checked = await weir(['fmt', '--check']);
    expect(checked).toEqual({
      exit: 1,
      stdout: 'policies/production/policy.yaml\n',
      stderr: 'exit 1: 1 of 2 files not in canonical form; run: weir fmt\n',
    });
    const { exit, stdout } = await weir(['fmt', '--diff']);
    expect(exit).toBe(1);
    expect(stdout).toBe(`--- a/policies/production/policy.yaml
+++ b/policies/production/policy.yaml
@@ -1,6 +1,6 @@
 apiVersion: weir/v1
 kind: Policy
-metadata: {id:   example, owner: security@example.com }
+metadata: { id: example, owner: security@example.com }
 environment: production
 default: allow
 detectors:
`);
    expect(read('policies/production/policy.yaml')).toBe(messy);
  });

  it('formats stdin, refuses what it cannot read, and does not call nothing a success', async () => {
    expect(await weir(['fmt', '-'], { stdin: messy })).toMatchObject({ exit: 0, stdout: policy() });
    expect(await weir(['fmt', '-'], { stdin: 'a: [' })).toMatchObject({ exit: 3, stdout: '' });
    put('policies/weir.config.yaml', 'a: [');
    expect((await weir(['fmt', 'policies/weir.config.yaml'])).exit).toBe(3);
    put('empty/readme.md', 'nothing');
    expect((await weir(['fmt', 'empty'])).exit).toBe(7);
    expect((await weir(['fmt', 'absent'])).exit).toBe(2);
    expect((await weir(['fmt', '--check', '--diff'])).exit).toBe(2);
  });

  it('prints JSON of the documented shape', async () => {
    project(messy);
    expect(await jsonOf(['fmt', '--json', '--check'], 'fmt')).toMatchObject({
      changed: ['policies/production/policy.yaml'],
      files: 2,
    });
  });
});

describe('weir init', () => {
  it('makes a folder that lints clean, is in canonical form, has its schemas in step and passes its tests', async () => {
    const { exit, stderr } = await weir(['init', '--owner', 'me@acme.example']);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: 'exit 0: 9 files written, 0 kept\n' });
    expect(read('policies/production/policy.yaml')).toContain('owner: me@acme.example');
    expect(await weir(['lint', '--fail-level', 'warning'])).toMatchObject({ exit: 0, stdout: '' });
    expect((await weir(['fmt', '--check'])).exit).toBe(0);
    expect((await weir(['schema', 'write', '--check'])).exit).toBe(0);
    for (const detectors of ['stub', 'live']) expect((await weir(['test', '--detectors', detectors])).exit).toBe(0);
  });

  it('never overwrites', async () => {
    put('policies/production/policy.yaml', 'mine');
    const value = await jsonOf(['init', '--json'], 'init');
    expect(value['kept']).toEqual(['policies/production/policy.yaml']);
    expect(read('policies/production/policy.yaml')).toBe('mine');
    expect((await weir(['init'])).stderr).toBe('exit 0: all 9 files were there already: nothing was written\n');
  });
});

describe('weir schema write', () => {
  it('adds the names of the project, and tells when a schema is out of step', async () => {
    project(policy(undefined, 'lists: { approved: [gpt-4o] }\n').replace('secrets: {', 'keys: {'));
    expect((await weir(['schema', 'write', '--check'])).exit).toBe(1);
    expect((await jsonOf(['schema', 'write', '--json'], 'schema-write'))['changed']).toHaveLength(3);
    const schema = read('policies/_schema/policy.v1.json');
    for (const name of ['"keys.types"', '"$lists.approved"']) expect(schema).toContain(name);
    expect((await weir(['schema', 'write', '--check'])).exit).toBe(0);
  });
});

/**
 * Complaints of users of other policy tools, by number, that linting, formatting and scaffolding can answer, and the
 * test that does: 1 no-rules, 2 nothing-to-check, 5 load-error-wins, 6 exit-per-kind, 9 and 10 unknown-keys,
 * 11 in-needs-a-list, 12 on-unknown, 13 closed-words, 20 suspicious-regex, 23 last-line, 25 all-at-once, 26 file-and-line,
 * 27 id-and-page, 29 works-after-init, 30 expiry-announced, 32 instants, 35 no-network, 37 structural-overrides, 38 no-paths.
 */
describe('what people complain about elsewhere', () => {
  it('1: an environment without a rule, or a stage without one, is no green', async () => {
    project(policy().replace(/rules:[\s\S]*/, 'rules: []\n'));
    expect((await weir(['lint', '--now', NOW])).exit).toBe(7);
    project(policy().replace(/ {2}- \{ id: a\.post.*\n/, ''));
    expect(await lintCodes()).toContain('G001');
    expect((await weir(['lint', '--now', NOW])).exit).toBe(1);
  });

  it('2: nothing to check is exit 7, a folder that is not there is exit 2', async () => {
    expect((await weir(['lint'])).exit).toBe(7);
    expect((await weir(['lint', 'policies'])).exit).toBe(2);
    project(policy());
    put('policies/other/policy.yaml', policy());
    expect((await weir(['lint', '--now', NOW])).exit).toBe(3);
    expect((await weir(['lint', 'policies/_shared/unused.yaml'])).exit).toBe(7);
  });

  it('5: a file that cannot be loaded wins over every other result', async () => {
    project(policy('{ pi.count: { gt: 0 } }', EXCEPTION('2026-05-28T00:00:00Z')));
    expect((await weir(['lint', '--now', NOW])).exit).toBe(3);
    project(policy());
    put('policies/tests/x.test.yaml', 'apiVersion: weir/v1\nkind: PolicyTest\nenvironments: [production]\ntests: []\n');
    expect((await weir(['lint', '--now', NOW])).exit).toBe(3);
  });

  it.each([
    ['9 and 10: a misspelt key', policy().replace('stage: pre', 'stgae: pre'), 'G003'],
    ['11: `in` with a text', policy('{ model.name: { in: gpt } }'), 'G106'],
    ['12: a block rule without on_unknown', policy().replace('{ action: flag }', '{ action: block }'), 'G110'],
    ['13: a misspelt action', policy().replace('action: flag', 'action: blok'), 'G007'],
    ['20: a character class for a domain', policy("{ metadata.mail: { matches: '.*@[^ourcompany.com$].*' } }"), 'G142'],
    ['30: an exception that ends soon', policy(undefined, EXCEPTION('2026-12-05T00:00:00Z')), 'G302'],
    ['32: an expiry without a time', policy(undefined, EXCEPTION('2027-01-01')), 'G007'],
    [
      '37: an override of a rule that is not there',
      policy(undefined, 'overrides:\n  - { rule: x.y, because: z, set: { severity: low } }\n'),
      'G020',
    ],
    ['38: an expression in the name of a fact', policy("{ 'metadata[?(@.a)]': b }"), 'G141'],
  ])('%s is found', async (_complaint, text, code) => {
    project(text);
    expect(await lintCodes()).toContain(code);
  });

  it('23, 25, 26 and 27: everything at once, each with file, line, id and page, and the end in words', async () => {
    project(policy('{ pi.count: { gt: 0 } }').replace('tool.name: rm', 'tool.nam: rm'));
    const { stdout, stderr } = await weir(['lint', '--now', NOW]);
    expect(stdout.match(/error\[G101\]/g)).toHaveLength(2);
    expect(stdout.match(/--> policies\/production\/policy\.yaml:\d+:\d+/g)).toHaveLength(2);
    expect(stdout.match(/docs: weir lint --explain G101/g)).toHaveLength(2);
    expect(lastLine(stderr)).toBe(
      'exit 3: 1 file could not be compiled, so the policies were not checked further; 2 errors',
    );
  });
});

it('the shipped policies are without a finding, and their schemas in step', async () => {
  cpSync('policies', join(folder, 'policies'), { recursive: true });
  expect(await weir(['lint', '--fail-level', 'warning', '--now', NOW])).toMatchObject({ exit: 0, stdout: '' });
  expect((await weir(['fmt', '--check'])).exit).toBe(0);
  expect((await weir(['schema', 'write', '--check'])).exit).toBe(0);
}, 60_000);
