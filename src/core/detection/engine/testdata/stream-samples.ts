import type { Finder, Pattern } from '../pattern.js';

/** Patterns with every kind of trigger, short enough to occur in random texts. */
export type Code = 'TICKET' | 'HANDLE' | 'PIN' | 'AMOUNT' | 'SERIAL' | 'CARD' | 'NOTE' | 'TAIL' | 'TOKEN' | 'KEYED';

export const PATTERNS: readonly (Pattern<Code> | Finder<Code>)[] = [
  {
    code: 'TICKET',
    regex: /(?<![A-Za-z0-9])TK-\d{4}(?!\d)/,
    trigger: { on: 'literals', literals: ['TK-'] },
    score: 0.5,
    context: { words: ['case'], windowUnits: 8 },
  },
  {
    code: 'HANDLE',
    regex: /(?<![a-z])[a-z]{1,8}@[a-z]{2,8}\b/,
    trigger: { on: 'literals', literals: ['@'], before: 8 },
    score: 0.8,
  },
  {
    code: 'PIN',
    regex: /pin ?= ?(\d{4})(?! ?%)/i,
    group: 1,
    trigger: { on: 'literals', literals: ['pin'] },
    score: 0.8,
  },
  { code: 'AMOUNT', regex: /\d{1,4}(?= (?:USD|EUR)\b)/, trigger: { on: 'token', token: 'digit' }, score: 0.6 },
  {
    code: 'SERIAL',
    regex: /(?<![A-Za-z0-9])[A-Z]\d?[A-Z]\d{2}(?!foo\b)/,
    trigger: { on: 'token', token: 'capital' },
    score: 0.7,
  },
  {
    code: 'CARD',
    regex: /(?:\d{2}[ -]?){2,4}(?![ -]?\d)/,
    trigger: { on: 'token', token: 'digit', minDigits: 4 },
    score: 0.4,
    against: { words: ['no'], windowUnits: 4 },
    validate: (match, { text, end }) => (text.startsWith(' off', end) ? false : !match.endsWith('00')),
  },
  {
    code: 'NOTE',
    regex: /[a-z]{2}\d{2}/,
    trigger: { on: 'context' },
    score: 0.3,
    context: { words: ['note'], windowUnits: 6 },
  },
  {
    code: 'TAIL',
    trigger: { on: 'literals', literals: ['#'] },
    maxLength: 6,
    behind: 3,
    find: (text, start) => {
      const match = /^#[a-z]{2,4}!/.exec(text.slice(start, start + 6));
      return match === null ? undefined : { start: Math.max(0, start - 2), end: start + match[0].length, score: 0.9 };
    },
  },
  {
    code: 'TOKEN',
    regex: /(?<![A-Za-z0-9])[A-Za-z0-9]{6}XY[a-z]{2}(?![A-Za-z0-9])/,
    trigger: { on: 'literals', literals: ['XY'], before: 6 },
    score: 0.9,
    sparesWords: 5,
  },
  {
    code: 'KEYED',
    regex: /(?:"|')id(?:"|') ?: ?(?:"([a-z]{2,4}\d)"|none)/,
    group: 1,
    trigger: { on: 'literals', literals: ['id'], before: 1 },
    score: 0.85,
  },
];

/** The parts of random texts. */
export const PARTS = [
  'TK-1234', 'TK-', 'K', 'case ', 'ab@cd', 'a', '@', 'pin = 1234', 'pin', ' = ', '12', '3', '99 USD', ' EU', 'R', 'B2C44',
  'A', 'fo', 'o', ' ', '-', '00', ' of', 'f', 'note', 'xy77', '#abc!', '#', '!', '%', '\u0301', '\u200b', '\\n', '\\u00', '2d',
  'the', ' looked', '4q', 'XY', 'éXYab', '"', 'id', '": "', "'", ' : ', 'abc1', '<', '\u0338', 'ñ',
  'ｔｋ', 'а', '\ud83d', '\ude00', 'no ', '.', '中', 'X', 'i', 'abcdefgh',
]; // prettier-ignore
