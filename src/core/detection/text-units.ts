/** The unit of a service's offsets: JavaScript's UTF-16 units, Unicode characters as in Python, or bytes of UTF-8. */
export type TextUnit = 'utf16' | 'code_points' | 'utf8_bytes';

/**
 * Converts offsets of a text from another unit to UTF-16 units.
 *
 * @returns a function that returns undefined for an offset outside the text or inside a character
 */
export function utf16Offsets(text: string, unit: TextUnit): (offset: number) => number | undefined {
  if (unit === 'utf16' || isPlain(text)) {
    return (offset) => (Number.isInteger(offset) && offset >= 0 && offset <= text.length ? offset : undefined);
  }
  const known = new Map<number, number>();
  let count = 0;
  let at = 0;
  for (const character of text) {
    known.set(count, at);
    at += character.length;
    count += unit === 'code_points' ? 1 : utf8Length(character.codePointAt(0)!);
  }
  known.set(count, at);
  return (offset) => known.get(offset);
}

/** Whether a text is ASCII, so that all units are equal. */
function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) return false;
  return true;
}

/** RFC 3629; half a surrogate pair is sent as the replacement character, which has three bytes. */
function utf8Length(point: number): number {
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}
