/**
 * Bytes that come one by one, as long as they are the beginning of a text in UTF-8 (RFC 3629). Controls other than tab and
 * line ends say that they are none.
 */
export class TextBytes {
  private text = '';
  private forgotten = 0;
  private codes: number[] = [];
  /** Bytes that the character still waits for, its point so far and the least one of that length. */
  private more = 0;
  private point = 0;
  private least = 0;

  /** Units of text so far. */
  get length(): number {
    return this.forgotten + this.text.length + this.codes.length;
  }

  /** False when the byte shows that this is no text. */
  add(byte: number): boolean {
    if (this.more > 0) return this.goOn(byte);
    if (byte < 0x80) {
      if (byte === 0x7f || (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d)) return false;
      this.put(byte);
      return true;
    }
    if (byte < 0xc2 || byte > 0xf4) return false;
    this.more = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    this.least = byte < 0xe0 ? 0x80 : byte < 0xf0 ? 0x800 : 0x10000;
    this.point = byte & (0x3f >> this.more);
    return true;
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

  private goOn(byte: number): boolean {
    if ((byte & 0xc0) !== 0x80) return false;
    this.point = (this.point << 6) | (byte & 0x3f);
    if (--this.more > 0) return true;
    if (this.point < this.least || this.point > 0x10ffff || (this.point & 0x1ff800) === 0xd800) return false;
    this.put(this.point);
    return true;
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
