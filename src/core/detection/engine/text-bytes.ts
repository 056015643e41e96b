/** The number of invalid UTF-8 bytes and controls allowed in a text, plus one more for each four valid characters. */
const FREE_STRANGERS = 2;
const CHARACTERS_PER_STRANGER = 4;
const REPLACEMENT = 0xfffd;

/**
 * Decodes bytes one by one while they may be a text: UTF-8 (RFC 3629) with a few Latin-1 or Windows-1252 letters in between, or UTF-16
 * that begins with a byte order mark or an ASCII character. A few controls other than tab and line ends are kept, because they separate
 * fields (SASL PLAIN) and begin colour sequences; many controls show that the bytes are not text.
 */
export class TextBytes {
  private text = '';
  private forgotten = 0;
  private codes: number[] = [];
  /**
   * An incomplete character: its bytes so far in one number, and how many; the number of missing bytes, its code point so far, and the lowest
   * code point of that length.
   */
  private begun = 0;
  private begunBytes = 0;
  private more = 0;
  private point = 0;
  private least = 0;
  /** Number of characters so far, and of controls and bytes that are not UTF-8. */
  private characters = 0;
  private strangers = 0;
  /** The first bytes until they show the encoding, then undefined. */
  private head: number[] | undefined = [];
  /** The first byte of each pair in UTF-16; undefined for other encodings. */
  private wide: 'low' | 'high' | undefined;
  private half: number | undefined;

  /** Number of decoded UTF-16 units so far. */
  get length(): number {
    return this.forgotten + this.text.length + this.codes.length;
  }

  /** Adds a byte. Returns false if this byte shows that the bytes are not text. */
  add(byte: number): boolean {
    const { head } = this;
    if (head === undefined) return this.addNext(byte);
    head.push(byte);
    const encoding = encodingOf(head);
    if (encoding === undefined) return true;
    this.head = undefined;
    if (encoding !== 'narrow') this.wide = encoding;
    const isMarked = encoding !== 'narrow' && head[0]! >= LEAST_OF_MARK;
    for (let index = isMarked ? 2 : 0; index < head.length; index++) if (!this.addNext(head[index]!)) return false;
    return true;
  }

  /** The decoded text from a unit on. */
  since(unit: number): string {
    this.flush();
    return this.text.slice(unit - this.forgotten);
  }

  /** Drops the text before a unit, which is no longer needed. */
  forget(unit: number): void {
    this.text = this.since(unit);
    this.forgotten = unit;
  }

  private addNext(byte: number): boolean {
    return this.wide === undefined ? this.narrow(byte) : this.goOnWide(byte);
  }

  private goOnWide(byte: number): boolean {
    const { half } = this;
    this.half = half === undefined ? byte : undefined;
    if (half === undefined) return true;
    const unit = this.wide === 'low' ? (byte << 8) | half : (half << 8) | byte;
    return isControl(unit) ? this.takeControl(unit) : this.take(unit);
  }

  private narrow(byte: number): boolean {
    if (this.more > 0) {
      if ((byte & 0xc0) === 0x80) return this.goOn(byte);
      if (!this.takeStrangers()) return false;
    }
    if (byte < 0x80) return isControl(byte) ? this.takeControl(byte) : this.take(byte);
    this.begun = byte;
    this.begunBytes = 1;
    if (byte < 0xc2 || byte > 0xf4) return this.takeStrangers();
    this.more = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    this.least = byte < 0xe0 ? 0x80 : byte < 0xf0 ? 0x800 : 0x10000;
    this.point = byte & (0x3f >> this.more);
    return true;
  }

  private goOn(byte: number): boolean {
    this.begun = (this.begun << 8) | byte;
    this.begunBytes++;
    this.point = (this.point << 6) | (byte & 0x3f);
    if (--this.more > 0) return true;
    if (this.point < this.least || this.point > 0x10ffff || (this.point & 0x1ff800) === 0xd800)
      return this.takeStrangers();
    this.begunBytes = 0;
    return this.take(this.point);
  }

  private take(point: number): true {
    this.characters++;
    this.put(point);
    return true;
  }

  /**
   * Decodes the bytes of the incomplete character as single-byte letters. Bytes from 0x80 to 0x9f are replaced, because their
   * Windows-1252 characters do not occur in values.
   */
  private takeStrangers(): boolean {
    for (let left = this.begunBytes - 1; left >= 0; left--) {
      const byte = (this.begun >>> (8 * left)) & 0xff;
      this.put(byte < 0xa0 ? REPLACEMENT : byte);
    }
    this.strangers += this.begunBytes;
    this.begunBytes = this.more = 0;
    return this.hasFewStrangers;
  }

  private takeControl(unit: number): boolean {
    this.strangers++;
    this.put(unit);
    return this.hasFewStrangers;
  }

  private get hasFewStrangers(): boolean {
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

/** The lower of the two bytes of a byte order mark. */
const LEAST_OF_MARK = 0xfe;

/**
 * The encoding that the first bytes show: UTF-16 with its byte order, or any encoding of ASCII by single bytes (`narrow`); undefined if
 * further bytes are needed. A zero next to an ASCII character may also be a separator: then two ASCII characters follow without a zero.
 */
function encodingOf(head: readonly number[]): 'low' | 'high' | 'narrow' | undefined {
  const [first = 0, second, third, fourth] = head;
  if (second === undefined) return first === 0 || first >= LEAST_OF_MARK || isAscii(first) ? undefined : 'narrow';
  if (first === 0xff && second === 0xfe) return 'low';
  if (first === 0xfe && second === 0xff) return 'high';
  const isLow = second === 0 && isAscii(first);
  if (!isLow && (first !== 0 || !isAscii(second))) return 'narrow';
  if (third === undefined || fourth === undefined) return undefined;
  if (isAscii(third) && isAscii(fourth)) return 'narrow';
  return isLow ? 'low' : 'high';
}

function isAscii(byte: number): boolean {
  return byte < 0x80 && !isControl(byte);
}
