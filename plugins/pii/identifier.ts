import type { MatchInfo, Pattern } from '../../src/core/plugin-api.js';

/**
 * How much a match says without any context.
 *
 * - `strong`: a checksum with odds of 1 in 20 or better, or a format that hardly anything else has.
 * - `weak`: a check digit that one number in ten or eleven passes by chance.
 * - `format`: a shape that many other things share.
 */
export type Strength = 'strong' | 'weak' | 'format';

/** What the page of the detector and the policies see: below 0.5 a match is a guess. */
const SCORES = {
  strong: { running: 0.7, alone: 0.75, context: 0.95 },
  weak: { running: 0.3, alone: 0.5, context: 0.9 },
  format: { running: 0.1, alone: 0.5, context: 0.9 },
} as const;

/** Not inside a longer number, identifier, path or decimal. */
export const HEAD = String.raw`(?<![A-Za-z0-9][-_.])(?<![\d@#$][/:,]?)`;
export const TAIL = String.raw`(?![A-Za-z0-9_@]|[-./:,]\d)`;

export interface Identifier<Code extends string> {
  readonly code: Code;
  /** Source of a regular expression without boundaries; case is ignored. */
  readonly shape: string;
  readonly strength: Strength;
  readonly words: readonly string[];
  readonly check?: (match: string) => boolean;
  /** A failed check lowers the score to a bare guess instead of dropping the match: the format is rare enough. */
  readonly lenient?: boolean;
  /** Raises a weak number that is grouped the way it is printed; default: any separator inside the match. */
  readonly grouped?: RegExp;
  /** What its first run of letters and digits is, see `Trigger`. Default `digit`. */
  readonly token?: 'digit' | 'mixed' | 'capital';
  readonly windowUnits?: number;
}

/**
 * Whether nothing but white space and a closing mark stands around the match: then the text is the identifier. Under a
 * JSON key it is the key that says what the text is.
 */
export function standsAlone(info: Pick<MatchInfo, 'text' | 'start' | 'end' | 'key'>): boolean {
  if (info.key !== undefined) return false;
  const around = info.text.length - (info.end - info.start);
  return around <= 4 && /^[\s"'.;]{0,4}$/.test(info.text.slice(0, info.start) + info.text.slice(info.end));
}

/** Whether another group of digits follows or precedes after one space: then the match is a piece of something longer. */
export function isPartOfLongerRow({ text, start, end }: Pick<MatchInfo, 'text' | 'start' | 'end'>): boolean {
  return /^ \d/.test(text.slice(end, end + 2)) || /\d $/.test(text.slice(Math.max(0, start - 2), start));
}

/** A numbered document as a pattern: shape, check, and words that name it. */
export function identifier<Code extends string>(id: Identifier<Code>): Pattern<Code> {
  const token = id.token ?? 'digit';
  const scores = SCORES[id.strength];
  const grouped = id.grouped ?? /[ ./-]/;
  return {
    code: id.code,
    regex: new RegExp(HEAD + '(?:' + id.shape + ')' + TAIL, 'i'),
    trigger: { on: 'token', token },
    score: scores.running,
    context: { words: id.words, windowUnits: id.windowUnits ?? 50 },
    contextScore: scores.context,
    ...(id.check === undefined || id.lenient === true ? {} : { accepts: id.check }),
    validate: (match, info) => {
      if (match.includes(' ') && isPartOfLongerRow(info)) return false;
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

/** Whether two-digit month and day can be a date; February has 29 days here, the century is not known. */
export function isMonthDay(month: number, day: number): boolean {
  const days = MONTH_DAYS[month - 1];
  return days !== undefined && day >= 1 && day <= days;
}

/** The letters and digits of a match, upper case, separators dropped. */
export function compact(match: string): string {
  return match.replace(/[^A-Za-z0-9]/g, '').toUpperCase();
}
