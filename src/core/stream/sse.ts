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
  const only = oneEvent(text);
  if (only !== undefined) return { events: [only], otherLines: [] };
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

const DATA = 'data: ';
const LINE_END = '\n';

/** What most blocks of a stream are: one line of data, and the empty line behind it. Undefined for any other text. */
function oneEvent(text: string): SseEvent | undefined {
  const end = text.length - 2;
  if (!text.startsWith(DATA) || text.indexOf(LINE_END) !== end || !text.endsWith(LINE_END) || text.includes('\r'))
    return undefined;
  return { data: text.slice(DATA.length, end), lines: [{ start: DATA.length, end }] };
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
  const ends = new LineEnds(text, start);
  for (let end = ends.after(start); end >= 0; end = ends.after(start)) {
    yield { start, end };
    start = ends.next(end);
  }
  if (start < text.length) yield { start, end: text.length };
}

/** Finds where the lines of a text end: with CR, LF or CRLF. Each character is looked at once, whichever of them a text has. */
class LineEnds {
  /** The next of each that was looked for; -1 where there is none. */
  private carriageReturn: number;
  private lineFeed: number;

  /** @param from nobody asks about what is before */
  constructor(
    private readonly text: string,
    from: number,
  ) {
    this.carriageReturn = text.indexOf('\r', from);
    this.lineFeed = text.indexOf(LINE_END, from);
  }

  /** The end of the line that a place is in, from one place to later ones; -1 where it does not end. */
  after(place: number): number {
    const { text } = this;
    if (this.carriageReturn >= 0 && this.carriageReturn < place) this.carriageReturn = text.indexOf('\r', place);
    if (this.lineFeed >= 0 && this.lineFeed < place) this.lineFeed = text.indexOf(LINE_END, place);
    const isReturn = this.carriageReturn >= 0 && (this.lineFeed < 0 || this.carriageReturn < this.lineFeed);
    return isReturn ? this.carriageReturn : this.lineFeed;
  }

  /** Where the next line begins. */
  next(end: number): number {
    return this.text.startsWith('\r\n', end) ? end + 2 : end + 1;
  }
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
    const { text } = this;
    const ends = new LineEnds(text, this.lineStart);
    let blockStart = 0;
    for (let end = ends.after(this.lineStart); end >= 0; end = ends.after(this.lineStart)) {
      const next = ends.next(end);
      // The line feed of this line end may still come.
      if (text[end] === '\r' && next === text.length && next === end + 1 && !atEnd) break;
      const isEmpty = end === this.lineStart;
      this.lineStart = next;
      if (!isEmpty) continue;
      blocks.push(text.slice(blockStart, next));
      blockStart = next;
    }
    if (blockStart > 0) {
      this.text = blockStart === text.length ? '' : ownCopy(text.slice(blockStart));
      this.lineStart -= blockStart;
    }
    return blocks;
  }
}
