import { allSame, digitsOf, passesLuhn, weightedSum } from '../../src/core/plugin-api.js';
import { isMonthDay } from './identifier.js';

/** Former Yugoslavia, JMBG: day, month, three digits of the year, region, serial, check; weights 7 to 2 twice, modulus 11. */
export function isJmbg(match: string): boolean {
  const digits = digitsOf(match);
  const check = 11 - (weightedSum(digits, [7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11);
  const date = isMonthDay(digits[2]! * 10 + digits[3]!, digits[0]! * 10 + digits[1]!);
  return date && (check > 9 ? 0 : check) === digits[12];
}

/** Þjóðskrá (Iceland): weights 3, 2, 7 to 2, modulus 11; the day of a company is 40 higher. */
export function isKennitala(match: string): boolean {
  const digits = digitsOf(match);
  const check = (11 - (weightedSum(digits, [3, 2, 7, 6, 5, 4, 3, 2]) % 11)) % 11;
  return isMonthDay(pair(digits, 2), pair(digits, 0) % 40) && check === digits[8];
}

/** Two digits as a number. */
function pair(digits: readonly number[], at: number): number {
  return digits[at]! * 10 + digits[at + 1]!;
}

/** RENAP (Guatemala), CUI: eight digits, their check digit, department and municipality; weights 2 to 9, modulus 11. */
export function isCui(match: string): boolean {
  const digits = digitsOf(match);
  const department = pair(digits, 9);
  const isPlace = department >= 1 && department <= 22 && pair(digits, 11) >= 1;
  return isPlace && weightedSum(digits, [2, 3, 4, 5, 6, 7, 8, 9]) % 11 === digits[8];
}

/** Egypt: a century, the date of birth, and one of 27 governorates, or 88 for births abroad. */
export function isEgyptianId(match: string): boolean {
  const digits = digitsOf(match);
  const place = pair(digits, 7);
  return isMonthDay(pair(digits, 3), pair(digits, 5)) && ((place >= 1 && place <= 35) || place === 88);
}

/** PACI (Kuwait): a century, the date of birth, serial, check; modulus 11. */
export function isKuwaitiId(match: string): boolean {
  const digits = digitsOf(match);
  const check = 11 - (weightedSum(digits, [2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]) % 11);
  return isMonthDay(pair(digits, 3), pair(digits, 5)) && check === digits[11];
}

/** Polish identity card: three letters (A is 10), a check digit and five digits; weights 7, 3, 1, modulus 10. */
export function isPolishCard(match: string): boolean {
  const values = [...match.replace(' ', '')].map((sign) => Number.parseInt(sign, 36));
  return weightedSum(values, [7, 3, 1, 9, 7, 3, 1, 7, 3]) % 10 === 0;
}

/** Luxembourg: date of birth, three digits, a Luhn digit over these, and another check digit. */
export function isMatricule(match: string): boolean {
  const digits = digitsOf(match);
  return isMonthDay(pair(digits, 4), pair(digits, 6)) && passesLuhn(digits.slice(0, 12));
}

/** Moldova: weights 7, 3, 1, modulus 10. */
export function isIdnp(match: string): boolean {
  const digits = digitsOf(match);
  return weightedSum(digits, [7, 3, 1, 7, 3, 1, 7, 3, 1, 7, 3, 1]) % 10 === digits[12];
}

/** Kazakhstan: date of birth, century and sex, serial, check; weights 1 to 11, and 3 to 11, 1, 2 where these give 10. */
export function isKazakhId(match: string): boolean {
  const digits = digitsOf(match);
  const first = weightedSum(digits, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]) % 11;
  const check = first === 10 ? weightedSum(digits, [3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2]) % 11 : first;
  return isMonthDay(pair(digits, 2), pair(digits, 4)) && check === digits[11];
}

/** Uzbekistan: century and sex, then the date of birth. */
export function isPinfl(match: string): boolean {
  const digits = digitsOf(match);
  return isMonthDay(pair(digits, 3), pair(digits, 1));
}

/** Iran: weights 10 to 2, modulus 11. */
export function isIranianId(match: string): boolean {
  const digits = digitsOf(match);
  const rest = weightedSum(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11;
  return !allSame(digits) && (rest < 2 ? rest : 11 - rest) === digits[9];
}

/** Indonesia: province, regency, district, then the date of birth; the day of women is 40 higher. */
export function isNik(match: string): boolean {
  const digits = digitsOf(match);
  return pair(digits, 0) >= 11 && isMonthDay(pair(digits, 8), pair(digits, 6) % 40);
}

/** Saudi Arabia: citizens and residents. */
export function isSaudiId(match: string): boolean {
  return passesLuhn(digitsOf(match));
}

/** Brazil: weights 3, 2, 9 to 2, modulus 11. */
export function isPis(match: string): boolean {
  const digits = digitsOf(match);
  return ((11 - (weightedSum(digits, [3, 2, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11) % 10 === digits[10];
}

/** Magyar Államkincstár (Hungary), TAJ: weights 3 and 7, modulus 10. */
export function isTaj(match: string): boolean {
  const digits = digitsOf(match);
  return weightedSum(digits, [3, 7, 3, 7, 3, 7, 3, 7]) % 10 === digits[8];
}

/** Ministry of Health (New Zealand), NHI: three letters without I and O (A is 1), weights 7 to 2, modulus 11. */
export function isNhi(match: string): boolean {
  const values = [...match].map((sign) =>
    /\d/.test(sign) ? Number(sign) : 'ABCDEFGHJKLMNPQRSTUVWXYZ'.indexOf(sign) + 1,
  );
  const rest = weightedSum(values, [7, 6, 5, 4, 3, 2]) % 11;
  return rest !== 0 && (11 - rest) % 10 === values[6];
}

/** Spain, number of social security: modulus 97 of province and serial. Mexico, IMSS: eleven digits, Luhn. */
export function isSocialSecurity(match: string): boolean {
  const digits = digitsOf(match);
  if (digits.length === 11) return passesLuhn(digits);
  return Number(digits.slice(0, 10).join('')) % 97 === pair(digits, 10);
}

/** Dirección General de Tributos: natural and legal persons of Mexico, with the date of birth or of foundation. */
export function isRfc(match: string): boolean {
  const date = /\d{6}/.exec(match)?.[0] ?? '';
  return isMonthDay(Number(date.slice(2, 4)), Number(date.slice(4, 6)));
}

/** DIAN (Colombia): weights 41 to 3, modulus 11. */
export function isNit(match: string): boolean {
  const digits = digitsOf(match);
  const rest = weightedSum(digits, [41, 37, 29, 23, 19, 17, 13, 7, 3]) % 11;
  return (rest > 1 ? 11 - rest : rest) === digits[9];
}

/** SUNAT (Peru): weights 5 to 2 and 7 to 2, modulus 11. */
export function isRuc(match: string): boolean {
  const digits = digitsOf(match);
  return (11 - (weightedSum(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11)) % 10 === digits[10];
}

/** Agencia Tributaria (Spain), companies: every second digit is doubled, as for Luhn; the control is a digit or a letter. */
export function isCif(match: string): boolean {
  const digits = [...match.replace('-', '').slice(1, 8)].map(Number);
  const sum = digits.reduce(
    (total, digit, at) => total + (at % 2 === 1 ? digit : ((digit * 2) % 10) + (digit > 4 ? 1 : 0)),
    0,
  );
  const control = (10 - (sum % 10)) % 10;
  const last = match.at(-1)!;
  return last === String(control) || last === 'JABCDEFGHI'[control];
}

/** HMRC (United Kingdom): the first digit checks the others. */
export function isUtr(match: string): boolean {
  const digits = digitsOf(match);
  return digits[0] === Number('21987654321'[weightedSum(digits.slice(1), [6, 7, 8, 9, 10, 5, 4, 3, 2]) % 11]);
}

/** Greece: powers of two, modulus 11. */
export function isAfm(match: string): boolean {
  const digits = digitsOf(match);
  return !allSame(digits) && (weightedSum(digits, [256, 128, 64, 32, 16, 8, 4, 2]) % 11) % 10 === digits[8];
}

/** Hungary, persons: weights 1 to 9, modulus 11. */
export function isHungarianTax(match: string): boolean {
  const digits = digitsOf(match);
  return weightedSum(digits, [1, 2, 3, 4, 5, 6, 7, 8, 9]) % 11 === digits[9];
}

/** Ukraine, persons: modulus 11. */
export function isUkrainianTax(match: string): boolean {
  const digits = digitsOf(match);
  const rest = weightedSum(digits, [10, 5, 7, 9, 4, 6, 10, 5, 7]) % 11;
  return !allSame(digits) && rest % 10 === digits[9];
}

/** Banco de México: weights 3, 7, 1, modulus 10. */
export function isClabe(match: string): boolean {
  const digits = digitsOf(match);
  const sum = digits.slice(0, 17).reduce((total, digit, index) => total + ((digit * [3, 7, 1][index % 3]!) % 10), 0);
  return (10 - (sum % 10)) % 10 === digits[17];
}

/** Spain, code of an account: two check digits, of bank and branch, and of the account; modulus 11. */
export function isCcc(match: string): boolean {
  const digits = digitsOf(match);
  const control = (part: readonly number[]): number => {
    const check = 11 - (weightedSum(part, [1, 2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11);
    return check === 11 ? 0 : check === 10 ? 1 : check;
  };
  return control([0, 0, ...digits.slice(0, 8)]) === digits[8] && control(digits.slice(10)) === digits[9];
}

/** ISO 3779: the letters I, O and Q are not used; a check digit is prescribed in North America only. */
export function isVin(match: string): boolean {
  return /[A-Z]/.test(match) && /\d{3}$/.test(match);
}
