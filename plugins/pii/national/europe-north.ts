import { allSame, digitsOf, passesLuhn, weightedSum, type Pattern } from '../../../src/core/plugin-api.js';
import { compact, identifier, isMonthDay } from '../identifier.js';

/** National identifiers of the British Isles, the Nordic and the Baltic countries. Formats after each issuing authority. */
export type NorthCode =
  | 'UK_NHS'
  | 'UK_NINO'
  | 'UK_VEHICLE_REGISTRATION'
  | 'IE_PPS'
  | 'SE_PERSONNUMMER'
  | 'SE_ORGANISATIONSNUMMER'
  | 'FI_PERSONAL_IDENTITY_CODE'
  | 'NO_FODSELSNUMMER'
  | 'DK_CPR'
  | 'EE_ISIKUKOOD'
  | 'LT_ASMENS_KODAS';

/** NHS Data Dictionary, "NHS number": weights 10 to 2, modulus 11. */
function isNhs(match: string): boolean {
  const digits = digitsOf(match);
  const check = 11 - (weightedSum(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11);
  return !allSame(digits) && check !== 10 && check % 11 === digits[9];
}

/**
 * Revenue (Ireland): weights 8 to 2, a second letter counts nine times its position in the alphabet; modulus 23 yields the check
 * letter.
 */
function isPps(match: string): boolean {
  const text = compact(match);
  const second = text.length > 8 && text[8] !== 'W' ? text.charCodeAt(8) - 64 : 0;
  const rest = (weightedSum(digitsOf(text), [8, 7, 6, 5, 4, 3, 2]) + 9 * second) % 23;
  return text[7] === 'WABCDEFGHIJKLMNOPQRSTUV'[rest];
}

/** Skatteverket: Luhn over the last ten digits; a coordination number adds 60 to the day. */
function isPersonnummer(match: string): boolean {
  const digits = digitsOf(match);
  const from = digits.length - 10;
  const day = digits[from + 4]! * 10 + digits[from + 5]!;
  const date = isMonthDay(digits[from + 2]! * 10 + digits[from + 3]!, day > 60 ? day - 60 : day);
  return date && passesLuhn(digits.slice(from));
}

/** Digital and Population Data Services Agency (Finland): nine digits modulus 31. */
function isHetu(match: string): boolean {
  const text = compact(match.replace(/[-+]/, '-'));
  const digits = digitsOf(match.slice(0, -1));
  const number = digits.reduce((sum, digit) => sum * 10 + digit, 0);
  const date = isMonthDay(digits[2]! * 10 + digits[3]!, digits[0]! * 10 + digits[1]!);
  return date && text.at(-1) === '0123456789ABCDEFHJKLMNPRSTUVWXY'[number % 31];
}

/** Skatteetaten (Norway): two check digits modulus 11; a D-number adds 40 to the day. */
function isFodselsnummer(match: string): boolean {
  const digits = digitsOf(match);
  const day = (digits[0]! * 10 + digits[1]!) % 40;
  const first = weightedSum(digits, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11;
  const second = weightedSum(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11;
  return isMonthDay((digits[2]! * 10 + digits[3]!) % 40, day) && first === 0 && second === 0;
}

function isCpr(match: string): boolean {
  const digits = digitsOf(match);
  return isMonthDay(digits[2]! * 10 + digits[3]!, digits[0]! * 10 + digits[1]!);
}

/** Estonian and Lithuanian personal code: modulus 11 with weights 1 to 9 and 1, then 3 to 9 and 1 to 3. */
function isBalticCode(match: string): boolean {
  const digits = digitsOf(match);
  let check = weightedSum(digits, [1, 2, 3, 4, 5, 6, 7, 8, 9, 1]) % 11;
  if (check === 10) check = weightedSum(digits, [3, 4, 5, 6, 7, 8, 9, 1, 2, 3]) % 11;
  return isMonthDay(digits[3]! * 10 + digits[4]!, digits[5]! * 10 + digits[6]!) && check % 10 === digits[10];
}

/** HM Revenue & Customs, NIM39110: excludes prefixes that are never issued; six digits, suffix A to D. */
function nino(middle: string, token: 'mixed' | 'capital'): Pattern<NorthCode> {
  return identifier({
    code: 'UK_NINO',
    shape: `(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]${middle}[A-D]`,
    strength: 'strong',
    words: ['national insurance', 'ni number', 'nino', 'insurance number'],
    check: (match) => !allSame(digitsOf(match)),
    token,
  });
}

export const NORTH_PATTERNS: readonly Pattern<NorthCode>[] = [
  identifier({
    code: 'UK_NHS',
    shape: String.raw`\d{3}[ -]?\d{3}[ -]?\d{4}`,
    strength: 'weak',
    words: ['nhs', 'national health*', 'health services', 'patient number', 'nhs number'],
    check: isNhs,
  }),
  nino(String.raw`\d{2} ?\d{2} ?\d{2} ?`, 'mixed'),
  nino(String.raw` \d{2} ?\d{2} ?\d{2} ?`, 'capital'),
  identifier({
    code: 'UK_VEHICLE_REGISTRATION',
    shape: String.raw`(?-i:[A-HJ-PR-Y][A-HJ-PR-Y](?:0[2-9]|[12]\d|5[1-9]|[67]\d) ?[A-HJ-PR-Z]{3})`,
    strength: 'format',
    words: ['car', 'vehicle', 'registration', 'reg', 'number plate', 'licence plate', 'vrm', 'plate'],
    token: 'mixed',
  }),
  identifier({
    code: 'IE_PPS',
    shape: String.raw`\d{7}[A-W][A-IW]?`,
    strength: 'strong',
    words: ['pps', 'ppsn', 'personal public service'],
    check: isPps,
  }),
  identifier({
    code: 'SE_PERSONNUMMER',
    shape: String.raw`(?:18|19|20)?\d{6}[-+]?\d{4}`,
    strength: 'weak',
    words: ['personnummer', 'pnr', 'personal identity', 'personal identification', 'samordningsnummer'],
    check: isPersonnummer,
  }),
  identifier({
    code: 'SE_ORGANISATIONSNUMMER',
    shape: String.raw`(?:16)?[1-9]\d[2-9]\d{3}-?\d{4}`,
    strength: 'weak',
    words: ['organisationsnummer', 'orgnummer', 'orgnr', 'org nr'],
    check: (match) => passesLuhn(digitsOf(match).slice(-10)),
  }),
  identifier({
    code: 'FI_PERSONAL_IDENTITY_CODE',
    shape: String.raw`\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]`,
    strength: 'strong',
    words: ['hetu', 'henkilötunnus', 'personal identity code', 'personbeteckning'],
    check: isHetu,
  }),
  identifier({
    code: 'NO_FODSELSNUMMER',
    shape: String.raw`\d{6} ?\d{5}`,
    strength: 'strong',
    words: ['fødselsnummer', 'fodselsnummer', 'personnummer', 'fnr', 'd-nummer'],
    check: isFodselsnummer,
  }),
  identifier({
    code: 'DK_CPR',
    shape: String.raw`\d{6}-?\d{4}`,
    strength: 'format',
    words: ['cpr', 'cpr-nummer', 'cpr-nr', 'personnummer'],
    check: isCpr,
  }),
  identifier({
    code: 'EE_ISIKUKOOD',
    shape: String.raw`[1-6]\d{10}`,
    strength: 'weak',
    words: ['isikukood', 'ik', 'estonian personal code'],
    check: isBalticCode,
  }),
  identifier({
    code: 'LT_ASMENS_KODAS',
    shape: String.raw`[3-6]\d{10}`,
    strength: 'weak',
    words: ['asmens kodas', 'a.k.', 'lithuanian personal code'],
    check: isBalticCode,
  }),
];
