const ESCAPE = /%([0-9a-f]{2})/gi;
const SPACES = /\s+/g;

/** The bytes that a text contains in base64 or in lines of hexadecimal digits. Like lenient readers, it skips other characters. */
export function writtenBytes(written: string, isHex: boolean): Buffer {
  return isHex ? Buffer.from(written.replace(SPACES, ''), 'hex') : Buffer.from(written, 'base64');
}

/** Like `writtenBytes`; for base64 with the escapes of URLs also the bytes that a reader finds who decodes the escapes first. */
export function writtenReadings(written: string, isHex: boolean): Buffer[] {
  const bytes = writtenBytes(written, isHex);
  const unescaped = isHex || !written.includes('%') ? written : written.replace(ESCAPE, charOf);
  return unescaped === written ? [bytes] : [bytes, Buffer.from(unescaped, 'base64')];
}

function charOf(_: string, code: string): string {
  return String.fromCharCode(Number.parseInt(code, 16));
}
