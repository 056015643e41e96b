import { JsonSyntaxError, parsingJson, type Steps } from '../core/index.js';

/** Half-open range of a JSON object or list in a text. */
export interface JsonRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The beginning of a value: at the start of a line, optionally after a record separator (RFC 7464) or a prefix as in `9:{…}`. Of several
 * record separators in a row, only the first begins a search: otherwise each search would read all following separators. The separator
 * is matched before the look-behind: once a process has compiled many expressions, V8 omits its fast search for the first character, and
 * would evaluate the look-behind at each space.
 */
const LINE_START = /(?:^|[\n\r]|\x1e(?<!\x1e[ \t]*\x1e))[ \t\x1e]*(?:\w{1,16}:[ \t]*)?(?=[[{])/g;
/** The maximum length of other text before the first value: readers that search for the first bracket find the value. */
const LONGEST_GARBAGE = 64;
/** The number of units that are searched within a few milliseconds. */
const UNITS_AT_ONCE = 65_536;

/**
 * The JSON objects and lists that lenient readers find in a text that is not JSON as a whole: on separate lines, over several
 * lines, directly after each other, after a short prefix, and followed by other text. In steps.
 *
 * @param nonFinite whether `NaN` and infinities are accepted
 * @throws JsonSyntaxError for a value over a limit, because its receiver may accept it as JSON
 */
export function* findingJson(text: string, nonFinite = false): Steps<JsonRange[]> {
  const ranges: JsonRange[] = [];
  let budget = text.length * 2;
  let at = 0;
  let feed = -1;
  let line = 0;
  for (let start = firstStart(text); start >= 0; start = nextStart(text, at)) {
    // Once for each line: a line may contain millions of values.
    if (start > feed) [feed, line] = lineEnd(text, start);
    let end = (yield* isJson(text.slice(start, line), nonFinite)) ? line : -1;
    if (end < 0 && budget > 0) {
      const close = yield* closingBracket(text, start, budget);
      budget -= close.read;
      if (close.end > 0 && (yield* isJson(text.slice(start, close.end), nonFinite))) end = close.end;
    }
    if (end > 0) ranges.push({ start, end });
    at = end > 0 ? end : line > start ? line : start + 1;
    yield;
  }
  return ranges;
}

function firstStart(text: string): number {
  const bracket = text.search(/[[{]/);
  if (bracket < 0) return -1;
  return bracket <= LONGEST_GARBAGE ? bracket : nextStart(text, 0);
}

/** The next beginning of a value: at the start of a line, or directly after the value that was just read. */
function nextStart(text: string, at: number): number {
  if (at > 0) {
    const rest = /^[\s\x1e,]{0,64}/.exec(text.slice(at, at + LONGEST_GARBAGE))![0].length;
    if (text[at + rest] === '{' || text[at + rest] === '[') return at + rest;
  }
  LINE_START.lastIndex = Math.max(at - 1, 0);
  for (let match = LINE_START.exec(text); match !== null; match = LINE_START.exec(text)) {
    const start = match.index + match[0].length;
    if (start >= at) return start;
    LINE_START.lastIndex = Math.max(LINE_START.lastIndex, start + 1);
  }
  return -1;
}

/** The position of the line's end, and the end of the line without white space. */
function lineEnd(text: string, start: number): [feed: number, line: number] {
  const found = text.indexOf('\n', start);
  const feed = found < 0 ? text.length : found;
  let end = feed;
  while (end > start && /\s/.test(text[end - 1]!)) end--;
  return [feed, end];
}

/** The position after the bracket that closes the one at `start`; `end` is -1 if it is not within `most` characters. */
function* closingBracket(
  text: string,
  start: number,
  most: number,
): Steps<{ readonly end: number; readonly read: number }> {
  const limit = Math.min(text.length, start + most);
  let depth = 0;
  for (let at = start, stop = start + UNITS_AT_ONCE; at < limit; at++) {
    if (at >= stop) {
      stop = at + UNITS_AT_ONCE;
      yield;
    }
    const char = text[at];
    if (char === '"') at = closingQuote(text, at, limit);
    else if (char === '{' || char === '[') depth++;
    else if ((char === '}' || char === ']') && --depth === 0) return { end: at + 1, read: at + 1 - start };
  }
  return { end: -1, read: limit - start };
}

function closingQuote(text: string, start: number, limit: number): number {
  for (let at = start + 1; at < limit; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return limit;
}

/** Whether a text is a JSON object or list. @throws JsonSyntaxError for a text that may be JSON, but is over a limit */
function* isJson(text: string, nonFinite: boolean): Steps<boolean> {
  return /[}\]]$/.test(text.slice(-1)) && (yield* checkingJson(text, nonFinite));
}

/** Whether a text is JSON, in steps. @throws JsonSyntaxError for a text that may be JSON, but is over a limit */
export function* checkingJson(text: string, nonFinite = false): Steps<boolean> {
  try {
    yield* parsingJson(text, { nonFinite });
    return true;
  } catch (error) {
    if (error instanceof JsonSyntaxError && !error.overLimit) return false;
    throw error;
  }
}
