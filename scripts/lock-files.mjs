/**
 * `npm run lock-files` puts the lock files into the form that they have here, and `npm run check:lock-files` fails where one has
 * another.
 *
 * - No `engines`: npm reads there which Node a package wants and compares it with the Node that npm itself runs under. But
 *   everything runs under the Node of the package `node`, whichever one installed it. So npm would warn of dozens of packages
 *   that work, and, under the first versions of Node 20, leave out native parts that the build needs.
 * - No `resolved`: the registry is the one of whoever installs.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** The lock file in that form. @param {string} text */
export function inForm(text) {
  const lock = JSON.parse(text);
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path !== '') delete entry.engines;
    // Of a folder of the repository it says which one.
    if (entry.link !== true) delete entry.resolved;
  }
  return `${JSON.stringify(lock, null, 2)}\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const files = execFileSync('git', ['ls-files', '*package-lock.json'], { encoding: 'utf8' }).trim().split('\n');
  const others = files.filter((file) => inForm(readFileSync(file, 'utf8')) !== readFileSync(file, 'utf8'));
  if (!process.argv.includes('--check')) {
    for (const file of others) writeFileSync(file, inForm(readFileSync(file, 'utf8')));
  } else if (others.length > 0) {
    console.error(`${others.join(', ')}: names engines or addresses. Run npm run lock-files.`);
    process.exitCode = 1;
  } else console.log(`${files.length} lock files name no engines and no addresses`);
}
