import { existsSync, readFileSync } from 'node:fs';

/** The version in package.json, which is searched upwards because this file runs from `src/` and from `dist/src/`. */
export const VERSION = readVersion();

function readVersion(): string {
  const found = ['../package.json', '../../package.json']
    .map((up) => new URL(up, import.meta.url))
    .find((url) => existsSync(url));
  if (found === undefined) return 'unknown';
  const { version } = JSON.parse(readFileSync(found, 'utf8')) as { version: string };
  return version;
}
