import { digitsOf, passesLuhn, passesMod97, type Finder, type Pattern } from '../../src/core/plugin-api.js';
import { HEAD, TAIL, WRAP, WRAP_UNITS, followsWords, isPartOfLongerRow, standsAlone } from './identifier.js';
import { CARD_TAIL, LIST_HEAD, isPartOfNumber } from './number-edges.js';

export type FinanceCode = 'CREDIT_CARD' | 'IBAN';

/**
 * Issuer identification ranges: first and last prefix, and the issued lengths. Based on ISO/IEC 7812 and the networks' public pages
 * (Visa, Mastercard, American Express, Discover, Diners Club, JCB, UnionPay, Maestro, RuPay, Mir, Troy, Dankort, UATP, Verve, Elo), as
 * collected in Wikipedia, "Payment card number".
 */
const ISSUERS: readonly (readonly [from: number, to: number, lengths: readonly number[]])[] = [
  [1, 1, [15]],
  [2014, 2014, [15]],
  [2131, 2131, [15]],
  [2149, 2149, [15]],
  [2200, 2204, [16, 17, 18, 19]],
  [2221, 2720, [16]],
  [300, 305, [14, 16, 19]],
  [3095, 3095, [14, 16, 19]],
  [34, 34, [15]],
  [3528, 3589, [15, 16, 17, 18, 19]],
  [36, 36, [14, 15, 16, 17, 18, 19]],
  [37, 37, [15]],
  [38, 39, [14, 16, 17, 18, 19]],
  [4, 4, [13, 16, 18, 19]],
  [50, 50, [12, 13, 14, 15, 16, 17, 18, 19]],
  [51, 55, [16]],
  [56, 59, [12, 13, 14, 15, 16, 17, 18, 19]],
  [60, 69, [12, 13, 14, 15, 16, 17, 18, 19]],
  [81, 82, [16, 17, 18, 19]],
  [9792, 9792, [16]],
];

/** Whether digits can be a payment card: an issuer range with that length, and the Luhn check. */
export function isCardNumber(digits: readonly number[]): boolean {
  // Nine of ten numbers fail this check, which is cheaper than the issuer lookup.
  if (!passesLuhn(digits)) return false;
  const known = ISSUERS.some(([from, to, lengths]) => {
    const first = Number(digits.slice(0, String(from).length).join(''));
    return first >= from && first <= to && lengths.includes(digits.length);
  });
  return known && digits.some((digit) => digit !== digits[0]);
}

/** Lengths by country: SWIFT, "IBAN Registry", release 99. */
const IBAN_LENGTHS: Readonly<Record<string, number>> = Object.fromEntries(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 ' +
    'FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 ' +
    'LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 ' +
    'RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30 ' +
    'AO25 BF28 BJ28 CF27 CG27 CI28 CM27 CV25 DZ26 GA27 GQ27 GW25 IR26 KM27 MA28 MG27 ML28 MZ25 NE28 SN28 TD27 TG28'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

const MAX_IBAN_LINE = 34 + 12;
const MAX_IBAN = MAX_IBAN_LINE + WRAP_UNITS;
/** The length of the country and the check digits, which are on the first line. */
const LEAST_IBAN_LINE = 4;
/** A sign between two groups of an IBAN. */
const SEPARATOR = /[ ._-]/;
/** An IBAN without a line end that is cut off at any place. */
const BEGUN_IBAN =
  /^(?!.*[ ._-]{2})[A-Za-z](?:[A-Za-z](?:[ ._-]?\d){0,2}(?:(?<=\d[ ._-]?\d)[A-Za-z0-9 ._-]*)?[ ._-]?)?$/;
const WRAP_HERE = new RegExp(WRAP, 'y');
const FIRST_WRAP = new RegExp(WRAP);

/** The end of the line end at an offset of an IBAN, if a group follows it; otherwise `at`. */
function wrapEnd(text: string, start: number, at: number): number {
  if (at - start < LEAST_IBAN_LINE || at - start > MAX_IBAN_LINE) return at;
  WRAP_HERE.lastIndex = at;
  return WRAP_HERE.test(text) && /[A-Za-z0-9]/.test(text[WRAP_HERE.lastIndex] ?? '') ? WRAP_HERE.lastIndex : at;
}

/** Reads an IBAN with exactly the country's length; one sign such as a space, and one line end, may stand between its groups. */
function findIban(text: string, start: number): { end: number; score: number } | undefined {
  if (text.charCodeAt(start) < 0x41) return undefined;
  const length = IBAN_LENGTHS[text.slice(start, start + 2).toUpperCase()];
  if (length === undefined) return undefined;
  let compact = '';
  let isWrapped = false;
  let at = start;
  for (; compact.length < length && at < start + MAX_IBAN; at++) {
    const character = text[at] ?? '';
    if (/[A-Za-z0-9]/.test(character)) {
      compact += character;
      continue;
    }
    if (!/[A-Za-z0-9]/.test(text[at - 1]!)) return undefined;
    const end = isWrapped ? at : wrapEnd(text, start, at);
    if (end === at && !SEPARATOR.test(character)) return undefined;
    if (end === at) continue;
    isWrapped = true;
    at = end - 1;
  }
  if (compact.length < length || /[A-Za-z0-9]/.test(text[at] ?? '')) return undefined;
  const oneCase = compact === compact.toUpperCase() || compact === compact.toLowerCase();
  if (!oneCase || !/^[A-Za-z]{2}\d{2}/.test(compact)) return undefined;
  return passesMod97(compact.slice(4) + compact.slice(0, 4)) ? { end: at, score: 0.98 } : undefined;
}

/** The start of a possible IBAN that is truncated by the end of the text. */
function undecidedIban(text: string): number {
  for (let at = Math.max(0, text.length - MAX_IBAN - 1); at < text.length; at++) {
    if (/[A-Za-z]/.test(text[at]!) && !/[A-Za-z0-9]/.test(text[at - 1] ?? '') && mayBecomeIban(text.slice(at)))
      return at;
  }
  return text.length;
}

function mayBecomeIban(rest: string): boolean {
  const text = rest.search(FIRST_WRAP) < LEAST_IBAN_LINE ? rest : rest.replace(FIRST_WRAP, ' ');
  const compact = text.replaceAll(/[ ._-]/g, '');
  if (!BEGUN_IBAN.test(text)) return false;
  if (compact !== compact.toUpperCase() && compact !== compact.toLowerCase()) return false;
  const length = IBAN_LENGTHS[compact.slice(0, 2).toUpperCase()];
  return compact.length < 2 || (length !== undefined && compact.length <= length);
}

/** Cards whose number is wrapped once at a space. */
const WRAPPED_CARD = [
  String.raw`\d{4}${WRAP}\d{4} \d{4} \d{4}`,
  String.raw`\d{4} \d{4}${WRAP}\d{4} \d{4}`,
  String.raw`\d{4} \d{4} \d{4}${WRAP}\d{4}`,
  String.raw`\d{4}${WRAP}\d{6} \d{5}`,
  String.raw`\d{4} \d{6}${WRAP}\d{5}`,
].join('|');

const CARD_WORDS = [
  'card*',
  'credit',
  'debit',
  'visa',
  'mastercard',
  'amex',
  'american express',
  'cc',
  'pan',
  'kreditkarte*',
  'tarjeta',
  'carte',
];

const CARD_SHAPE = String.raw`\d{12,19}|\d{4} \d{4} \d{4} \d{4}(?: \d{3})?|\d{4}-\d{4}-\d{4}-\d{4}(?:-\d{3})?|\d{4}[ -]\d{4}[ -]\d{4}[ -]\d{4}|\d{4}[ -]\d{6}[ -]\d{4,5}|\d{4}[ -]\d{4}[ -]\d{4}[ -]\d{1,3}|\d{6}[ -]\d{7,13}|\d{4}\.\d{4}\.\d{4}\.\d{4}|\d{4}_\d{4}_\d{4}_\d{4}|\d{4}\/\d{4}\/\d{4}\/\d{4}|\d{4} - \d{4} - \d{4} - \d{4}|\d{4} {2,3}\d{4} {2,3}\d{4} {2,3}\d{4}`;

export const FINANCE_PATTERNS: readonly (Pattern<FinanceCode> | Finder<FinanceCode>)[] = [
  {
    code: 'CREDIT_CARD',
    regex: new RegExp(`${LIST_HEAD}(?:${CARD_SHAPE})${CARD_TAIL}`),
    trigger: { on: 'token', token: 'digit', minDigits: 12 },
    score: 0.8,
    context: { words: CARD_WORDS },
    validate: (match, info) => {
      const digits = digitsOf(match);
      if (match.includes(' ') && isPartOfLongerRow(info)) return false;
      // Numbers with several spaces between them are more often the columns of a table.
      if (match.includes('  ') && !info.inContext && !followsWords(info) && !standsAlone(info)) return false;
      // Keys of databases have 13, 14, 18 and 19 digits too, and fill whole columns.
      const isUsual = [15, 16].includes(digits.length) || match.length > digits.length;
      if (isPartOfNumber(match, info, isUsual)) return false;
      // Issuer ranges change, and private ones exist: after a word such as "card" the check digit is enough.
      if (!isCardNumber(digits))
        return info.inContext && passesLuhn(digits) && digits.some((digit) => digit > 0) ? 0.7 : false;
      if (info.inContext) return 0.98;
      return isUsual || standsAlone(info) ? 0.8 : digits.length > 12 ? 0.5 : 0.3;
    },
  },
  {
    code: 'CREDIT_CARD',
    // With its security code behind a space. Without a word that names a card, four groups and more digits are a longer row.
    regex: new RegExp(String.raw`${LIST_HEAD}\d{4} \d{4} \d{4} \d{4}(?= \d{3}(?![\d./-]| \d(?!\d?\/)))`),
    trigger: { on: 'token', token: 'digit', minDigits: 12 },
    score: 0,
    context: { words: CARD_WORDS },
    contextScore: 0.98,
    validate: (match, { text, start }) =>
      !/\d $/.test(text.slice(Math.max(0, start - 2), start)) && isCardNumber(digitsOf(match)),
  },
  {
    code: 'CREDIT_CARD',
    regex: new RegExp(`${HEAD}(?:${WRAPPED_CARD})${TAIL}`),
    trigger: { on: 'token', token: 'digit', minDigits: 4 },
    score: 0.8,
    context: { words: CARD_WORDS },
    validate: (match, info) => {
      if (isPartOfLongerRow(info) || !isCardNumber(digitsOf(match))) return false;
      if (info.inContext) return 0.98;
      return followsWords(info) || standsAlone(info) ? 0.8 : false;
    },
  },
  {
    code: 'IBAN',
    trigger: { on: 'token', token: 'mixed' },
    maxLength: MAX_IBAN + 1,
    behind: 1,
    begins: /[A-Za-z]{2}[ ._-]?\d[ ._-]?\d/,
    find: findIban,
    undecided: undecidedIban,
  },
];
