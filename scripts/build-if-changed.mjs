/** Builds `dist` only when one of its inputs has changed since the last build. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDashboardCurrent, startDashboardBuild } from './build-dashboard.mjs';
import { copyApiPage } from './copy-api-page.mjs';
import { underLock } from './under-lock.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const STAMP = join(root, 'dist', '.stamp');
const LOCK = join(root, 'node_modules', '.cache', 'weir-build.lock');
const FOLDERS = ['src', 'plugins', 'cli', 'bench'];
const FILES = [
  'package.json',
  'package-lock.json',
  'nest-cli.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'scripts/swc-options.mjs',
  'scripts/transpile.mjs',
  'scripts/bundle.mjs',
  'scripts/bundle-server.mjs',
  'scripts/bundle-parts.mjs',
  'scripts/copy-api-page.mjs',
];
/** The two ways to translate the sources into `dist`. */
const CHECKED = [
  join(root, 'node_modules', '@nestjs', 'cli', 'bin', 'nest.js'),
  'build',
  '--path',
  'tsconfig.build.json',
];
const UNCHECKED = [join(root, 'scripts', 'transpile.mjs')];

/**
 * Builds if needed, one process at a time; ends the process with the builder's status when the build fails. The service
 * works without its pages, so a failed build of the dashboard is only reported.
 */
export async function ensureBuilt() {
  if (isCurrent(fingerprint()) && isDashboardCurrent()) return;
  // Without the lock, one of two simultaneous starts could clear the folder that the other is using.
  await underLock(LOCK, build);
}

function isCurrent(wanted) {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted;
}

async function build() {
  const isServerCurrent = isCurrent(fingerprint());
  const dashboard = isServerCurrent && isDashboardCurrent() ? undefined : startDashboardBuild();
  if (!isServerCurrent) {
    process.stderr.write('Building …\n');
    await buildServer(2, { checksTypes: false, parallel: dashboard });
  }
  if (dashboard !== undefined && !(await dashboard.putInPlace())) {
    process.stderr.write('The dashboard could not be built; see above. The service starts without it.\n');
  }
}

/**
 * Builds everything except the dashboard, and stores the fingerprint of the sources; ends the process with the builder's status when
 * the build fails, after the end of the parallel build.
 *
 * @param {2 | 'inherit'} output the builder's output: 2 (stderr) if the calling command needs stdout for its own result
 * @param {{ checksTypes?: boolean, parallel?: { stop(): Promise<void> } }} options `checksTypes`: without the check, the sources
 *   are only translated (transpile.mjs), in a tenth of the time. `parallel`: another build, which is stopped when this one fails
 */
export async function buildServer(output, { checksTypes = true, parallel } = {}) {
  const wanted = fingerprint();
  try {
    await steps([checksTypes ? CHECKED : UNCHECKED], output);
    await steps([[join(root, 'scripts', 'bundle.mjs')], [join(root, 'scripts', 'bundle-server.mjs')]], output);
    copyApiPage();
    mkdirSync(dirname(STAMP), { recursive: true });
    writeFileSync(STAMP, wanted);
  } catch (error) {
    // If it were left running, it would write into the folder of the next build.
    await parallel?.stop();
    // The failed step has printed the reason, and no caller can continue without its output; an exception would add
    // a meaningless trace. The other build has ended above, so nothing is left running.
    if (error instanceof FailedStep) process.exit(error.status);
    throw error;
  }
}

class FailedStep extends Error {
  constructor(status) {
    super('a step of the build failed');
    this.status = status;
  }
}

/** Runs steps of the build at the same time. When one fails, it has printed the error, and this throws after all of them. */
async function steps(all, output) {
  const statuses = await Promise.all(
    all.map((words) => {
      const child = spawn(process.execPath, words, { cwd: root, stdio: ['ignore', output, output] });
      return new Promise((resolve, reject) => {
        child.once('error', reject);
        child.once('exit', (status) => resolve(status ?? 1));
      });
    }),
  );
  const failed = statuses.find((status) => status !== 0);
  if (failed !== undefined) throw new FailedStep(failed);
}

/** A digest over names, sizes and change times of the sources, and over the configuration's content. */
function fingerprint() {
  const hash = createHash('sha256').update(process.version);
  for (const folder of FOLDERS) walk(join(root, folder), hash);
  for (const file of FILES) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

function walk(folder, hash) {
  if (!existsSync(folder)) return;
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) walk(path, hash);
    else if ((entry.name.endsWith('.ts') || entry.name.endsWith('.sql')) && !entry.name.endsWith('.spec.ts')) {
      const { size, mtimeMs } = statSync(path);
      hash.update(`${path}\0${size}\0${mtimeMs}\n`);
    }
  }
}
