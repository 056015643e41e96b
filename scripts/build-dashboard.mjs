/**
 * Builds the dashboard when one of its inputs has changed. The build is cached and copied into `dist`, so that a build of the server,
 * which clears `dist`, does not build the pages again.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const CACHE = join(root, 'node_modules', '.cache', 'weir-dashboard');
const TARGET = join(root, 'dist', 'dashboard');
const STAMP = '.stamp';
const SOURCES = join(root, 'dashboard');
const FILES = ['package-lock.json', 'scripts/build-dashboard.mjs'];

/** A digest of the dashboard's inputs: names, sizes and change times of its sources, and the content of other files. */
export function dashboardFingerprint() {
  const hash = createHash('sha256').update(process.version);
  walk(SOURCES, hash);
  for (const file of FILES) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

export function isDashboardCurrent() {
  return !existsSync(SOURCES) || stampOf(TARGET) === dashboardFingerprint();
}

/**
 * Starts the build in parallel to other builds; `putInPlace` waits for it, and must be called when `dist` exists. `stop` is for callers
 * that end without it: it ends the build and waits for its process.
 */
export function startDashboardBuild() {
  const wanted = dashboardFingerprint();
  const { built, child } = stampOf(CACHE) === wanted ? { built: Promise.resolve(true) } : build(wanted);
  return {
    async stop() {
      child?.kill();
      await built;
    },
    async putInPlace() {
      const ok = await built;
      rmSync(TARGET, { recursive: true, force: true });
      if (ok) cpSync(CACHE, TARGET, { recursive: true });
      return ok;
    },
  };
}

function build(wanted) {
  rmSync(join(CACHE, STAMP), { force: true });
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const child = spawn(process.execPath, [vite, 'build', 'dashboard', '--logLevel', 'warn'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, WEIR_DASHBOARD_OUT: CACHE, NODE_ENV: 'production' },
  });
  const built = new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('exit', (status) => {
      if (status === 0) {
        mkdirSync(CACHE, { recursive: true });
        writeFileSync(join(CACHE, STAMP), wanted);
      }
      resolve(status === 0);
    });
  });
  return { built, child };
}

function stampOf(folder) {
  const path = join(folder, STAMP);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

function walk(folder, hash) {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) walk(path, hash);
    else {
      const { size, mtimeMs } = statSync(path);
      hash.update(`${path}\0${size}\0${mtimeMs}\n`);
    }
  }
}
