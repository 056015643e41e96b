import { digitsOf, type Pattern } from '../../src/core/plugin-api.js';
import { HEAD, TAIL, WRAP, isPartOfLongerRow, standsAlone } from './identifier.js';
import { LIST_HEAD, LIST_TAIL, isPartOfNumber } from './number-edges.js';

export type UnitedStatesCode = 'US_SSN' | 'US_ITIN';

const SSN_WORDS = ['ssn', 'ssns', 'social', 'social security', 'soc sec', 'ss#', 'social security number'];
const ITIN_WORDS = ['itin', 'tin', 'tax id', 'taxpayer*', 'individual taxpayer'];

/**
 * Numbers printed in advertisements, void by the Social Security Administration. Without context they are examples; called an SSN, they
 * are often typed to test a guardrail or in place of a real number.
 */
const VOID = new Set(['078051120', '219099999', '457555462', '123456789']);

/** Social Security Administration, POMS RM 10201: areas 000, 666 and 900-999, group 00 and serial 0000 are never assigned. */
function isSsn(digits: string): boolean {
  return !/^(?:000|666|9)/.test(digits) && !/^\d{3}00/.test(digits) && !digits.endsWith('0000');
}

/** Internal Revenue Service, Publication 1915: 9, then a fourth and fifth digit of 50-65, 70-88, 90-92 or 94-99. */
function isItin(digits: string): boolean {
  const group = Number(digits.slice(3, 5));
  const known = (group >= 50 && group <= 65) || (group >= 70 && group <= 88) || (group >= 90 && group !== 93);
  return digits.startsWith('9') && known;
}

function grouped(
  code: UnitedStatesCode,
  words: readonly string[],
  check: (digits: string) => boolean,
): Pattern<UnitedStatesCode> {
  return {
    code,
    regex: new RegExp(
      LIST_HEAD +
        String.raw`(?:\d{3}-\d{2}-\d{4}|\d{3} \d{2} \d{4}|\d{3}\.\d{2}\.\d{4}|\d{3} - \d{2} - \d{4}|\d{3}[_/]\d{2}[_/]\d{4}|\d{9})` +
        LIST_TAIL,
    ),
    trigger: { on: 'token', token: 'digit', minDigits: 9 },
    score: 0.1,
    context: { words, windowUnits: 40 },
    contextScore: 0.95,
    validate: (match, info) => {
      const digits = digitsOf(match).join('');
      if (isPartOfNumber(match, info, match.includes('-'))) return false;
      // People sometimes call an ITIN or an invented number their SSN.
      if (code === 'US_SSN' && info.inContext && match.includes('-') && digits.startsWith('9')) return 0.6;
      if (!check(digits)) return false;
      if (info.inContext) return 0.95;
      // Parts of a path or of a name can look alike.
      if (/[_/]/.test(match)) return false;
      if (VOID.has(digits)) return false;
      if (match.includes('-')) return 0.85;
      if (match.length > 9) return 0.7;
      return standsAlone(info) ? 0.5 : 0.1;
    },
  };
}

/** Numbers in groups that are wrapped once at a space; they are found only near a word that names them. */
function wrapped(
  code: UnitedStatesCode,
  words: readonly string[],
  check: (digits: string) => boolean,
): Pattern<UnitedStatesCode> {
  return {
    code,
    regex: new RegExp(HEAD + String.raw`(?:\d{3}${WRAP}\d{2} \d{4}|\d{3} \d{2}${WRAP}\d{4})` + TAIL),
    trigger: { on: 'token', token: 'digit', minDigits: 3 },
    score: 0,
    context: { words, windowUnits: 40 },
    contextScore: 0.95,
    validate: (match, info) => !isPartOfLongerRow(info) && check(digitsOf(match).join('')),
  };
}

export const UNITED_STATES_PATTERNS: readonly Pattern<UnitedStatesCode>[] = [
  grouped('US_SSN', SSN_WORDS, isSsn),
  grouped('US_ITIN', ITIN_WORDS, isItin),
  wrapped('US_SSN', SSN_WORDS, isSsn),
  wrapped('US_ITIN', ITIN_WORDS, isItin),
];
