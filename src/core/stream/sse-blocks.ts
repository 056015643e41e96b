import { ownCopy } from '../detection/engine/own-copy.js';

/**
 * Cuts an event stream that comes in pieces into blocks: the lines of one event with the empty line that ends it, or an
 * empty line alone. All blocks together are the stream, character for character (WHATWG HTML, section 9.2.6).
 */
export class SseBlocks {
  private text = '';
  /** Where the line begins that is not complete yet. */
  private lineStart = 0;
  private endsInReturn = false;

  /** The blocks that this piece completes. */
  push(piece: string): string[] {
    this.text += piece;
    // Looking through a long line again with each of its pieces would take quadratic time.
    const hasLineEnd = this.endsInReturn || /[\r\n]/.test(piece);
    if (piece !== '') this.endsInReturn = piece.endsWith('\r');
    return hasLineEnd ? this.complete(false) : [];
  }

  /** What is left; a last event that no empty line ends is there, and a lenient client reads it. */
  end(): string[] {
    const blocks = this.complete(true);
    if (this.text !== '') blocks.push(this.text);
    this.text = '';
    this.lineStart = 0;
    this.endsInReturn = false;
    return blocks;
  }

  private complete(atEnd: boolean): string[] {
    const blocks: string[] = [];
    const lineEnd = /\r\n|\n|\r/g;
    let blockStart = 0;
    for (;;) {
      lineEnd.lastIndex = this.lineStart;
      const match = lineEnd.exec(this.text);
      if (match === null) break;
      const next = match.index + match[0].length;
      // The line feed of this line end may still come.
      if (match[0] === '\r' && next === this.text.length && !atEnd) break;
      const isEmpty = match.index === this.lineStart;
      this.lineStart = next;
      if (!isEmpty) continue;
      blocks.push(this.text.slice(blockStart, next));
      blockStart = next;
    }
    if (blockStart > 0) {
      this.text = ownCopy(this.text.slice(blockStart));
      this.lineStart -= blockStart;
    }
    return blocks;
  }
}
