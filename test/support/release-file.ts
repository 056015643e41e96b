import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A file of the release in the folder `WEIR_TEST_RELEASE`, which `npm run release:pack` made of the same sources: packing it
 * once more takes a minute of the processor. `undefined` where the variable is not set, and then a test packs for itself.
 *
 * @param start of the file's name
 * @param end of it
 * @throws Error when the release has no such file, or several
 */
export function releaseFile(start: string, end: string): string | undefined {
  const release = process.env['WEIR_TEST_RELEASE'];
  if (release === undefined) return undefined;
  const found = readdirSync(release).filter((file) => file.startsWith(start) && file.endsWith(end));
  if (found.length !== 1) throw new Error(`${release} has ${found.length} files ${start}…${end}, not one`);
  return join(release, found[0]!);
}
