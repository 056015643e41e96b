/** The end of a page of events, as an opaque text that clients pass back: the id of the last examined event. */
import { isUuid } from '../event-id.js';

const VERSION = 1;
const ID_BYTES = 16;

/** Makes the cursor of the page that ended with `id`. */
export function encodeCursor(id: string): string {
  return Buffer.concat([Buffer.of(VERSION), Buffer.from(id.replaceAll('-', ''), 'hex')]).toString('base64url');
}

/** Reads the id from a cursor that was made here; null for any other text. */
export function decodeCursor(cursor: string): string | null {
  const bytes = Buffer.from(cursor, 'base64url');
  // Decoding ignores characters that are not base64url, so only text that encodes to itself again
  // is a cursor.
  if (bytes.length !== ID_BYTES + 1 || bytes[0] !== VERSION || bytes.toString('base64url') !== cursor) {
    return null;
  }
  const hex = bytes.toString('hex', 1);
  const id = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  return isUuid(id) ? id : null;
}
