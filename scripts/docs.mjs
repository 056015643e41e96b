/**
 * `npm run docs`: serves the docs as a searchable site with live reload. `npm run docs -- build` writes the site into
 * `dist-docs` and fails for a broken link between pages. The site has its own packages, which are
 * installed when they are first needed.
 */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensurePackages } from './packages-apart.mjs';

await ensurePackages('docs/site');
const site = join(dirname(fileURLToPath(import.meta.url)), '..', 'docs', 'site');
const [command = 'dev', ...rest] = process.argv.slice(2);
const vitepress = join(site, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
const { status } = spawnSync(process.execPath, [vitepress, command, site, ...rest], { stdio: 'inherit' });
process.exitCode = status ?? 1;
