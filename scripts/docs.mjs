/**
 * `npm run docs`: the docs as a site, searchable, changing as the files do. `npm run docs -- build` writes it into
 * `dist-docs` and fails for a link between pages that leads nowhere. The site has packages of its own, which are
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
