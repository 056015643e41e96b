import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { pdfOf } from '../support/documents.js';
import { releaseFile } from '../support/release-file.js';
import { freePort } from '../support/server-process.js';

const MB = 1024 * 1024;
/** Settings with which npm works without a registry. */
const OFFLINE = { npm_config_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'weir-packages-')));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The path of a package: from a release if there is one, else packed like for a release. */
async function packed(name: 'cli' | 'server'): Promise<string> {
  const made = releaseFile(`weir-${name}-`, '.tgz');
  if (made !== undefined) return made;
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/packages.mjs', name, folder]);
  return stdout.trim();
}

/** An empty folder of a user who has only Node.js and npm. */
function emptyFolder(name: string): string {
  mkdirSync(join(folder, name));
  return join(folder, name);
}

function envOf(home: string): NodeJS.ProcessEnv {
  return { PATH: `${resolve('node_modules/node/bin')}:${process.env['PATH']}`, HOME: home, ...OFFLINE };
}

function bytesIn(path: string): number {
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

interface Ended {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, also if it fails. */
async function ran(
  program: string,
  argv: readonly string[],
  cwd: string,
  more: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  const options = { cwd, env: { ...envOf(cwd), ...more } };
  return promisify(execFile)(program, [...argv], options).then(
    ({ stdout, stderr }) => ({ exit: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ exit: code, stdout, stderr }),
  );
}

describe('the package weir-cli', () => {
  let home: string;
  let file: string;
  let weir: (...argv: string[]) => Promise<Ended>;
  beforeAll(async () => {
    home = emptyFolder('cli');
    file = await packed('cli');
    // The step of the GitHub Action installs it.
    const { runs } = parse(readFileSync('action.yml', 'utf8')) as {
      runs: { steps: { name?: string; run?: string }[] };
    };
    const step = runs.steps.find(({ name }) => name === 'Install weir')!.run!;
    const path = join(home, 'github-path');
    await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', step], {
      cwd: home,
      env: { ...envOf(home), RUNNER_TEMP: home, GITHUB_PATH: path, WEIR_PACKAGE: file },
    });
    const program = join(readFileSync(path, 'utf8').trim(), 'weir');
    weir = (...argv) => ran(program, argv, home);
  }, 600_000);

  it('is one package of few megabytes, with the licences of its contents', () => {
    const modules = join(home, 'weir', 'node_modules');
    expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual(['weir-cli']);
    expect(bytesIn(modules)).toBeLessThan(25 * MB);
    const installed = readdirSync(join(modules, 'weir-cli', 'dist')).map((name) =>
      readFileSync(join(modules, 'weir-cli', 'dist', name), 'utf8'),
    );
    for (const library of ['nestjs', 'mikro-orm', 'pglite']) {
      expect([library, installed.filter((text) => text.includes(`node_modules/@${library}`)).length]).toEqual([
        library,
        0,
      ]);
    }
    expect(readFileSync(join(modules, 'weir-cli', 'dist', 'NOTICE'), 'utf8')).toMatch(/^yaml [\d.]+ \(ISC\)$/m);
  });

  it('writes, checks and tests policies without a network', async () => {
    for (const argv of [['init'], ['fmt', '--check'], ['lint'], ['test'], ['render', 'production']]) {
      expect([argv, (await weir(...argv)).exit]).toEqual([argv, 0]);
    }
    expect((await weir('--version')).stdout).toBe('0.1.0\n');
    expect((await weir('try', '--env', 'production', 'write to bob@corp.example')).stdout).toContain('redact');
  });

  it('has every command, and names the package to install for commands of the server', async () => {
    for (const argv of [
      ['server', 'start'],
      ['server', 'migrate'],
      ['subscriptions', 'show', 'a'],
    ]) {
      const { exit, stderr } = await weir(...argv);
      expect([argv, exit]).toEqual([argv, 2]);
      expect(stderr).toContain('install the package weir-server');
    }
    // The other commands fail because they cannot reach a service.
    for (const argv of [['whoami'], ['events', 'list'], ['keys', 'list']]) {
      expect([argv, (await weir(...argv)).exit]).toEqual([argv, 4]);
    }
  });
});

describe('the package weir-server', () => {
  it('installs all its dependencies in less than 250 MB without a registry, and runs in an empty folder', async () => {
    const home = emptyFolder('server');
    const file = await packed('server');
    const installed = await ran('npm', ['install', file], home);
    expect(installed).toMatchObject({ exit: 0, stderr: expect.not.stringContaining('EBADENGINE') as string });
    const modules = join(home, 'node_modules');
    expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual(['weir-server']);
    expect(bytesIn(modules)).toBeLessThan(250 * MB);
    const root = join(modules, 'weir-server');
    const { bundleDependencies, dependencies, scripts, bin } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    ) as Record<string, object> & { readonly bin: { readonly weir: string } };
    expect(scripts).toBeUndefined();
    expect(bundleDependencies).toEqual(Object.keys(dependencies!));

    const program = join(root, bin.weir);
    const node = join(resolve('node_modules/node/bin'), 'node');
    expect((await ran(node, [program, 'init'], home)).exit).toBe(0);
    const port = String(await freePort());
    const server = spawn(node, [program, 'server', 'start'], {
      cwd: home,
      env: { ...envOf(home), HOST: '127.0.0.1', PORT: port, LOG_LEVEL: 'error', DEBUG: 'json-rules-engine' },
    });
    const said: string[] = [];
    for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk: Buffer) => said.push(String(chunk)));
    try {
      await Promise.race([
        (async () => {
          while (!said.join('').includes('Weir is ready')) await once(server.stdout, 'data');
        })(),
        once(server, 'exit').then(() => {
          throw new Error(said.join(''));
        }),
      ]);
      const url = `http://127.0.0.1:${port}`;
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      expect(await (await fetch(url, { headers: { accept: 'text/html' } })).text()).toMatch(/<!doctype html>/i);
      const { keys } = JSON.parse(readFileSync(join(home, '.weir', 'bootstrap.json'), 'utf8')) as {
        keys: { production: string };
      };
      const answer = await fetch(`${url}/v1/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${keys.production}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          type: 'ai.request',
          request_id: 'r1',
          payload: { prompt: 'write to bob@corp.example' },
        }),
      });
      expect(await answer.json()).toMatchObject({ decision: 'redact' });
      // The rule engine would print its steps with the values of facts: `almanac::…`, `rule::…`.
      expect(said.join('')).not.toMatch(/^\w+::\w/m);
    } finally {
      server.kill();
      await once(server, 'exit');
    }
    // PDF files are read without the optional canvas of pdfjs.
    const sample = join(home, 'call.json');
    const pdf = pdfOf({ pages: [['write to bob@corp.example']] }).toString('base64');
    writeFileSync(
      sample,
      JSON.stringify({
        model: 'gpt-4o',
        messages: [
          { role: 'user', content: [{ type: 'file', file: { file_data: `data:application/pdf;base64,${pdf}` } }] },
        ],
      }),
    );
    const tried = await ran(node, [program, 'try', '--env', 'production', '--body', sample, '--json'], home);
    expect(tried.stdout).toContain('"EMAIL"');
    expect(tried.stderr).not.toMatch(/canvas/i);
  }, 600_000);
});
