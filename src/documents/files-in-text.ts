import { atOnce, findingBase64 } from '../core/index.js';
import { documentFormatsOf } from './recognise.js';
import { writtenReadings } from './written-bytes.js';

/** A file that a text contains, and the characters that encode it. */
interface FileInText {
  readonly written: string;
  readonly bytes: Buffer;
}

/** The files in base64 in a text: data URLs, and other base64 of a known format, because other base64 can be a key or a hash. */
export function filesIn(text: string): FileInText[] {
  const { places, urls } = atOnce(findingBase64(text));
  const seen = new Set<number>();
  return places.flatMap((one) => {
    // A file in a data URL is found twice.
    if (seen.has(one.start)) return [];
    seen.add(one.start);
    const written = text.slice(one.start, one.end);
    const readings = writtenReadings(written, one.hex === true);
    // If the letters have two readings, both are read.
    const isFile = (bytes: Buffer): boolean => urls.has(one) || documentFormatsOf(bytes).length > 0;
    return readings.filter(isFile).map((bytes, index) => ({ written: `${written}${'%'.repeat(index)}`, bytes }));
  });
}

/** The characters of a file without the white space between them, which differs between readings of a document. */
export function withoutSpaces(text: string): string {
  return text.replace(/\s+/g, '');
}
