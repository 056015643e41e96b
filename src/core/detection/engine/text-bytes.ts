/** The number of invalid UTF-8 bytes allowed in a text, plus one more for each four valid characters. */
const FREE_STRANGERS = 2;
const CHARACTERS_PER_STRANGER = 4;
const REPLACEMENT = 0xfffd;

/**
 * Bytes that come one by one, as long as they are the beginning of a text: in UTF-8 (RFC 3629), with a few bytes between that
 * are letters in Latin-1 or Windows-1252, or in UTF-16 that begins with its mark or with a character of ASCII. Controls
 * other than tab and line ends say that they are none.
 */
export class TextBytes {
  private text = '';
  private forgotten = 0;
  private codes: number[] = [];
  /** Bytes so far of a character that waits for more, how many, its point so far and the least one of that length. */
  private begun: number[] = [];
  private more = 0;
  private point = 0;
  private least = 0;
  /** Characters so far, and bytes that are no UTF-8. */
  private characters = 0;
  private strangers = 0;
  private seen = 0;
  private first = 0;
  /** Which byte of two comes first in UTF-16. */
  private wide: 'low' | 'high' | undefined;
  private half: number | undefined;

  /** Units of text so far. */
  get length(): number {
    return this.forgotten + this.text.length + this.codes.length;
  }

  /** False when the byte shows that this is no text. */
  add(byte: number): boolean {
    this.seen++;
    if (this.seen === 1) {
      this.first = byte;
      return byte === 0 || this.narrow(byte);
    }
    if (this.seen === 2) {
      this.wide = wideOf(this.first, byte);
      if (this.wide !== undefined) return this.beginWide(byte);
      if (this.first === 0) return false;
    }
    return this.wide === undefined ? this.narrow(byte) : this.goOnWide(byte);
  }

  /** The text from a unit on. */
  since(unit: number): string {
    this.flush();
    return this.text.slice(unit - this.forgotten);
  }

  /** The text before a unit is not asked for again. */
  forget(unit: number): void {
    this.text = this.since(unit);
    this.forgotten = unit;
  }

  private beginWide(second: number): boolean {
    [this.codes, this.begun, this.more] = [[], [], 0];
    const isMark = this.first >= 0xfe;
    if (!isMark) this.put(this.first === 0 ? second : this.first);
    return true;
  }

  private goOnWide(byte: number): boolean {
    const { half } = this;
    this.half = half === undefined ? byte : undefined;
    if (half === undefined) return true;
    const unit = this.wide === 'low' ? (byte << 8) | half : (half << 8) | byte;
    if (isControl(unit)) return false;
    this.put(unit);
    return true;
  }

  private narrow(byte: number): boolean {
    if (this.more > 0) {
      if ((byte & 0xc0) === 0x80) return this.goOn(byte);
      if (!this.takeStrangers()) return false;
    }
    if (byte < 0x80) return !isControl(byte) && this.take(byte);
    this.begun = [byte];
    if (byte < 0xc2 || byte > 0xf4) return this.takeStrangers();
    this.more = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    this.least = byte < 0xe0 ? 0x80 : byte < 0xf0 ? 0x800 : 0x10000;
    this.point = byte & (0x3f >> this.more);
    return true;
  }

  private goOn(byte: number): boolean {
    this.begun.push(byte);
    this.point = (this.point << 6) | (byte & 0x3f);
    if (--this.more > 0) return true;
    if (this.point < this.least || this.point > 0x10ffff || (this.point & 0x1ff800) === 0xd800)
      return this.takeStrangers();
    this.begun = [];
    return this.take(this.point);
  }

  private take(point: number): true {
    this.characters++;
    this.put(point);
    return true;
  }

  /** Takes what was begun as letters of one byte each. What Windows-1252 has in the place of controls is no letter of a value. */
  private takeStrangers(): boolean {
    for (const byte of this.begun) this.put(byte < 0xa0 ? REPLACEMENT : byte);
    this.strangers += this.begun.length;
    [this.begun, this.more] = [[], 0];
    return this.strangers <= FREE_STRANGERS + this.characters / CHARACTERS_PER_STRANGER;
  }

  private put(point: number): void {
    if (point > 0xffff) this.codes.push(0xd7c0 + (point >> 10), 0xdc00 + (point & 0x3ff));
    else this.codes.push(point);
    if (this.codes.length > 1_024) this.flush();
  }

  private flush(): void {
    this.text += String.fromCharCode(...this.codes);
    this.codes = [];
  }
}

function isControl(point: number): boolean {
  return point === 0x7f || (point < 0x20 && point !== 0x09 && point !== 0x0a && point !== 0x0d);
}

/** What two bytes at the beginning say of UTF-16. */
function wideOf(first: number, second: number): 'low' | 'high' | undefined {
  if ((first === 0xff && second === 0xfe) || (second === 0 && isAscii(first))) return 'low';
  if ((first === 0xfe && second === 0xff) || (first === 0 && isAscii(second))) return 'high';
  return undefined;
}

function isAscii(byte: number): boolean {
  return byte < 0x80 && !isControl(byte);
}
