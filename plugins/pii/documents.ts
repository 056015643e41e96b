import type { Pattern } from '../../src/core/plugin-api.js';
import { identifier } from './identifier.js';
import { passesIcaoCheck } from './national/europe-west.js';
import { LIST_HEAD, LIST_TAIL, isPartOfNumber } from './number-edges.js';

export type DocumentCode = 'PASSPORT' | 'DRIVER_LICENSE';

const PASSPORT_WORDS = [
  'passport*',
  'travel document',
  'reisepass*',
  'passnummer',
  'pass-nr',
  'pasaporte',
  'passeport',
  'passaporto',
  'paszport*',
  'paspoort*',
  'passaporte',
  '여권*',
  '护照',
  '護照',
  'パスポート',
  'паспорт*',
];
const LICENSE_WORDS = [
  'driver license',
  "driver's license",
  'drivers license',
  'driving license',
  'driving licence',
  'driver licence',
  'license',
  'licence',
  'license number',
  'licence number',
  'dl',
  'dl number',
  'führerschein*',
  'fuehrerschein*',
  'permis de conduire',
  'permiso de conducir',
  'patente',
  '운전면허*',
  'prawo jazdy',
  'carteira de motorista',
  'carteira de habilitação',
  'cnh',
  'rijbewijs*',
];

/** These patterns are tried at every place after their word, also within the next one. */
const NO_WORD = '(?<![A-Za-z0-9])';

/** Formats as printed by the issuing states. Most are only a few letters and digits, so the document must be named by a word. */
export const DOCUMENT_PATTERNS: readonly Pattern<DocumentCode>[] = [
  {
    code: 'PASSPORT',
    regex: new RegExp(
      NO_WORD +
        LIST_HEAD +
        String.raw`(?:[A-Z]{1,3}\d{6,9}|\d{9}|[A-Z]\d{3}[A-Z]\d{4}|\d{2}[A-Z]{2}\d{5}|\d{2} ?\d{2} \d{6}|[CFGHJK][CFGHJKLMNPRTVWXYZ0-9]{8}\d?)` +
        LIST_TAIL,
      'i',
    ),
    trigger: { on: 'context' },
    score: 0.1,
    context: { words: PASSPORT_WORDS, windowUnits: 45 },
    contextScore: 0.85,
    validate: (match, info) => /\d/.test(match) && !isPartOfNumber(match, info, false),
  },
  identifier({
    code: 'PASSPORT',
    shape: '[CFGHJK][CFGHJKLMNPRTVWXYZ0-9]{7}[0-9]',
    strength: 'weak',
    words: PASSPORT_WORDS,
    check: (match) => passesIcaoCheck(match.toUpperCase()),
    token: 'mixed',
  }),
  {
    code: 'PASSPORT',
    // The lines for machines (ICAO Doc 9303): two of 44 places in a passport, three of 30 on a card, two of 36 on a visa.
    regex:
      /(?<![A-Z0-9<])(?:P[A-Z<][A-Z]{3}[A-Z<]{39}\s{1,4}[A-Z0-9<]{44}|[IAC][A-Z<][A-Z]{3}[A-Z0-9<]{25}\s{1,4}[A-Z0-9<]{30}\s{1,4}[A-Z<]{30}|V[A-Z<][A-Z]{3}[A-Z<]{31}\s{1,4}[A-Z0-9<]{36})(?![A-Z0-9<])/,
    trigger: { on: 'literals', literals: ['<<'], before: 90 },
    score: 0.95,
    validate: (match) => match.includes('<<') && /\d/.test(match),
  },
  {
    code: 'DRIVER_LICENSE',
    regex: new RegExp(
      NO_WORD +
        LIST_HEAD +
        String.raw`(?:[A-Z]{1,3}[- ]?\d{3}[- ]?\d{3,4}(?:[- ]?\d{2,5}){0,2}|[A-Z]{1,2}\d{4,14}[A-Z]?|\d{7,14}|\d{2}-\d{2}-\d{6}-\d{2}|[A-Z]\d{2}-\d{2}-\d{4}|\d{2,3}-\d{3}-?\d{3,4}|\d{3} \d{3} \d{3}|[A-Z0-9]{11})` +
        LIST_TAIL,
      'i',
    ),
    trigger: { on: 'context' },
    score: 0.1,
    context: { words: LICENSE_WORDS, windowUnits: 35 },
    contextScore: 0.7,
    validate: (match, info) => (match.match(/\d/g)?.length ?? 0) >= 4 && !isPartOfNumber(match, info, false),
  },
  identifier({
    code: 'DRIVER_LICENSE',
    // DVLA (United Kingdom): five of the surname, decade, month (women 5 more), day, year, initials, check.
    shape: '[A-Z]{1,5}9{0,4}[0-9][0156][0-9][0-3][0-9]{2}[A-Z9]{2}[0-9A-Z]{3}',
    strength: 'strong',
    words: LICENSE_WORDS,
    check: (match) => match.length === 16,
    token: 'mixed',
  }),
  identifier({
    code: 'DRIVER_LICENSE',
    // Italy: two letters, seven digits, a letter; or the U1 series.
    shape: String.raw`[A-HJ-Z]{2}\d{7}[A-Z]|U1(?:[BCDFGHLJKMNPRSTUWYXZ0-9]){7}[A-Z]`,
    strength: 'format',
    words: [...LICENSE_WORDS, 'patente di guida'],
    token: 'mixed',
  }),
  identifier({
    code: 'DRIVER_LICENSE',
    // Korea: region 11 to 28, year, serial, check.
    shape: String.raw`(?:1[1-9]|2[0-8])-?\d{2}-?\d{6}-?\d{2}`,
    strength: 'format',
    words: LICENSE_WORDS,
  }),
];
