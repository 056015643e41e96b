import { digitsOf, passesLuhn, passesMod11Over10, weightedSum, type Pattern } from '../../../src/core/plugin-api.js';
import { identifier, isMonthDay } from '../identifier.js';

/** National identifiers of Central, Eastern and South-Eastern Europe and Turkey. */
export type EastCode =
  | 'PL_PESEL'
  | 'PL_NIP'
  | 'CZ_RODNE_CISLO'
  | 'RO_CNP'
  | 'BG_EGN'
  | 'HR_OIB'
  | 'GR_AMKA'
  | 'RU_SNILS'
  | 'RU_INN'
  | 'TR_NATIONAL_ID'
  | 'TR_LICENSE_PLATE';

/** Ministry of Digital Affairs (Poland): weights 1, 3, 7, 9; the month encodes the century in steps of twenty. */
function isPesel(match: string): boolean {
  const digits = digitsOf(match);
  const month = (digits[2]! * 10 + digits[3]!) % 20;
  const date = isMonthDay(month, digits[4]! * 10 + digits[5]!);
  return date && weightedSum(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0;
}

/** Ustawa o zasadach ewidencji podatników (Poland): modulus 11. */
function isNip(match: string): boolean {
  const digits = digitsOf(match);
  return weightedSum(digits, [6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11 === digits[9];
}

/**
 * Czech and Slovak law on birth numbers: divisible by 11; the month is increased by 50 for women, and by 20 when serial numbers run
 * out.
 */
function isBirthNumber(match: string): boolean {
  const digits = digitsOf(match);
  const month = ((digits[2]! * 10 + digits[3]!) % 50) % 20;
  const date = isMonthDay(month, digits[4]! * 10 + digits[5]!);
  return date && digits.reduce((rest, digit) => (rest * 10 + digit) % 11, 0) === 0;
}

/** Legea 105/1996 (Romania): modulus 11, ten counts as one. */
function isCnp(match: string): boolean {
  const digits = digitsOf(match);
  const check = weightedSum(digits, [2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11;
  const date = isMonthDay(digits[3]! * 10 + digits[4]!, digits[5]! * 10 + digits[6]!);
  return date && (check === 10 ? 1 : check) === digits[12];
}

/** GRAO (Bulgaria): modulus 11; the month encodes the century in steps of twenty. */
function isEgn(match: string): boolean {
  const digits = digitsOf(match);
  const check = (weightedSum(digits, [2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11) % 10;
  return isMonthDay((digits[2]! * 10 + digits[3]!) % 20, digits[4]! * 10 + digits[5]!) && check === digits[9];
}

/** ΗΔΙΚΑ (Greece): a birth date, and Luhn over all digits. */
function isAmka(match: string): boolean {
  const digits = digitsOf(match);
  return isMonthDay(digits[2]! * 10 + digits[3]!, digits[0]! * 10 + digits[1]!) && passesLuhn(digits);
}

/** Social Fund of Russia: weights 9 to 1, modulus 101, hundred counts as zero. */
function isSnils(match: string): boolean {
  const digits = digitsOf(match);
  const check = (weightedSum(digits, [9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101) % 100;
  return check === digits[9]! * 10 + digits[10]!;
}

/** Federal Tax Service (Russia): two check digits of persons, modulus 11. */
function isInn(match: string): boolean {
  const digits = digitsOf(match);
  const first = (weightedSum(digits, [7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10;
  const second = (weightedSum(digits, [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10;
  return first === digits[10] && second === digits[11];
}

/** Nüfus ve Vatandaşlık İşleri (Turkey): two check digits. */
function isTckn(match: string): boolean {
  const digits = digitsOf(match);
  const tenth = (weightedSum(digits, [7, -1, 7, -1, 7, -1, 7, -1, 7]) + 100) % 10;
  return tenth === digits[9] && weightedSum(digits, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]) % 10 === digits[10];
}

export const EAST_PATTERNS: readonly Pattern<EastCode>[] = [
  identifier({
    code: 'PL_PESEL',
    shape: String.raw`\d{11}`,
    strength: 'weak',
    words: ['pesel'],
    check: isPesel,
  }),
  identifier({
    code: 'PL_NIP',
    shape: String.raw`(?:PL ?)?\d{3}-?\d{3}-?\d{2}-?\d{2}|\d{3}-\d{2}-\d{2}-\d{3}`,
    strength: 'weak',
    words: ['nip', 'numer identyfikacji podatkowej'],
    check: isNip,
    token: 'mixed',
  }),
  identifier({
    code: 'CZ_RODNE_CISLO',
    shape: String.raw`\d{6}/?\d{4}`,
    strength: 'weak',
    words: ['rodné číslo', 'rodne cislo', 'rč', 'birth number'],
    check: isBirthNumber,
  }),
  identifier({
    code: 'RO_CNP',
    shape: String.raw`[1-9]\d{12}`,
    strength: 'weak',
    words: ['cnp', 'cod numeric personal'],
    check: isCnp,
  }),
  identifier({
    code: 'BG_EGN',
    shape: String.raw`\d{10}`,
    strength: 'weak',
    words: ['egn', 'егн', 'единен граждански номер'],
    check: isEgn,
  }),
  identifier({
    code: 'HR_OIB',
    shape: String.raw`\d{11}`,
    strength: 'weak',
    words: ['oib', 'osobni identifikacijski broj'],
    check: (match) => passesMod11Over10(digitsOf(match)),
  }),
  identifier({
    code: 'GR_AMKA',
    shape: String.raw`\d{11}`,
    strength: 'weak',
    words: ['amka', 'αμκα'],
    check: isAmka,
  }),
  identifier({
    code: 'RU_SNILS',
    shape: String.raw`\d{3}-\d{3}-\d{3}[ -]\d{2}|\d{11}`,
    strength: 'strong',
    words: ['snils', 'снилс'],
    check: isSnils,
  }),
  identifier({
    code: 'RU_INN',
    shape: String.raw`\d{12}`,
    strength: 'strong',
    words: ['inn', 'инн'],
    check: isInn,
  }),
  identifier({
    code: 'TR_NATIONAL_ID',
    shape: String.raw`[1-9]\d{10}`,
    strength: 'strong',
    words: ['tc kimlik', 'tckn', 'kimlik', 't.c.', 'turkish id'],
    check: isTckn,
  }),
  identifier({
    code: 'TR_LICENSE_PLATE',
    shape: String.raw`(?:0[1-9]|[1-7]\d|8[01]) ?(?:[A-PR-VYZ] ?\d{4,5}|[A-PR-VYZ] ?\d{2,3}|[A-PR-VYZ]{2} ?\d{2,4}|[A-PR-VYZ]{3} ?\d{2,4})`,
    strength: 'format',
    words: ['plaka*', 'araç', 'license plate', 'number plate'],
  }),
];
