import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const { isAbandoned, nameFor } = (await import(`${process.cwd()}/scripts/memory-folder.mjs`)) as {
  isAbandoned(name: string): boolean;
  nameFor(id: number): string;
};

/** The files that `npm run test:<project> -- <words>` would run. */
function chosenBy(...words: readonly string[]): string[] {
  const { WEIR_TEST_SET: _, ...env } = process.env;
  const listed = execFileSync(process.execPath, ['scripts/test.mjs', ...words, '--listTests'], {
    encoding: 'utf8',
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return listed
    .split('\n')
    .flatMap((line) => (line.endsWith('.spec.ts') ? [line.slice(process.cwd().length + 1)] : []));
}

describe('The command that runs tests', () => {
  it.each([
    [['unit', 'plugins/keywords'], ['plugins/keywords/keywords.spec.ts']],
    [['unit', '--maxWorkers=1', 'plugins/keywords'], ['plugins/keywords/keywords.spec.ts']],
    [['integration', 'budgets.spec'], ['test/integration/budgets.spec.ts']],
  ])('runs only the files that its arguments name: %s', (words, files) => {
    expect(chosenBy(...words)).toEqual(files);
  });

  it('ends with the error of a failed test, also if the test has left a server open', () => {
    const folder = mkdtempSync(join(tmpdir(), 'weir-failed-test-'));
    try {
      writeFileSync(
        join(folder, 'left.test.js'),
        `test('leaves a server', async () => {
          const server = require('node:http').createServer();
          await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
          server.emit('error', new Error('nobody listens to this'));
        });`,
      );
      const reporters = ['default', resolve('test/support/end-after-failure.cjs')];
      const config = JSON.stringify({ rootDir: folder, reporters });
      const jest = [resolve('node_modules/jest/bin/jest.js'), '--config', config, '--runInBand'];
      const { status, stderr } = spawnSync(process.execPath, jest, { encoding: 'utf8', timeout: 50_000 });
      expect(status).toBe(1);
      expect(stderr).toContain('nobody listens to this');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('deletes folders in memory of runs that have ended, but not of other containers or running processes', async () => {
    const run = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1_000)']);
    const name = nameFor(run.pid!);
    const [, namespace, start] = /-(\d+)-\d+-(\d+)$/.exec(name)!;
    const earlier = name.replace(new RegExp(`${start}$`), String(Number(start) - 1));
    const elsewhere = name.replace(`-${namespace}-`, '-1-');
    expect([name, earlier, elsewhere, 'others'].map(isAbandoned)).toEqual([false, true, false, false]);
    run.kill();
    await once(run, 'exit');
    expect([name, elsewhere].map(isAbandoned)).toEqual([true, false]);
  });
});
