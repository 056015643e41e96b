import { execFileSync } from 'node:child_process';
import { putAsFile, putProject } from '../../test/support/pack-project.js';
import { folder, put, weir } from '../../test/support/policy-project.js';
import { PACKS } from './index.js';

/** The slow tests of each pack (seconds); packs.spec.ts has the others. */
describe.each(PACKS.map((pack) => [pack.name, pack] as const))('%s', (name, pack) => {
  it('causes no findings in a policy that extends it', async () => {
    putProject(name);
    put('policies/tests/pack.test.yaml', pack.tests);
    expect((await weir(['test'])).stderr).toMatch(/^exit 0: \d+ tests passed\n$/);
    expect(await weir(['lint', '--fail-level', 'warning'])).toMatchObject({ exit: 0, stdout: '' });
  });

  it('is in canonical form, lints without a warning and passes its tests if it is copied into a policy folder', async () => {
    putAsFile(pack);
    expect((await weir(['fmt', '--diff'])).stdout).toBe('');
    expect(await weir(['lint', '--fail-level', 'warning'])).toMatchObject({ exit: 0, stdout: '' });
    expect(await weir(['test'])).toMatchObject({ exit: 0 });
  });

  it('has tests that kill at least 90 % of its mutants', async () => {
    putAsFile(pack);
    expect(await weir(['mutate', '--min-score', '90'])).toMatchObject({ exit: 0 });
  });

  it('cannot be removed unnoticed: weir diff reports the removal as weaker', async () => {
    putProject(name);
    const git = (...argv: string[]): void => {
      execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=n@example.com', ...argv], { cwd: folder });
    };
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'policies');
    expect((await weir(['diff', 'HEAD', '--fail-on-weakening'])).exit).toBe(0);
    putProject('weir:baseline@1');
    const { exit, stdout } = await weir(['diff', 'HEAD', '--witness', '--fail-on-weakening']);
    expect(exit).toBe(1);
    expect(stdout).toContain('WEAKER');
  });
});
