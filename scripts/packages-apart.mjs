/**
 * Packages that `npm ci` does not install, since only some commands need them: those of the tests and of the docs site. Each
 * folder has a lock file of its own, and is installed by the commands that need it, when they first do or when it has changed.
 * As a program, `node scripts/packages-apart.mjs <folder>`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { underLock } from './under-lock.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Loads a package of the tests' from elsewhere: `ensurePackages('test')` comes first. */
export const requireOfTests = createRequire(join(root, 'test', 'package.json'));

/**
 * Installs the packages of a folder unless they are there as its lock file has them; says so, and ends the process when they
 * cannot be had.
 *
 * @param {string} folder from the root of the repository
 */
export async function ensurePackages(folder) {
  const path = join(root, folder);
  if (isInstalled(path)) return;
  await underLock(join(root, 'node_modules', '.cache', `weir-${folder.replaceAll('/', '-')}.lock`), () => {
    if (!isInstalled(path)) install(folder, path);
  });
}

function install(folder, path) {
  process.stderr.write(
    `Installing the packages of ${folder}/, which are apart from those of \`npm ci\`. This is done once …\n`,
  );
  // What npm says is no answer of the command that needs the packages.
  const { status, error } = spawnSync('npm', ['ci', '--prefix', path], {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status === 0) return;
  process.stderr.write(
    `They could not be installed${error === undefined ? '' : ` (${error.code})`}. Run \`npm ci --prefix ${folder}\`.\n`,
  );
  process.exit(1);
}

/** Whether what npm noted down when it installed is what the lock file says. What is optional may be for other machines. */
function isInstalled(path) {
  const noted = join(path, 'node_modules', '.package-lock.json');
  if (!existsSync(noted)) return false;
  const installed = packagesOf(noted);
  const wanted = Object.entries(packagesOf(join(path, 'package-lock.json')));
  return wanted.every(
    ([name, { version, optional }]) => name === '' || optional || installed[name]?.version === version,
  );
}

function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}

if (import.meta.url === pathToFileURL(resolve(process.argv[1] ?? '')).href) await ensurePackages(process.argv[2]);
