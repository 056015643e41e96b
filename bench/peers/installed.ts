import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../shipped-policy.js';

/** Installed peer gateways in a separate folder; no part of this project depends on them. */
export interface Installed {
  readonly folder: string;
  /** Start script and version; undefined if it is not installed. `litellm` likewise, with a command. */
  readonly portkey?: { readonly script: string; readonly version: string } | undefined;
  readonly litellm?: { readonly command: string; readonly version: string } | undefined;
}

/** Next to other caches; git ignores it. */
export const DEFAULT_FOLDER = join('node_modules', '.cache', 'peers');

const PORTKEY = '@portkey-ai/gateway';

/** Peer gateways that are installed in a folder. */
export function installedIn(folder: string): Installed {
  const portkey = join(folder, 'node_modules', PORTKEY);
  const script = join(portkey, 'build', 'start-server.js');
  const command = join(folder, 'python', 'bin', 'litellm');
  return {
    folder,
    portkey: existsSync(script) ? { script, version: npmVersion(portkey) } : undefined,
    litellm: existsSync(command) ? { command, version: pythonVersion(folder, 'litellm') } : undefined,
  };
}

/**
 * Installs the versions that `bench/peers/pins` names; `WEIR_PYTHON` names an interpreter to use instead of `python3`. If an
 * installation fails, that peer is left out, and the bench reports it.
 */
export function install(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const pins = join(root(), 'bench', 'peers', 'pins');
  for (const file of ['package.json', 'requirements.txt']) copyFileSync(join(pins, file), join(folder, file));
  const npm = ['install', '--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund'];
  tried(PORTKEY, () => run('npm', npm, folder));
  tried('litellm', () => {
    run(process.env['WEIR_PYTHON'] ?? 'python3', ['-m', 'venv', 'python'], folder);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
    run(join('python', 'bin', 'python'), [...pip, '--requirement', 'requirements.txt'], folder);
  });
}

function tried(name: string, work: () => void): void {
  try {
    process.stderr.write(`installing ${name}\n`);
    work();
  } catch {
    process.stderr.write(`${name} could not be installed\n`);
  }
}

function run(command: string, argv: readonly string[], cwd: string): void {
  execFileSync(command, argv, { cwd, stdio: ['ignore', 2, 2] });
}

function npmVersion(folder: string): string {
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
}

/** Version of a Python package and of its interpreter, as reported by the interpreter of the environment. */
function pythonVersion(folder: string, name: string): string {
  const ask = `import importlib.metadata as m, platform; print(m.version('${name}'), 'on Python', platform.python_version())`;
  return execFileSync(join(folder, 'python', 'bin', 'python'), ['-c', ask], { encoding: 'utf8' }).trim();
}
