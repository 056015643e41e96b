import type { FastifyRequest } from 'fastify';
import { invalidRequest, jsonText, LINES_TYPES } from '../http/index.js';

/** The maximum number of events in one batch. */
export const MOST_EVENTS = 1_000;

/**
 * The JSON texts of the events of a batch: the members of an array, or the lines of a text. They are split but not parsed: an invalid
 * event gets its own answer.
 *
 * @throws WeirError `invalid_request` for a body that is neither, and for too few or too many events
 */
export function eventTexts(request: FastifyRequest): string[] {
  const { text, type } = jsonText(request, LINES_TYPES);
  const texts = type === 'lines' ? linesOf(text) : membersOf(text);
  if (texts === undefined)
    throw invalidRequest([{ path: '', message: 'must be a JSON array' }], 'The body is not a JSON array');
  if (texts.length === 0) throw invalidRequest([{ path: '', message: 'must contain an event' }], 'The batch is empty');
  if (texts.length > MOST_EVENTS) {
    const message = `must contain at most ${MOST_EVENTS} events`;
    throw invalidRequest([{ path: '', message }], 'The batch is too long');
  }
  return texts;
}

const SPACE = /\s*/y;

/** Blank lines are skipped: many writers end a file with one. Of a text with too many lines, one line more than permitted is returned. */
function linesOf(text: string): string[] {
  const lines: string[] = [];
  for (let at = nextLine(text, 0); at < text.length && lines.length <= MOST_EVENTS;) {
    const feed = text.indexOf('\n', at);
    const end = feed === -1 ? text.length : feed;
    lines.push(text.slice(at, end).replace(/\r$/, ''));
    at = nextLine(text, end);
  }
  return lines;
}

/** The beginning of the next line that is not blank. Millions of line feeds are skipped at once. */
function nextLine(text: string, from: number): number {
  SPACE.lastIndex = from;
  SPACE.test(text);
  const { lastIndex } = SPACE;
  return lastIndex === text.length ? lastIndex : Math.max(from, text.lastIndexOf('\n', lastIndex - 1) + 1);
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * The texts between the commas of a JSON array (RFC 8259, section 5). Each character is read once: a regular expression for strings would
 * begin again at each quotation mark of a string without an end.
 * @returns undefined for a text that is not an array. Mismatched brackets inside a member are found when it is parsed
 */
export function membersOf(text: string): string[] | undefined {
  const from = /^[ \t\r\n]*\[/.exec(text)?.[0].length;
  if (from === undefined) return undefined;
  const members: string[] = [];
  let begin = from;
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      if (end === undefined) return undefined;
      at = end;
    } else if (code === OPEN_BRACKET || code === OPEN_BRACE) depth += 1;
    else if (depth > 0) depth -= code === CLOSE_BRACKET || code === CLOSE_BRACE ? 1 : 0;
    else if (code === COMMA || code === CLOSE_BRACKET) {
      members.push(text.slice(begin, at));
      begin = at + 1;
      if (code === CLOSE_BRACKET) return isBlank(text.slice(begin)) ? withoutNone(members) : undefined;
      if (members.length > MOST_EVENTS) return members;
    }
  }
  return undefined;
}

/** The position of the quotation mark that ends the string which begins at `start`; undefined if it has no end. */
function endOfString(text: string, start: number): number | undefined {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return undefined;
}

/** `[]` has no member, although the split returns one empty text. */
function withoutNone(members: string[]): string[] {
  return members.length === 1 && isBlank(members[0]!) ? [] : members;
}

function isBlank(text: string): boolean {
  return /^[ \t\r\n]*$/.test(text);
}
