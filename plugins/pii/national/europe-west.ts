import {
  allSame,
  digitsOf,
  passesLuhn,
  passesMod11Over10,
  weightedSum,
  type Pattern,
} from '../../../src/core/plugin-api.js';
import { compact, identifier, isMonthDay } from '../identifier.js';
import { LIST_HEAD, LIST_TAIL } from '../number-edges.js';

/** National identifiers of Germany, Austria, Switzerland, France, Belgium, the Netherlands, Spain, Portugal and Italy. */
export type WestCode =
  | 'DE_TAX_ID'
  | 'DE_SOCIAL_SECURITY'
  | 'DE_HEALTH_INSURANCE'
  | 'DE_ID_CARD'
  | 'DE_VAT_ID'
  | 'DE_LANR'
  | 'AT_SVNR'
  | 'CH_AHV'
  | 'FR_NIR'
  | 'BE_NATIONAL_NUMBER'
  | 'NL_BSN'
  | 'ES_NIF'
  | 'ES_NIE'
  | 'PT_NIF'
  | 'IT_FISCAL_CODE'
  | 'IT_VAT_CODE'
  | 'IT_IDENTITY_CARD';

/** Bundeszentralamt für Steuern: ISO 7064 MOD 11,10, no digit more than three times among the first ten. */
function isTaxId(match: string): boolean {
  const digits = digitsOf(match);
  const most = Math.max(...digits.map((digit) => digits.slice(0, 10).filter((other) => other === digit).length));
  return most <= 3 && passesMod11Over10(digits);
}

/** Sum of the digit sums of the weighted digits, as in German insurance numbers. */
function crossSum(digits: readonly number[], weights: readonly number[]): number {
  return weights.reduce((sum, weight, index) => {
    const product = (digits[index] ?? 0) * weight;
    return sum + Math.floor(product / 10) + (product % 10);
  }, 0);
}

/** Replaces the letter by its two-digit position in the alphabet. */
function spelled(match: string): number[] {
  return digitsOf(compact(match).replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 64).padStart(2, '0')));
}

/** Deutsche Rentenversicherung, Verordnung über die Versicherungsnummer, § 4. */
function isSocialSecurity(match: string): boolean {
  const digits = spelled(match);
  const area = digits[0]! * 10 + digits[1]!;
  const day = (digits[2]! * 10 + digits[3]!) % 50;
  const known = (area >= 2 && area <= 29) || (area >= 38 && area <= 54) || (area >= 56 && area <= 64) || area > 77;
  const date = area <= 89 && isMonthDay(digits[4]! * 10 + digits[5]!, day);
  return known && date && crossSum(digits, [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1]) % 10 === digits[12];
}

/** GKV-Spitzenverband, Krankenversichertennummer: weights 1 and 2 alternating. */
function isHealthInsurance(match: string): boolean {
  const digits = spelled(match);
  return crossSum(digits, [1, 2, 1, 2, 1, 2, 1, 2, 1, 2]) % 10 === digits[10];
}

/** ICAO Doc 9303, part 3: weights 7, 3, 1 over digits and letters (A = 10). */
export function passesIcaoCheck(text: string): boolean {
  let sum = 0;
  for (let index = 0; index < text.length - 1; index++) sum += parseInt(text.charAt(index), 36) * [7, 3, 1][index % 3]!;
  return sum % 10 === Number(text.at(-1));
}

/** Kassenärztliche Bundesvereinigung, lebenslange Arztnummer: weights 4 and 9, modulus 10. */
function isPhysicianNumber(match: string): boolean {
  const digits = digitsOf(match);
  return (10 - (weightedSum(digits, [4, 9, 4, 9, 4, 9]) % 10)) % 10 === digits[6];
}

/** Dachverband der Sozialversicherungsträger (Austria): the fourth digit checks the rest, modulus 11; then a birth date. */
function isSvnr(match: string): boolean {
  const digits = digitsOf(match);
  const date = isMonthDay(digits[6]! * 10 + digits[7]!, digits[4]! * 10 + digits[5]!);
  return date && weightedSum(digits, [3, 7, 9, 0, 5, 8, 4, 2, 1, 6]) % 11 === digits[3];
}

/** Zentrale Ausgleichsstelle (Switzerland): an EAN-13 with the country prefix 756. */
function isAhv(match: string): boolean {
  return weightedSum(digitsOf(match), [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0;
}

/** INSEE: the key is 97 minus the number modulo 97; Corsica's 2A and 2B count as 19 and 18. */
function isNir(match: string): boolean {
  const text = compact(match).replace('2A', '19').replace('2B', '18');
  return 97 - (Number(text.slice(0, 13)) % 97) === Number(text.slice(13));
}

/** Rijksregister (Belgium): 97 minus the nine digits modulo 97, with a 2 in front for births from 2000. */
function isBelgian(match: string): boolean {
  const text = compact(match);
  const check = Number(text.slice(9));
  const month = Number(text.slice(2, 4)) % 20;
  const date = month === 0 || isMonthDay(month, Math.max(1, Number(text.slice(4, 6))));
  return date && [text.slice(0, 9), `2${text.slice(0, 9)}`].some((body) => 97 - (Number(body) % 97) === check);
}

/** Rijksdienst voor Identiteitsgegevens (Netherlands): the "eleven test" with weights 9 to 2 and -1. */
function isBsn(match: string): boolean {
  const digits = digitsOf(match);
  return !allSame(digits) && weightedSum(digits, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0;
}

/** Ministerio del Interior (Spain): the letter is the number modulo 23; X, Y, Z of foreigners count as 0, 1, 2. */
function isNif(match: string): boolean {
  const text = compact(match);
  const number = Number(text.slice(0, -1).replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter))));
  return text.at(-1) === 'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23];
}

/** Autoridade Tributária (Portugal): weights 9 to 2, modulus 11. */
function isPortugueseNif(match: string): boolean {
  const digits = digitsOf(match);
  const check = 11 - (weightedSum(digits, [9, 8, 7, 6, 5, 4, 3, 2]) % 11);
  return (check > 9 ? 0 : check) === digits[8];
}

/** Values of characters at odd positions: Decreto ministeriale 23 dicembre 1976, table for digits and letters alike. */
const ODD_PLACES = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

/** Agenzia delle Entrate (Italy): the sixteenth letter checks the fifteen before it. */
function isFiscalCode(match: string): boolean {
  const text = compact(match);
  let sum = 0;
  for (let index = 0; index < 15; index++) {
    const value = parseInt(text.charAt(index), 36) % 10;
    const letter = text.charCodeAt(index) - 65;
    const place = letter >= 0 ? letter : value;
    sum += index % 2 === 0 ? ODD_PLACES[place]! : place;
  }
  return text.charCodeAt(15) - 65 === sum % 26;
}

const FISCAL_CODE_SHAPE = '[A-Z]{6}[0-9LMNP-V]{2}[ABCDEHLMPRST][0-9LMNP-V]{2}[A-Z][0-9LMNP-V]{3}[A-Z]';

export const WEST_PATTERNS: readonly Pattern<WestCode>[] = [
  identifier({
    code: 'DE_TAX_ID',
    shape: String.raw`[1-9]\d ?\d{3} ?\d{3} ?\d{3}`,
    strength: 'weak',
    words: ['steuer*', 'idnr', 'tin', 'tax id', 'tax identification', 'steuerliche identifikation*'],
    check: isTaxId,
  }),
  identifier({
    code: 'DE_SOCIAL_SECURITY',
    shape: String.raw`\d{2} ?\d{6} ?[A-Z] ?\d{3}`,
    strength: 'strong',
    words: ['rvnr', 'svnr', 'sozialversicherung*', 'rentenversicherung*', 'versicherungsnummer'],
    check: isSocialSecurity,
  }),
  identifier({
    code: 'DE_HEALTH_INSURANCE',
    shape: String.raw`[A-Z]\d{9}`,
    strength: 'weak',
    words: ['kvnr', 'krankenkasse*', 'krankenversicher*', 'versichertennummer', 'gesundheitskarte'],
    check: isHealthInsurance,
    token: 'mixed',
  }),
  identifier({
    code: 'DE_ID_CARD',
    shape: String.raw`[CFGHJKLMNPRTVWXYZ][CFGHJKLMNPRTVWXYZ0-9]{7}\d|T\d{8}`,
    strength: 'weak',
    words: ['personalausweis*', 'ausweis*', 'id card', 'identity card', 'perso'],
    check: (match) => /^T\d{8}$/i.test(match) || passesIcaoCheck(compact(match)),
    token: 'mixed',
  }),
  {
    code: 'DE_ID_CARD',
    // The serial number, whose check digit is not a part of it: only its name distinguishes it. On the back of the card the digit follows.
    regex: new RegExp(`(?<![A-Za-z0-9])${LIST_HEAD}[LMNPRTVWXYZ][CFGHJKLMNPRTVWXYZ0-9]{8}\\d?${LIST_TAIL}`),
    trigger: { on: 'context' },
    score: 0,
    context: {
      words: ['personalausweis*', 'ausweisnummer', 'ausweisnr', 'ausweis-nr', 'identity card', 'id card'],
      windowUnits: 35,
    },
    contextScore: 0.9,
    validate: (match) => {
      if (match.length === 10) return passesIcaoCheck(match);
      return (match.match(/\d/g)?.length ?? 0) >= 2 && 0.85;
    },
  },
  identifier({
    code: 'DE_VAT_ID',
    shape: String.raw`DE ?[1-9]\d{8}`,
    strength: 'strong',
    words: ['ust', 'ust-id*', 'ustid*', 'umsatzsteuer*', 'vat', 'vat id'],
    check: (match) => passesMod11Over10(digitsOf(match)),
    token: 'mixed',
  }),
  identifier({
    code: 'DE_LANR',
    shape: String.raw`\d{9}`,
    strength: 'weak',
    words: ['lanr', 'arztnummer', 'arzt-nr', 'arztnr'],
    check: isPhysicianNumber,
  }),
  identifier({
    code: 'AT_SVNR',
    shape: String.raw`[1-9]\d{3} ?\d{6}`,
    strength: 'weak',
    words: ['svnr', 'sv-nummer', 'sozialversicherung*', 'versicherungsnummer'],
    check: isSvnr,
  }),
  identifier({
    code: 'CH_AHV',
    shape: String.raw`756[. ]?\d{4}[. ]?\d{4}[. ]?\d{2}`,
    strength: 'strong',
    words: ['ahv*', 'avs', 'navs', 'sozialversicherungsnummer'],
    check: isAhv,
  }),
  identifier({
    code: 'FR_NIR',
    shape: String.raw`[1-478] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-4]\d|5\d|[6-9]\d) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}`,
    strength: 'strong',
    words: ['nir', 'sécurité sociale', 'securite sociale', 'numéro de sécu', 'insee', 'numéro fiscal'],
    check: isNir,
  }),
  identifier({
    code: 'BE_NATIONAL_NUMBER',
    shape: String.raw`\d{2}\.?\d{2}\.?\d{2}[- ]?\d{3}\.?\d{2}`,
    strength: 'strong',
    words: ['rijksregister*', 'registre national', 'national number', 'nationaal nummer', 'insz', 'niss'],
    check: isBelgian,
  }),
  identifier({
    code: 'NL_BSN',
    shape: String.raw`\d{9}|\d{4}[. ]\d{2}[. ]\d{3}`,
    strength: 'weak',
    words: ['bsn', 'burgerservicenummer', 'sofinummer', 'citizen service number'],
    check: isBsn,
  }),
  identifier({
    code: 'ES_NIF',
    shape: String.raw`\d{8}[- ]?[A-HJ-NP-TV-Z]`,
    strength: 'strong',
    words: ['nif', 'dni', 'documento nacional', 'identificación', 'identificacion'],
    check: isNif,
  }),
  identifier({
    code: 'ES_NIE',
    shape: String.raw`[XYZ][- ]?\d{7}[- ]?[A-HJ-NP-TV-Z]`,
    strength: 'strong',
    words: ['nie', 'número de identificación de extranjero', 'extranjero'],
    check: isNif,
    token: 'mixed',
  }),
  identifier({
    code: 'PT_NIF',
    shape: String.raw`[1-35689]\d{2} ?\d{3} ?\d{3}`,
    strength: 'weak',
    words: ['nif', 'contribuinte', 'número fiscal', 'numero fiscal'],
    check: isPortugueseNif,
  }),
  identifier({
    code: 'IT_FISCAL_CODE',
    shape: FISCAL_CODE_SHAPE,
    strength: 'strong',
    words: ['codice fiscale', 'fiscal code', 'cf', 'c.f.'],
    check: isFiscalCode,
    lenient: true,
    token: 'mixed',
  }),
  identifier({
    code: 'IT_VAT_CODE',
    shape: String.raw`(?:IT ?)?\d{11}`,
    strength: 'weak',
    words: ['partita iva', 'p.iva', 'p. iva', 'piva', 'vat'],
    check: (match) =>
      !allSame(digitsOf(match)) && digitsOf(match).some((digit) => digit > 1) && passesLuhn(digitsOf(match)),
    token: 'mixed',
  }),
  identifier({
    code: 'IT_IDENTITY_CARD',
    shape: String.raw`[A-Z]{2} ?\d{7}|\d{7}[A-Z]{2}|[A-Z]{2}\d{5}[A-Z]{2}`,
    strength: 'format',
    words: ["carta d'identità", "carta d'identita", 'carta identità', 'identity card', 'documento di identità', 'cie'],
    token: 'mixed',
  }),
];
