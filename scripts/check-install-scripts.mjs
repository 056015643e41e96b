/**
 * `npm run check:install-scripts`: fails when a package of the lock file brings an install script that package.json's
 * `allowScripts` does not name, and when that names one that no package has any more. Nobody's code runs at `npm ci`
 * without somebody having said so.
 */
import { readFileSync } from 'node:fs';

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const { allowScripts = {} } = JSON.parse(readFileSync('package.json', 'utf8'));
const withScript = new Set(
  Object.entries(packages)
    .filter(([path, { hasInstallScript }]) => path !== '' && hasInstallScript === true)
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)),
);
const decided = new Set(Object.keys(allowScripts));
const unexpected = [...withScript].filter((name) => !decided.has(name));
const stale = [...decided].filter((name) => !withScript.has(name));
for (const name of unexpected) console.error(`${name} has an install script that nobody decided about (allowScripts)`);
for (const name of stale) console.error(`allowScripts names ${name}, which has no install script (any more)`);
if (unexpected.length + stale.length > 0) process.exitCode = 1;
else console.log(`${withScript.size} packages have install scripts, each decided about`);
