/**
 * Packages that `npm ci` does not install, because only some commands need them: those of the tests and of the docs site. Each
 * folder has its own lock file; commands that need the packages install them on first use and after a change of the lock file.
 * On the command line: `node scripts/packages-apart.mjs <folder>`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { underLock } from './under-lock.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Loads a package of the tests from outside their folder; call `ensurePackages('test')` before. */
export const requireOfTests = createRequire(join(root, 'test', 'package.json'));

/**
 * Installs the packages of a folder unless the versions in its lock file are already installed. Ends the process with a message when
 * the installation fails.
 *
 * @param {string} folder relative to the root of the repository
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
    `Installing the packages of ${folder}/, which \`npm ci\` does not install. This is done only once …\n`,
  );
  // npm's output goes to stderr, because stdout belongs to the command that needs the packages.
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

/** Whether npm's record of installed packages matches the lock file. Optional packages may be for other platforms. */
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
