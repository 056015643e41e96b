/** No library for event streams is used: they report no positions of data, and they drop lines that lenient clients still read. */
import { isIdentifierOf, isPlainOf } from '../call/scalar-forms.js';
import { ownCopy } from '../detection/engine/own-copy.js';
import { append, atOnce, isStop, type Steps } from '../steps/steps.js';
import type { TextEdit } from '../text/edit.js';

/** One server-sent event, with the positions of its data in the stream's text. */
export interface SseEvent {
  /** The `event:` field. */
  readonly name?: string;
  /** The `data:` lines, joined with line feeds. */
  readonly data: string;
  /** The range of each data line's value; half-open ranges in UTF-16 code units. */
  readonly lines: readonly { readonly start: number; readonly end: number }[];
}

/** A parsed event stream. */
export interface SseStream {
  readonly events: readonly SseEvent[];
  /** Lines that are neither data nor a plain field, each as an event: comments, and text that is not an event stream. */
  readonly otherLines: readonly SseEvent[];
}

/**
 * Data in a line that is not a data line by the standard: after white space, in capitals, or after a character that Python's `splitlines`
 * treats as a line end; many clients split streams with this function.
 */
const LENIENT_DATA = /(?:^|[\v\f\x1c-\x1e\x85\u2028\u2029])[^\S\v\f\u2028\u2029]*data\s*:\s*/gi;
const HOLDS_LENIENT_DATA = new RegExp(LENIENT_DATA.source, 'i');
const OTHER_LINE_END = /[\s\x1c-\x1e\x85]/;
/** Fields of an event besides its data. */
const FIELDS: ReadonlySet<string> = new Set(['event', 'id', 'retry']);
/** The usual names of events: words of letters, joined by signs or capitals. */
const EVENT_NAME = /^[a-z]{0,15}(?:[_.-][a-z]{1,15}|[A-Z][a-z]{1,14}){0,7}$/;
/** Counts of events, and pauses. Longer numbers can be numbers of cards and people. */
const COUNT = /^[0-9]{1,8}$/;
/** Ids that some servers give to events. The prefix of another identifier has the same form. */
const EVENT_ID = /^evt_(?=[A-Za-z0-9]{1,64}$)/;

/**
 * Parses an event stream (WHATWG HTML, section 9.2.6): lines end with CR, LF or CRLF, a byte order mark may precede them, and comments and
 * unknown fields belong to no event. Unlike in a browser, a last event without an empty line after it is included, because a lenient client
 * reads its text.
 * @param isBeginning whether the text is the beginning of a stream: only there, a byte order mark is not a part of the text
 */
export function parseSse(text: string, isBeginning = true): SseStream {
  return atOnce(parsingSse(text, isBeginning));
}

/** Like `parseSse`, but in steps. */
export function* parsingSse(text: string, isBeginning = true): Steps<SseStream> {
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
  let count = 0;
  for (const { start, end } of linesOf(text, isBeginning)) {
    if (isStop(count++)) yield;
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
    if (field !== 'data' && !isPlainField(field, line.slice(valueAt))) append(otherLines, linesWithin(line, start));
  }
  dispatch();
  return { events, otherLines };
}

/**
 * Whether a line besides the data of an event can contain no text: a field with its usual value, or an empty comment. Any other value may be
 * a credential.
 */
export function isPlainField(field: string, value: string): boolean {
  if (!FIELDS.has(field)) return field === '' && value.trim() === '';
  if (field === 'event' ? EVENT_NAME.test(value) : COUNT.test(value)) return true;
  return isPlainOf(field, value) || (field === 'id' && isIdentifierOf(field, value.replace(EVENT_ID, 'item_')));
}

/** Whether lenient clients find a data line in a text. */
export function holdsDataLine(text: string): boolean {
  return HOLDS_LENIENT_DATA.test(text);
}

/** Splits a line into the parts that lenient clients take for data, and the text before them; each becomes an event. */
export function linesWithin(line: string, start: number): SseEvent[] {
  const parts: SseEvent[] = [];
  let from = 0;
  const add = (end: number): void => {
    let to = end;
    while (to > from && OTHER_LINE_END.test(line[to - 1]!)) to--;
    if (to > from) parts.push({ data: line.slice(from, to), lines: [{ start: start + from, end: start + to }] });
  };
  for (const { index, 0: mark } of line.matchAll(LENIENT_DATA)) {
    add(index);
    from = index + mark.length;
  }
  add(line.length);
  return parts;
}

const DATA = 'data: ';
const LINE_END = '\n';

/**
 * Reads the most common block of a stream: one line of data and the empty line after it. Undefined for any other text.
 */
function oneEvent(text: string): SseEvent | undefined {
  const end = text.length - 2;
  if (!text.startsWith(DATA) || text.indexOf(LINE_END) !== end || !text.endsWith(LINE_END) || text.includes('\r'))
    return undefined;
  return { data: text.slice(DATA.length, end), lines: [{ start: DATA.length, end }] };
}

/**
 * Converts ranges of an event's data to ranges of the stream's text. A range over several data lines becomes one line.
 */
export function dataEdits(event: SseEvent, edits: readonly TextEdit[]): TextEdit[] {
  if (edits.length === 0) return [];
  const starts = lineStarts(event);
  return edits.map(({ start, end, replacement }) => ({
    start: textOffset(event, starts, start, 'start'),
    end: textOffset(event, starts, end, 'end'),
    replacement,
  }));
}

/** The position at which each data line begins in an event's data. */
function lineStarts({ lines }: SseEvent): number[] {
  let next = 0;
  return lines.map(({ start, end }) => {
    const own = next;
    next += end - start + 1;
    return own;
  });
}

/**
 * Converts an offset in an event's data to an offset in the stream's text. Between two lines, the start of a range is mapped to the
 * beginning of the later line, and the end of a range to the end of the earlier line.
 */
function textOffset(event: SseEvent, starts: readonly number[], offset: number, edge: 'start' | 'end'): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= offset) low = middle + 1;
    else high = middle;
  }
  const at = low - 1;
  const { start, end } = event.lines[at] ?? { start: 0, end: -1 };
  const within = offset - (starts[at] ?? 0);
  if (within > end - start) throw new RangeError('an edit lies outside its event');
  // A range that begins at a line's end begins with the next line.
  if (within === end - start && edge === 'start' && at + 1 < starts.length) return event.lines[at + 1]!.start;
  return start + within;
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

/** Finds the line ends of a text: CR, LF or CRLF. Each character is read once, whatever line ends the text has. */
class LineEnds {
  /** The next position of each of the two characters; -1 if there is none. */
  private carriageReturn: number;
  private lineFeed: number;

  /** @param from the position from which line ends are searched */
  constructor(
    private readonly text: string,
    from: number,
  ) {
    this.carriageReturn = text.indexOf('\r', from);
    this.lineFeed = text.indexOf(LINE_END, from);
  }

  /** The end of the line at a position; -1 if the line does not end. Positions must not decrease from call to call. */
  after(place: number): number {
    const { text } = this;
    if (this.carriageReturn >= 0 && this.carriageReturn < place) this.carriageReturn = text.indexOf('\r', place);
    if (this.lineFeed >= 0 && this.lineFeed < place) this.lineFeed = text.indexOf(LINE_END, place);
    const isReturn = this.carriageReturn >= 0 && (this.lineFeed < 0 || this.carriageReturn < this.lineFeed);
    return isReturn ? this.carriageReturn : this.lineFeed;
  }

  /** The beginning of the next line. */
  next(end: number): number {
    return this.text.startsWith('\r\n', end) ? end + 2 : end + 1;
  }
}

/**
 * Cuts an event stream that arrives in pieces into blocks: the lines of one event with the empty line that ends it, or a
 * single empty line. All blocks together are the stream, character for character (WHATWG HTML, section 9.2.6).
 */
export class SseBlocks {
  /** The received lines of the incomplete block: they are joined once, however many there are. */
  private lines: string[] = [];
  /** The incomplete line. */
  private rest = '';
  private endsInReturn = false;

  /** Returns the blocks that this piece completes. */
  push(piece: string): string[] {
    this.rest += piece;
    // Searching a long line again with each of its pieces would take quadratic time.
    const hasLineEnd = this.endsInReturn || /[\r\n]/.test(piece);
    if (piece !== '') this.endsInReturn = piece.endsWith('\r');
    return hasLineEnd ? this.complete(false) : [];
  }

  /** Returns the remaining blocks. The last one may be an event without an empty line, which a lenient client reads. */
  end(): string[] {
    const blocks = this.complete(true);
    const last = this.block(this.rest);
    if (last !== '') blocks.push(last);
    this.rest = '';
    this.endsInReturn = false;
    return blocks;
  }

  private complete(atEnd: boolean): string[] {
    const blocks: string[] = [];
    const text = this.rest;
    const ends = new LineEnds(text, 0);
    let blockStart = 0;
    let lineStart = 0;
    for (let end = ends.after(0); end >= 0; end = ends.after(lineStart)) {
      const next = ends.next(end);
      // The line feed of this line end may still follow.
      if (text[end] === '\r' && next === text.length && next === end + 1 && !atEnd) break;
      const isEmpty = end === lineStart;
      lineStart = next;
      if (!isEmpty) continue;
      blocks.push(this.block(text.slice(blockStart, next)));
      blockStart = next;
    }
    if (lineStart > blockStart) this.lines.push(ownCopy(text.slice(blockStart, lineStart)));
    if (lineStart > 0) this.rest = lineStart === text.length ? '' : ownCopy(text.slice(lineStart));
    return blocks;
  }

  /** The lines so far with the text that completes them. */
  private block(last: string): string {
    if (this.lines.length === 0) return last;
    const { lines } = this;
    this.lines = [];
    return lines.join('') + last;
  }
}
