import { execFile, execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { releaseFile } from '../support/release-file.js';

interface Ended {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A published plugin, whose package exports only ES modules, like newer packages. */
const PLUGIN = {
  'package.json': JSON.stringify({
    name: 'weir-plugin-orders',
    version: '1.0.0',
    type: 'module',
    exports: { '.': { import: './index.js' } },
  }),
  'index.js': `await Promise.resolve();
    const detector = {
      kind: 'detector',
      meta: { id: 'orders', version: '1', title: 'Orders', description: 'Finds numbers of orders.' },
    };
    export const plugins = [detector];
    console.error('the plugin was loaded');`,
};

describe('The executable', () => {
  let folder: string;
  let home: string;
  let env: NodeJS.ProcessEnv;
  const ran = (program: string, argv: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Ended> =>
    promisify(execFile)(program, [...argv], { cwd: home, env: { ...env, ...more } }).then(
      ({ stdout, stderr }) => ({ exit: 0, stdout, stderr }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ exit: code, stdout, stderr }),
    );
  const weir = (...argv: string[]): Promise<Ended> => ran(join(folder, 'runner', 'weir/node_modules/.bin/weir'), argv);

  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'weir-executable-')));
    home = join(folder, 'home');
    for (const name of [home, ...['bin', 'runner', 'unpacked'].map((each) => join(folder, each))]) mkdirSync(name);
    const file =
      releaseFile('weir-cli-', '.tar.gz') ??
      (await promisify(execFile)(process.execPath, ['scripts/executable.mjs', folder])).stdout.trim();
    // The programs of a slim image, without Node.
    for (const name of ['git', 'tar', 'gzip', 'mkdir', 'bash']) {
      const found = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
      symlinkSync(found, join(folder, 'bin', name));
    }
    env = { PATH: join(folder, 'bin'), HOME: home, NODE_OPTIONS: '--require ./of-another-program.js' };
    // The step of the GitHub Action installs it.
    const { runs } = parse(readFileSync('action.yml', 'utf8')) as {
      runs: { steps: { name?: string; run?: string }[] };
    };
    const step = runs.steps.find(({ name }) => name === 'Install weir')!.run!;
    const more = {
      RUNNER_TEMP: join(folder, 'runner'),
      GITHUB_PATH: join(folder, 'github-path'),
      WEIR_PACKAGE: file,
    };
    const installed = await ran(join(folder, 'bin', 'bash'), ['--norc', '-euo', 'pipefail', '-c', step], more);
    expect(installed).toEqual({ exit: 0, stdout: '', stderr: '' });
    execFileSync('tar', ['-xzf', file, '-C', join(folder, 'unpacked')]);
  }, 600_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('includes the licences of Node and of everything else in it', () => {
    expect(readdirSync(join(folder, 'unpacked')).sort()).toEqual(['LICENSE', 'NOTICE', 'weir']);
    const notice = readFileSync(join(folder, 'unpacked', 'NOTICE'), 'utf8');
    expect(notice).toMatch(/^yaml [\d.]+ \(ISC\)$/m);
    expect(notice).toMatch(/^node-linux-\w+ [\d.]+ \(MIT\)$/m);
    expect(notice).toContain('OpenSSL');
  });

  it('writes, checks and tests policies on a machine without Node, whatever NODE_OPTIONS is', async () => {
    expect(await weir('--version')).toEqual({ exit: 0, stdout: '0.1.0\n', stderr: '' });
    for (const argv of [['init'], ['fmt', '--check'], ['lint'], ['test'], ['render', 'production'], ['docs']]) {
      expect([argv, (await weir(...argv)).exit]).toEqual([argv, 0]);
    }
    expect((await weir('try', '--env', 'production', 'write to bob@corp.example')).stdout).toContain('redact');
    expect((await weir('--help')).stdout).toMatch(/^weir/);
    const server = await weir('server', 'start');
    expect([server.exit, server.stderr]).toEqual([2, expect.stringContaining('install the package weir-server')]);
    expect((await weir('events', 'list')).exit).toBe(4);
  });

  it('compares policies with the policies of a commit', async () => {
    const git = (...argv: string[]): unknown =>
      execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=n@example.com', ...argv], { cwd: home });
    const file = join(home, 'policies', '_shared', 'organisation.yaml');
    const flags = readFileSync(file, 'utf8');
    const blocks = flags.replace('{ action: flag }', '{ action: block, reason: content_policy_violation }');
    expect(blocks).not.toBe(flags);
    writeFileSync(file, blocks);
    git('init', '-q', '-b', 'main');
    git('add', 'policies');
    git('commit', '-qm', 'one');
    expect(await weir('diff', 'main', '--fail-on-weakening')).toMatchObject({ exit: 0 });
    writeFileSync(file, flags);
    const changed = await weir('diff', 'main', '--witness', '--fail-on-weakening');
    expect([changed.exit, changed.stdout]).toEqual([1, expect.stringContaining('WEAKER')]);
  });

  it('loads plugins from its working directory, and names missing ones', async () => {
    const plugin = join(home, 'node_modules', 'weir-plugin-orders');
    mkdirSync(plugin, { recursive: true });
    for (const [name, text] of Object.entries(PLUGIN)) writeFileSync(join(plugin, name), text);
    const program = join(folder, 'unpacked', 'weir');
    const missing = await ran(program, ['lint'], { WEIR_PLUGINS: 'weir-plugin-nobody-made' });
    expect([missing.exit, missing.stderr]).toEqual([
      2,
      expect.stringContaining('weir-plugin-nobody-made cannot be imported (ERR_MODULE_NOT_FOUND): is it installed?'),
    ]);
    const there = await ran(program, ['lint'], { WEIR_PLUGINS: 'weir-plugin-orders' });
    expect(there.stderr).toContain('the plugin was loaded');
    expect(there.stderr).not.toContain('cannot be imported');
  });
});
