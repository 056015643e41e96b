/**
 * `npm run check:install-scripts`: fails when a package of a lock file has an install script that is not listed in `allowScripts` of
 * the package.json next to it, and when `allowScripts` lists a package that no longer has one. So no code of
 * a package runs at `npm ci` without a decision. Folders whose `.npmrc` sets `ignore-scripts` run none.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDERS = ['.', 'test'];

for (const folder of FOLDERS) check(folder);

function check(folder) {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  const { allowScripts = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const withScript = new Set(
    Object.entries(packages)
      .filter(([path, { hasInstallScript }]) => path !== '' && hasInstallScript === true)
      .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)),
  );
  const decided = new Set(Object.keys(allowScripts));
  const unexpected = [...withScript].filter((name) => !decided.has(name));
  const stale = [...decided].filter((name) => !withScript.has(name));
  const file = join(folder, 'package.json');
  for (const name of unexpected)
    console.error(`${name} has an install script without a decision (allowScripts of ${file})`);
  for (const name of stale)
    console.error(`allowScripts of ${file} names ${name}, which has no install script (any more)`);
  if (unexpected.length + stale.length > 0) process.exitCode = 1;
  else console.log(`${file}: ${withScript.size} packages have install scripts, each with a decision`);
}
