/**
 * `npm test [-- jest options]`: runs jest with the flags that ES modules need. A first word of `unit`, `integration`
 * or `e2e` chooses one project; without it all run, one after the other where they need a built service.
 */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from './build-if-changed.mjs';
import { requirePinnedNode } from './with-pinned-node.mjs';

const PROJECTS = ['unit', 'integration', 'e2e'];

await requirePinnedNode();
const [first, ...rest] = process.argv.slice(2);
const chosen = PROJECTS.includes(first) ? [first] : PROJECTS;
const options = PROJECTS.includes(first) ? rest : process.argv.slice(2);
if (chosen.includes('e2e')) await ensureBuilt();
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { status } = spawnSync(
  process.execPath,
  [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    // For a single worker, too, between two looks at how much it holds.
    '--max-old-space-size=6144',
    join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
    ...chosen.map((project) => `--selectProjects=${project}`),
    ...options,
  ],
  { cwd: root, stdio: 'inherit' },
);
process.exit(status ?? 1);
