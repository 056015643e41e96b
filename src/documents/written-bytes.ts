import { unwrapped } from '../core/index.js';

const ESCAPE = /%([0-9a-f]{2})/gi;
const SPACES = /\s+/g;

/**
 * The bytes that a text contains in base64, in lines of hexadecimal digits, in numbers separated by commas or in the escapes of a URL.
 * Like lenient readers, it skips other characters.
 * @param isHex whether it contains digits, numbers or escapes
 */
export function writtenBytes(written: string, isHex: boolean): Buffer {
  if (!isHex) return Buffer.from(written, 'base64');
  if (written.includes('%')) return escapedBytes(written);
  return written.includes(',') ? numberedBytes(written) : Buffer.from(written.replace(SPACES, ''), 'hex');
}

/** The bytes of the content of a URL. */
function escapedBytes(written: string): Buffer {
  return Buffer.from(Buffer.from(written).toString('latin1').replace(ESCAPE, charOf), 'latin1');
}

const [ZERO, NINE, MINUS, COMMA, COLON] = [0x30, 0x39, 0x2d, 0x2c, 0x3a];
const [UPPER_A, UPPER_F, UPPER_X] = [0x41, 0x46, 0x58];
/** Small letters have this bit in addition. */
const SMALL = 0x20;

/** The bytes of decimal or hexadecimal numbers, each of which can follow the name of an item. A loop, because there may be millions. */
function numberedBytes(written: string): Buffer {
  const bytes = Buffer.allocUnsafe(Math.ceil((written.length + 1) / 2));
  let [count, value, base, sign] = [0, 0, 10, 1];
  for (let at = 0; at <= written.length; at++) {
    const code = at === written.length ? COMMA : written.charCodeAt(at);
    const capital = code & ~SMALL;
    if (code >= ZERO && code <= NINE) value = value * base + code - ZERO;
    else if (code === COMMA) bytes[count++] = (sign * value) & 0xff;
    else if (code === MINUS) sign = -1;
    else if (capital === UPPER_X) base = 16;
    else if (base === 16 && capital >= UPPER_A && capital <= UPPER_F) value = value * base + 10 + capital - UPPER_A;
    if (code === COMMA || code === COLON) [value, base, sign] = [0, 10, 1];
  }
  return bytes.subarray(0, count);
}

/**
 * Like `writtenBytes`; for base64 with escapes, or with other characters between its lines, also the bytes that a reader finds who decodes
 * the escapes first and leaves out the other characters.
 */
export function writtenReadings(written: string, isHex: boolean): Buffer[] {
  const bytes = writtenBytes(written, isHex);
  const letters = isHex ? written : unwrapped(written).replace(ESCAPE, charOf);
  if (letters === written) return [bytes];
  const other = Buffer.from(letters, 'base64');
  return other.equals(bytes) ? [bytes] : [bytes, other];
}

function charOf(_: string, code: string): string {
  return String.fromCharCode(Number.parseInt(code, 16));
}
