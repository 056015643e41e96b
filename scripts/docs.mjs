/**
 * `npm run docs`: the docs as a site, searchable, changing as the files do. `npm run docs -- build` writes it into
 * `dist-docs` and fails for a link between pages that leads nowhere. The site has packages of its own, which are
 * installed when they are first needed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const site = join(dirname(fileURLToPath(import.meta.url)), '..', 'docs', 'site');
const lock = readFileSync(join(site, 'package-lock.json'), 'utf8');
const wanted = JSON.parse(lock).packages['node_modules/vitepress'].version;
const installed = join(site, 'node_modules', 'vitepress', 'package.json');

if (!existsSync(installed) || JSON.parse(readFileSync(installed, 'utf8')).version !== wanted) {
  console.log('Installing the packages of the site, once …');
  run('npm', ['ci', '--prefix', site, '--ignore-scripts', '--no-audit', '--no-fund']);
}
const [command = 'dev', ...rest] = process.argv.slice(2);
run(process.execPath, [join(site, 'node_modules', 'vitepress', 'bin', 'vitepress.js'), command, site, ...rest]);

function run(program, argv) {
  const { status } = spawnSync(program, argv, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
