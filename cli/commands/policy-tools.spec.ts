import { cpSync } from 'node:fs';
import { join } from 'node:path';
import {
  EXCEPTION,
  NOW,
  folder,
  jsonOf,
  lastLine,
  lintCodes,
  policy,
  project,
  put,
  read,
  weir,
} from '../../test/support/policy-project.js';
import { fmt } from './write/fmt.js';

describe('weir fmt', () => {
  const messy = policy().replace('metadata: { id: example', 'metadata: {id:   example');

  it('writes canonical form, names the changed files, and changes nothing the second time', async () => {
    project(messy);
    expect(await weir(['fmt'])).toEqual({
      exit: 0,
      stdout: 'policies/production/policy.yaml\n',
      stderr: 'exit 0: 1 of 2 files formatted\n',
    });
    expect(read('policies/production/policy.yaml')).toBe(policy());
    expect(await weir(['fmt'])).toEqual({ exit: 0, stdout: '', stderr: 'exit 0: 2 files in canonical form\n' });
  });

  it('checks without writing under --check, and prints a patch under --diff', async () => {
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

  it('formats stdin, rejects unreadable input, and exits 7 without input', async () => {
    expect(await weir(['fmt', '-'], { stdin: messy })).toMatchObject({ exit: 0, stdout: policy() });
    expect(await weir(['fmt', '-'], { stdin: 'a: [' })).toMatchObject({ exit: 3, stdout: '' });
    const json = async (stdin: string, ...flags: string[]): Promise<unknown> =>
      fmt.output?.parse(JSON.parse((await weir(['fmt', '-', '--json', ...flags], { stdin })).stdout));
    const report = { schemaVersion: 1, changed: ['stdin'], unreadable: [], files: 1 };
    expect(await json(messy)).toEqual({ ...report, text: policy() });
    expect(await json(messy, '--check')).toEqual(report);
    expect(await json('a: [')).toEqual({ ...report, changed: [], unreadable: ['stdin'] });
    put('policies/weir.config.yaml', 'a: [');
    expect((await weir(['fmt', 'policies/weir.config.yaml'])).exit).toBe(3);
    put('empty/readme.md', 'nothing');
    expect((await weir(['fmt', 'empty'])).exit).toBe(7);
    expect((await weir(['fmt', 'absent'])).exit).toBe(2);
    expect((await weir(['fmt', '--check', '--diff'])).exit).toBe(2);
  });

  it('prints JSON that follows the documented schema', async () => {
    project(messy);
    expect(await jsonOf(['fmt', '--json', '--check'], 'fmt')).toMatchObject({
      changed: ['policies/production/policy.yaml'],
      files: 2,
    });
  });
});

describe('weir init', () => {
  it('creates a folder in canonical form, without lint findings, with current schemas and passing tests', async () => {
    const { exit, stderr } = await weir(['init', '--owner', 'me@acme.example']);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: 'exit 0: 9 files written, 0 kept\n' });
    expect(read('policies/production/policy.yaml')).toContain('owner: me@acme.example');
    expect(await weir(['lint', '--fail-level', 'warning'])).toMatchObject({ exit: 0, stdout: '' });
    expect((await weir(['fmt', '--check'])).exit).toBe(0);
    expect((await weir(['schema', 'write', '--check'])).exit).toBe(0);
    for (const detectors of ['stub', 'live']) expect((await weir(['test', '--detectors', detectors])).exit).toBe(0);
    expect(lastLine((await weir(['mutate', '--min-score', '100'])).stderr)).toBe(
      'exit 0: score 100 %, 0 of 21 mutants survived',
    );
  });

  it('creates a folder that fmt --upgrade moves to the newest baseline, or leaves unchanged if it is current', async () => {
    await weir(['init']);
    expect((await weir(['fmt', '--upgrade', '--check'])).exit).toBe(0);
    const pinned = read('policies/_shared/organisation.yaml');
    put('policies/_shared/organisation.yaml', pinned.replace('[weir:baseline@1]', '[weir:baseline@0]'));
    const refused = await weir(['test']);
    expect(refused.exit).toBe(3);
    expect(refused.stderr).toContain('there is no built-in policy "weir:baseline@0"');
    expect((await weir(['fmt', '--upgrade', '--check'])).exit).toBe(1);
    expect((await weir(['fmt', '--upgrade'])).stderr).toContain('1 of ');
    expect(read('policies/_shared/organisation.yaml')).toBe(pinned);
  });

  it('never overwrites a file', async () => {
    put('policies/production/policy.yaml', 'mine');
    const value = await jsonOf(['init', '--json'], 'init');
    expect(value['kept']).toEqual(['policies/production/policy.yaml']);
    expect(read('policies/production/policy.yaml')).toBe('mine');
    expect((await weir(['init'])).stderr).toBe('exit 0: all 9 files existed already: nothing was written\n');
  });
});

describe('weir schema write', () => {
  it('adds the names of the project to the schemas, and weir lint reports outdated schemas', async () => {
    project(policy(undefined, 'lists: { approved: [gpt-4o] }\n').replace('secrets: {', 'keys: {'));
    expect((await weir(['schema', 'write', '--check'])).exit).toBe(1);
    put('policies/_schema/policy.v1.json', '{}');
    const stale = await weir(['lint', '--fail-level', 'warning']);
    expect(lastLine(stale.stderr)).toContain('3 schemas out of date (weir schema write)');
    expect(stale.exit).toBe(1);
    expect((await jsonOf(['schema', 'write', '--json'], 'schema-write'))['changed']).toHaveLength(3);
    const schema = read('policies/_schema/policy.v1.json');
    for (const name of ['"keys.types"', '"$lists.approved"']) expect(schema).toContain(name);
    expect((await weir(['schema', 'write', '--check'])).exit).toBe(0);
  });
});

/**
 * Complaints of users of other policy tools that linting, formatting and scaffolding can prevent, by number and name: 1 no-rules, 2
 * nothing-to-check, 5 load-error-wins, 6 exit-per-kind, 9 and 10 unknown-keys, 11 in-needs-a-list, 12 on-unknown, 13 closed-words, 20
 * suspicious-regex, 23 last-line, 25 all-at-once, 26 file-and-line, 27 id-and-page, 29 works-after-init, 30 expiry-announced, 32
 * instants, 35 no-network, 37 structural-overrides, 38 no-paths.
 */
describe('Known complaints about other policy tools do not apply to weir:', () => {
  it('no-rules: an environment or stage without a rule does not count as a success', async () => {
    project(policy().replace(/rules:[\s\S]*/, 'rules: []\n'));
    expect((await weir(['lint', '--now', NOW])).exit).toBe(7);
    project(policy().replace(/ {2}- \{ id: a\.post.*\n/, ''));
    expect(await lintCodes()).toContain('G001');
    expect((await weir(['lint', '--now', NOW])).exit).toBe(1);
  });

  it('nothing-to-check: weir lint exits 7 without anything to check, and 2 for a missing folder', async () => {
    expect((await weir(['lint'])).exit).toBe(7);
    expect((await weir(['lint', 'policies'])).exit).toBe(2);
    project(policy());
    put('policies/other/policy.yaml', policy());
    expect((await weir(['lint', '--now', NOW])).exit).toBe(3);
    expect(lastLine((await weir(['lint', 'policies/_shared/unused.yaml'])).stderr)).toBe(
      'exit 2: there is no file or folder policies/_shared/unused.yaml',
    );
    put('policies/_sharde/unused.yaml', policy());
    expect((await weir(['lint', 'policies/_sharde/unused.yaml'])).exit).toBe(7);
  });

  it('load-error-wins: a file that cannot be loaded takes precedence over every other result', async () => {
    project(policy('{ pi.count: { gt: 0 } }', EXCEPTION('2026-05-28T00:00:00Z')));
    expect((await weir(['lint', '--now', NOW])).exit).toBe(3);
    project(policy());
    put('policies/tests/x.test.yaml', 'apiVersion: weir/v1\nkind: PolicyTest\nenvironments: [production]\ntests: []\n');
    expect((await weir(['lint', '--now', NOW])).exit).toBe(3);
  });

  it.each([
    ['unknown-keys: a misspelt key', policy().replace('stage: pre', 'stgae: pre'), 'G003'],
    ['in-needs-a-list: `in` with a text', policy('{ model.name: { in: gpt } }'), 'G106'],
    ['on-unknown: a block rule without on_unknown', policy().replace('{ action: flag }', '{ action: block }'), 'G110'],
    ['closed-words: a misspelt action', policy().replace('action: flag', 'action: blok'), 'G007'],
    [
      'suspicious-regex: a character class for a domain',
      policy("{ metadata.mail: { matches: '.*@[^ourcompany.com$].*' } }"),
      'G142',
    ],
    ['expiry-announced: an exception that ends soon', policy(undefined, EXCEPTION('2026-12-05T00:00:00Z')), 'G302'],
    ['instants: an expiry without a time', policy(undefined, EXCEPTION('2027-01-01')), 'G007'],
    [
      'structural-overrides: an override of a rule that does not exist',
      policy(undefined, 'overrides:\n  - { rule: x.y, because: z, set: { severity: low } }\n'),
      'G020',
    ],
    ['no-paths: an expression in the name of a fact', policy("{ 'metadata[?(@.a)]': b }"), 'G141'],
  ])('%s is found', async (_complaint, text, code) => {
    project(text);
    expect(await lintCodes()).toContain(code);
  });

  it('all-at-once and last-line: all findings are reported with their places and pages, then counted', async () => {
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

it('the shipped policies have no findings, and their schemas are current', async () => {
  cpSync('policies', join(folder, 'policies'), { recursive: true });
  expect(await weir(['lint', '--fail-level', 'warning', '--now', NOW])).toMatchObject({ exit: 0, stdout: '' });
  expect((await weir(['fmt', '--check'])).exit).toBe(0);
  expect((await weir(['schema', 'write', '--check'])).exit).toBe(0);
}, 60_000);
