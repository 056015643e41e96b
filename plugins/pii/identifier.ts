import type { MatchInfo, Pattern } from '../../src/core/plugin-api.js';
import { LIST_HEAD, LIST_TAIL, isPartOfNumber } from './number-edges.js';

/**
 * The reliability of a match without context.
 *
 * - `strong`: a checksum that at most 1 in 20 random numbers passes, or a format that is nearly unique.
 * - `weak`: a check digit that 1 in 10 or 11 random numbers passes.
 * - `format`: a shape shared with many other kinds of values.
 */
export type Strength = 'strong' | 'weak' | 'format';

/** The scores reported to policies; below 0.5 a match is a guess. */
export const SCORES = {
  strong: { running: 0.7, alone: 0.75, context: 0.95 },
  weak: { running: 0.3, alone: 0.5, context: 0.9 },
  format: { running: 0.1, alone: 0.5, context: 0.9 },
} as const;

/** Boundaries that exclude matches inside a longer number, identifier, path or decimal. */
export const HEAD = String.raw`(?<![A-Za-z0-9][-_.])(?<![\d@#$][/:,]?)`;
export const TAIL = String.raw`(?![A-Za-z0-9_@]|[-./:,]\d)`;

/**
 * A line end within a number that is printed in groups, with the spaces next to it and the marks of quotations in mails. It ends before the
 * next group.
 */
export const WRAP = String.raw`[ ]?(?:\r\n|\n|\r)[ \t]{0,8}(?:[>|][ \t]?){0,4}`;
/** The maximum length of such a line end. */
export const WRAP_UNITS = 19;

/**
 * Whether words precede a number in its line. Only then can a line be so long that the number is wrapped; in tables, numbers begin their
 * lines or follow other numbers.
 */
export function followsWords({ text, start }: Pick<MatchInfo, 'text' | 'start'>): boolean {
  return /[A-Za-z][^\r\n\d]{0,31}$/.test(text.slice(Math.max(0, start - 32), start));
}

export interface Identifier<Code extends string> {
  readonly code: Code;
  /** Source of a regular expression without boundaries; case is ignored. */
  readonly shape: string;
  readonly strength: Strength;
  readonly words: readonly string[];
  readonly check?: (match: string) => boolean;
  /** A failed check lowers the score to 0.5 instead of dropping the match, for formats that are rare otherwise. */
  readonly lenient?: boolean;
  /** Printed grouping that raises the score of a weak match; default: any separator inside it. */
  readonly grouped?: RegExp;
  /** Kind of its first run of letters and digits, see `Trigger`. Default `digit`. */
  readonly token?: 'digit' | 'mixed' | 'capital';
  readonly windowUnits?: number;
}

/**
 * Whether the text consists only of the match, apart from white space and punctuation. False under a JSON key, since the key then
 * describes the value.
 */
export function standsAlone(info: Pick<MatchInfo, 'text' | 'start' | 'end' | 'key'>): boolean {
  if (info.key !== undefined) return false;
  const around = info.text.length - (info.end - info.start);
  return around <= 4 && /^[\s"'.;]{0,4}$/.test(info.text.slice(0, info.start) + info.text.slice(info.end));
}

/** A date after a number: that of a birth, or of the expiry of a card. */
const DATE_AFTER = /^ (?:\d{1,2}\/(?:\d{2}|\d{4})|\d{1,4}([-/.])\d{1,2}\1\d{1,4})(?![\d/-])/;

/** Whether another group of digits precedes or follows after one space: the match is then part of a longer row, unless a date follows. */
export function isPartOfLongerRow({ text, start, end }: Pick<MatchInfo, 'text' | 'start' | 'end'>): boolean {
  const after = text.slice(end, end + 16);
  return (/^ \d/.test(after) && !DATE_AFTER.test(after)) || /\d $/.test(text.slice(Math.max(0, start - 2), start));
}

/** Builds the pattern of an identifier from its shape, its check and the words that name it. */
export function identifier<Code extends string>(id: Identifier<Code>): Pattern<Code> {
  const token = id.token ?? 'digit';
  const scores = SCORES[id.strength];
  const grouped = id.grouped ?? /[ ./-]/;
  return {
    code: id.code,
    regex: new RegExp(LIST_HEAD + '(?:' + id.shape + ')' + LIST_TAIL, 'i'),
    trigger: { on: 'token', token },
    score: scores.running,
    context: { words: id.words, windowUnits: id.windowUnits ?? 50 },
    contextScore: scores.context,
    ...(id.check === undefined || id.lenient === true ? {} : { accepts: id.check }),
    validate: (match, info) => {
      if (match.includes(' ') && isPartOfLongerRow(info)) return false;
      if (isPartOfNumber(match, info, id.strength === 'strong')) return false;
      if (id.lenient === true && id.check?.(match) === false) return 0.5;
      if (info.inContext) return scores.context;
      if (standsAlone(info)) return scores.alone;
      if (id.strength === 'weak' && grouped.test(match)) return 0.5;
      if (token !== 'digit' && match !== match.toUpperCase()) return scores.running / 2;
      return scores.running;
    },
  };
}

const MONTH_DAYS: readonly number[] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether two-digit month and day can be a date; February has 29 days, since the century is unknown. */
export function isMonthDay(month: number, day: number): boolean {
  const days = MONTH_DAYS[month - 1];
  return days !== undefined && day >= 1 && day <= days;
}

/** The letters and digits of a match in upper case, without separators. */
export function compact(match: string): string {
  return match.replace(/[^A-Za-z0-9]/g, '').toUpperCase();
}
