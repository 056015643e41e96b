const CHUNK = 8192;

/** A long text from its UTF-16 code units. */
export function textOfUnits(units: Uint16Array, length = units.length): string {
  if (length <= CHUNK) return String.fromCharCode(...units.subarray(0, length));
  const parts: string[] = [];
  for (let at = 0; at < length; at += CHUNK) {
    parts.push(String.fromCharCode(...units.subarray(at, Math.min(length, at + CHUNK))));
  }
  return parts.join('');
}
