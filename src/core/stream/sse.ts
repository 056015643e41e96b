import { ownCopy } from '../detection/engine/own-copy.js';
import type { TextEdit } from '../text/edit.js';

/** One server-sent event, with the places of its data in the stream's text. */
export interface SseEvent {
  /** The `event:` field. */
  readonly name?: string;
  /** The `data:` lines, joined with line feeds. */
  readonly data: string;
  /** Where each data line's value stands; half-open ranges in UTF-16 code units. */
  readonly lines: readonly { readonly start: number; readonly end: number }[];
}

/** An event stream taken apart. */
export interface SseStream {
  readonly events: readonly SseEvent[];
  /** Lines that are neither data nor a plain field: comments, and what is no event stream at all. Each as an event. */
  readonly otherLines: readonly SseEvent[];
}

/** `event`, `id` and `retry` with what they usually hold, and empty comments. */
const PLAIN_LINE = /^(?:(?:event|id|retry)(?:: ?[A-Za-z0-9_.:/+-]{0,128})?|:\s*)$/;

/**
 * The events of an event stream (WHATWG HTML, section 9.2.6): lines end with CR, LF or CRLF, a byte order mark may
 * come first, comments and unknown fields belong to no event. Unlike a browser it also gives a last event that no
 * empty line ends: its text is there, and a lenient client reads it.
 * @param isBeginning whether the text is the beginning of a stream: only there, a byte order mark is none of the text
 */
export function parseSse(text: string, isBeginning = true): SseStream {
  const events: SseEvent[] = [];
  const otherLines: SseEvent[] = [];
  let name: string | undefined;
  let lines: { start: number; end: number }[] = [];
  const dispatch = (): void => {
    if (lines.length > 0) {
      const data = lines.map(({ start, end }) => text.slice(start, end)).join('\n');
      events.push({ ...(name === undefined ? {} : { name }), data, lines });
    }
    name = undefined;
    lines = [];
  };
  for (const { start, end } of linesOf(text, isBeginning)) {
    if (start === end) {
      dispatch();
      continue;
    }
    const line = text.slice(start, end);
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const valueAt = colon < 0 ? line.length : line[colon + 1] === ' ' ? colon + 2 : colon + 1;
    if (field === 'data') lines.push({ start: start + valueAt, end });
    else if (field === 'event') name = line.slice(valueAt);
    if (field !== 'data' && !PLAIN_LINE.test(line)) otherLines.push({ data: line, lines: [{ start, end }] });
  }
  dispatch();
  return { events, otherLines };
}

/** Ranges of an event's data as ranges of the stream's text. What spans several data lines becomes one line. */
export function dataEdits(event: SseEvent, edits: readonly TextEdit[]): TextEdit[] {
  return edits.map(({ start, end, replacement }) => ({
    start: textOffset(event, start, 'start'),
    end: textOffset(event, end, 'end'),
    replacement,
  }));
}

/** A place between two lines counts as the start of the later one for a start, as the end of the earlier for an end. */
function textOffset(event: SseEvent, offset: number, edge: 'start' | 'end'): number {
  let before = 0;
  for (const { start, end } of event.lines) {
    const length = end - start;
    if (offset < before + length || (offset === before + length && (edge === 'end' || isLast(event, end)))) {
      return start + offset - before;
    }
    before += length + 1;
  }
  throw new RangeError('an edit lies outside its event');
}

function isLast(event: SseEvent, end: number): boolean {
  return event.lines.at(-1)?.end === end;
}

function* linesOf(text: string, isBeginning: boolean): Generator<{ start: number; end: number }> {
  let start = isBeginning && text.startsWith('\ufeff') ? 1 : 0;
  const lineEnd = /\r\n|\n|\r/g;
  for (;;) {
    lineEnd.lastIndex = start;
    const match = lineEnd.exec(text);
    if (match === null) break;
    yield { start, end: match.index };
    start = match.index + match[0].length;
  }
  if (start < text.length) yield { start, end: text.length };
}

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
