import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The path of a release file in the folder `WEIR_TEST_RELEASE`, which `npm run release:pack` created from the same sources: packing it
 * again takes a minute of CPU time. `undefined` if the variable is not set; then a test packs it itself.
 *
 * @param start beginning of the file's name
 * @param end end of the file's name
 * @throws Error when the release has no such file, or several
 */
export function releaseFile(start: string, end: string): string | undefined {
  const release = process.env['WEIR_TEST_RELEASE'];
  if (release === undefined) return undefined;
  const [found, ...others] = readdirSync(release).filter((file) => file.startsWith(start) && file.endsWith(end));
  if (found === undefined || others.length > 0)
    throw new Error(`${release} has ${found === undefined ? 'no file' : 'several files'} ${start}…${end}`);
  return join(release, found);
}
