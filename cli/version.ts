import { readFile } from 'node:fs/promises';

/** Reads the version from the package.json in a folder above: this file runs from `cli/` and from `dist/cli/`. */
export async function packageVersion(): Promise<string> {
  for (const up of ['../package.json', '../../package.json']) {
    try {
      return (JSON.parse(await readFile(new URL(up, import.meta.url), 'utf8')) as { version: string }).version;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return 'unknown';
}
