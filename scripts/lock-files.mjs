/**
 * `npm run lock-files` normalizes the lock files, and `npm run check:lock-files` fails for one that is not normalized.
 *
 * - No `engines`: in this field a package names the Node that it requires, and npm compares it with the Node under which npm itself
 *   runs. But everything is run with the Node of the package `node`, whichever Node installed it. So npm would warn about dozens of
 *   packages that work, and, under the first versions of Node 20, omit native parts that the build needs.
 * - No `resolved`: the person who installs chooses the registry.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** The lock file, normalized. @param {string} text */
export function inForm(text) {
  const lock = JSON.parse(text);
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path !== '') delete entry.engines;
    // In a link, `resolved` is the linked folder of the repository.
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
