import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const FILES = ['package.json', 'package-lock.json', 'nest-cli.json', 'tsconfig.json', 'tsconfig.build.json'];
/** Runs until it is ended, like a build of the dashboard that takes long. */
const LONG = `require('node:fs').writeFileSync('dashboard.pid', String(process.pid)); setInterval(() => {}, 1_000);`;
/** A program that ends with a status of its own, 3, as soon as the other build runs: the test expects this status from the script. */
const FAILING = `
  const { existsSync } = require('node:fs');
  setInterval(() => existsSync('dashboard.pid') && process.exit(3), 5);
`;

describe('A build of the server that fails', () => {
  let folder: string;
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const dashboardPid = (): number => Number(readFileSync(join(folder, 'dashboard.pid'), 'utf8'));
  const isRunning = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'weir-build-'));
    cpSync('scripts', join(folder, 'scripts'), { recursive: true });
    for (const file of FILES) put(file, '{}');
    put('dashboard/index.html', '');
    for (const translator of ['@nestjs/cli/bin/nest.js', '@swc/core/index.js'])
      put(`node_modules/${translator}`, FAILING);
    put('node_modules/vite/bin/vite.js', LONG);
  });
  afterEach(() => {
    if (existsSync(join(folder, 'dashboard.pid')) && isRunning(dashboardPid())) process.kill(dashboardPid());
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ['a command', `await (await import('./scripts/build-if-changed.mjs')).ensureBuilt();`],
    ['npm run build', `await import('./scripts/build.mjs');`],
  ])('leaves no build of the dashboard behind when %s ends with its status', async (_by, program) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { cwd: folder, stdio: 'ignore' });
    const [status] = (await once(child, 'exit')) as [number];
    expect([status, isRunning(dashboardPid())]).toEqual([3, false]);
  });
});
