/**
 * Removes some 200 MB of unused files of packages after `npm ci` in a checkout: from the pinned Node the C headers
 * and manual pages, because nothing is compiled against it; from all packages the source maps, most of which refer to files that
 * are not in the package.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const modules = join(dirname(fileURLToPath(import.meta.url)), '..', 'node_modules');

// Without development packages there is no pinned Node.
const nodes = join(modules, 'node', 'node_modules');
const platforms = existsSync(nodes) ? readdirSync(nodes).filter((name) => /^node-(?!bin-setup$)/.test(name)) : [];
for (const platform of platforms) {
  for (const name of ['include', 'share', 'CHANGELOG.md']) {
    rmSync(join(nodes, platform, name), { recursive: true, force: true });
  }
}
removeMaps(modules);

/** Removes the source maps below a folder. Does not follow links, because they point to folders of the repository. */
function removeMaps(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) removeMaps(path);
    else if (entry.isFile() && /\.(?:[cm]?[jt]s|css)\.map$/.test(entry.name)) rmSync(path);
  }
}
