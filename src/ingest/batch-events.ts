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

/** Empty lines are skipped: many writers end a file with one. */
function linesOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== '');
}

/** Brackets, braces and commas of JSON. A string matches as a whole, so that the marks inside it do not count. */
const MARKS = /"(?:[^"\\]|\\[^])*"|[[\]{},]/g;

/**
 * The texts between the commas of a JSON array (RFC 8259, section 5).
 * @returns undefined for a text that is not an array. Mismatched brackets inside a member are found when it is parsed
 */
export function membersOf(text: string): string[] | undefined {
  const from = /^[ \t\r\n]*\[/.exec(text)?.[0].length;
  if (from === undefined) return undefined;
  const members: string[] = [];
  let begin = from;
  let depth = 0;
  MARKS.lastIndex = from;
  for (let mark = MARKS.exec(text); mark !== null; mark = MARKS.exec(text)) {
    const [sign] = mark;
    if (sign === '[' || sign === '{') depth += 1;
    else if (depth > 0) depth -= sign === ']' || sign === '}' ? 1 : 0;
    else if (sign === ',' || sign === ']') {
      members.push(text.slice(begin, mark.index));
      begin = mark.index + 1;
      if (sign === ']') return isBlank(text.slice(begin)) ? withoutNone(members) : undefined;
      if (members.length > MOST_EVENTS) return members;
    }
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
