import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { runWeir, type WeirRun } from '../../../test/support/run-weir.js';
import { sampled } from '../../../test/support/sampled.js';

/** The id of an empty tree in git. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

describe('weir init --ci', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'weir-init-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const weir = (argv: readonly string[]): Promise<WeirRun> => runWeir(argv, { cwd: folder });
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');

  it('writes hooks and a workflow whose commands work as written', async () => {
    for (const policies of sampled(['policies', 'rules/ai'], 2)) {
      const { exit, stdout } = await weir(['init', policies, '--ci', './weir']);
      expect(exit).toBe(0);
      expect(stdout).toContain(' .github/workflows/policies.yml\n');
      const { jobs } = parse(read('.github/workflows/policies.yml')) as {
        jobs: { check: { steps: { if?: string; uses?: string; run?: string; with?: { args?: string } }[] } };
      };
      const { repos } = parse(read('.pre-commit-config.yaml')) as {
        repos: { hooks: { entry: string; files: string }[] }[];
      };
      const hooks = repos.flatMap((repo) => repo.hooks);
      const { steps } = jobs.check;
      expect(steps.map(({ uses }) => uses)).toContain('./weir');
      const git = (...argv: string[]): string =>
        execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=n@example.com', ...argv], {
          cwd: folder,
          encoding: 'utf8',
        });
      git('init', '-q');
      git('add', '.');
      git('commit', '-qm', 'policies');
      git('update-ref', 'refs/remotes/origin/main', 'HEAD');
      const runs = steps.map(({ run, with: inputs, ...step }) => ({
        ...step,
        run: inputs?.args === undefined ? run : `weir ${inputs.args}`,
      }));
      const ran = runs.flatMap(({ run }) => (run?.startsWith('weir ') === true ? run : []));
      const commands = [...ran, ...hooks.map(({ entry }) => entry)];
      expect(commands).toHaveLength(policies === 'policies' ? 9 : 8);
      for (const command of commands) {
        const ended = await weir(command.split(' ').slice(1));
        expect([command, ended.exit, ended.stderr]).toEqual([command, 0, expect.stringMatching(/^exit 0: /m)]);
      }
      // Steps that compare with main run only if main contains policies; this command uses git to check that.
      const [asks] = runs.flatMap(({ run }) => (run?.startsWith('weir ') === false ? run : []));
      const output = join(folder, 'output');
      const answer = (): string => {
        writeFileSync(output, '');
        execFileSync('bash', ['-ec', asks!], {
          cwd: folder,
          env: { ...process.env, GITHUB_OUTPUT: output },
          stdio: 'pipe',
        });
        return readFileSync(output, 'utf8');
      };
      expect(answer()).toBe('has_policies=true\n');
      git('update-ref', 'refs/remotes/origin/main', git('commit-tree', EMPTY_TREE, '-m', 'empty').trim());
      expect(answer()).toBe('');
      rmSync(output);
      const compare = runs.filter(({ run }) => run?.includes('weir ') === true && run.includes('origin/main'));
      expect(compare.map((step) => step.if)).toEqual(Array(2).fill('steps.main.outputs.has_policies'));
      expect(hooks.every(({ files }) => new RegExp(files).test(`${policies}/production/policy.yaml`))).toBe(true);
      rmSync(join(folder, '.github'), { recursive: true });
      rmSync(join(folder, '.pre-commit-config.yaml'));
    }
    expect((await weir(['init', '--ci', 'no action'])).exit).toBe(2);
    expect((await weir(['init', '../elsewhere', '--ci', './weir'])).exit).toBe(2);
  });
});
