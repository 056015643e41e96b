/**
 * `npm run build:sdk [-- <folder>]`: builds the package for Node.js, as ES modules and as CommonJS, each with its types, into
 * `sdk/node/dist` or the given folder.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const project = join(root, 'sdk', 'node');
const target = resolve(process.argv[2] ?? join(project, 'dist'));
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

/** For each format: the folder under the target, the `type` in its package.json, and additional compiler options. */
const FORMS = [
  ['esm', 'module', []],
  ['cjs', 'commonjs', ['--module', 'commonjs', '--moduleResolution', 'bundler']],
];

rmSync(target, { recursive: true, force: true });
for (const [folder, type, options] of FORMS) {
  const outDir = join(target, folder);
  const args = [compiler, '-p', project, '--outDir', outDir, ...options];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  mkdirSync(outDir, { recursive: true });
  writeFileSync(join(outDir, 'package.json'), `${JSON.stringify({ type }, null, 2)}\n`);
}
