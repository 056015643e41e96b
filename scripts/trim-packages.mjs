/**
 * After `npm ci` in a checkout: takes away what packages bring and nobody here uses, some 200 MB. Of the pinned Node that is C headers
 * and manual pages, as nothing is compiled against it; of all packages it is source maps, most of which lead to files that
 * are not in the package.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const modules = join(dirname(fileURLToPath(import.meta.url)), '..', 'node_modules');

// Without packages of development there is none.
const nodes = join(modules, 'node', 'node_modules');
const platforms = existsSync(nodes) ? readdirSync(nodes).filter((name) => /^node-(?!bin-setup$)/.test(name)) : [];
for (const platform of platforms) {
  for (const name of ['include', 'share', 'CHANGELOG.md']) {
    rmSync(join(nodes, platform, name), { recursive: true, force: true });
  }
}
removeMaps(modules);

/** Links lead to folders of the repository. */
function removeMaps(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) removeMaps(path);
    else if (entry.isFile() && /\.(?:[cm]?[jt]s|css)\.map$/.test(entry.name)) rmSync(path);
  }
}
