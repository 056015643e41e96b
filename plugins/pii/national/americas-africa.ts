/**
 * National identification numbers by region, with their checksums. A number without a checksum needs an adjacent word that names it.
 */
import { allSame, digitsOf, passesLuhn, weightedSum, type Pattern } from '../../../src/core/plugin-api.js';
import { compact, identifier, isMonthDay } from '../identifier.js';
import { LIST_HEAD, LIST_TAIL } from '../number-edges.js';

/** National identifiers of the Americas and Africa, except the US numbers that have generic codes. */
export type AmericasAfricaCode =
  | 'US_NPI'
  | 'US_MBI'
  | 'US_ABA_ROUTING'
  | 'CA_SIN'
  | 'MX_CURP'
  | 'BR_CPF'
  | 'BR_CNPJ'
  | 'AR_CUIT'
  | 'CL_RUT'
  | 'ZA_ID_NUMBER'
  | 'NG_NIN'
  | 'NG_VEHICLE_REGISTRATION';

/** CMS, "NPI check digit": Luhn with the prefix 80840. */
function isNpi(match: string): boolean {
  const digits = digitsOf(match);
  return !allSame(digits.slice(0, -1)) && passesLuhn([8, 0, 8, 4, 0, ...digits]);
}

/** American Bankers Association: Federal Reserve district, weights 3, 7, 1. */
function isRouting(match: string): boolean {
  const digits = digitsOf(match);
  const district = digits[0]! * 10 + digits[1]!;
  const known =
    district <= 12 || (district >= 21 && district <= 32) || (district >= 61 && district <= 72) || district === 80;
  return known && !allSame(digits) && weightedSum(digits, [3, 7, 1, 3, 7, 1, 3, 7, 1]) % 10 === 0;
}

/** RENAPO (Mexico): places of the alphabet with Ñ, weights 18 to 2, modulus 10. */
function isCurp(match: string): boolean {
  const alphabet = '0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ';
  const text = match.toUpperCase();
  let sum = 0;
  for (let index = 0; index < 17; index++) sum += alphabet.indexOf(text.charAt(index)) * (18 - index);
  return (10 - (sum % 10)) % 10 === Number(text[17]) && isMonthDay(Number(text.slice(6, 8)), Number(text.slice(8, 10)));
}

/** Receita Federal (Brazil): two check digits modulus 11. */
function passesTwice(digits: readonly number[], first: readonly number[], second: readonly number[]): boolean {
  const check = (weights: readonly number[]): number => {
    const rest = weightedSum(digits, weights) % 11;
    return rest < 2 ? 0 : 11 - rest;
  };
  return !allSame(digits) && check(first) === digits.at(-2) && check(second) === digits.at(-1);
}

/** Receita Federal (Brazil), since July 2026: the first twelve places can be letters, whose value is that of their code less 48. */
function isCnpj(match: string): boolean {
  const places = [...compact(match)].map((sign) => sign.charCodeAt(0) - 48);
  return passesTwice(places, [5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2], [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]);
}

/** AFIP (Argentina): weights 5, 4, 3, 2, 7, 6, 5, 4, 3, 2, modulus 11. */
function isCuit(match: string): boolean {
  const digits = digitsOf(match);
  const check = 11 - (weightedSum(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11);
  return (check === 11 ? 0 : check === 10 ? 9 : check) === digits[10];
}

/** Servicio de Registro Civil (Chile): weights 2 to 7 from the right, modulus 11, K for ten. */
function isRut(match: string): boolean {
  const text = compact(match);
  const digits = digitsOf(text.slice(0, -1)).reverse();
  const check = 11 - (weightedSum(digits, [2, 3, 4, 5, 6, 7, 2, 3]) % 11);
  return text.at(-1) === (check === 11 ? '0' : check === 10 ? 'K' : String(check));
}

/** Department of Home Affairs (South Africa): birth date, sequence, citizenship 0 to 2, Luhn. */
function isSouthAfricanId(match: string): boolean {
  const digits = digitsOf(match);
  const date = isMonthDay(digits[2]! * 10 + digits[3]!, digits[4]! * 10 + digits[5]!);
  return date && digits[10]! <= 2 && passesLuhn(digits);
}

const CNPJ_WORDS = ['cnpj', 'cadastro nacional'];

export const AMERICAS_AFRICA_PATTERNS: readonly Pattern<AmericasAfricaCode>[] = [
  identifier({
    code: 'US_NPI',
    shape: String.raw`[12]\d{3}[ -]?\d{3}[ -]?\d{3}`,
    strength: 'weak',
    words: ['npi', 'provider*', 'national provider'],
    check: isNpi,
  }),
  identifier({
    code: 'US_MBI',
    shape: String.raw`[1-9][AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y0-9]\d-?[AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y0-9]\d-?[AC-HJKMNP-RT-Y]{2}\d{2}`,
    strength: 'strong',
    words: ['mbi', 'medicare*', 'beneficiary'],
  }),
  identifier({
    code: 'US_ABA_ROUTING',
    shape: String.raw`\d{4}-?\d{4}-?\d`,
    strength: 'weak',
    words: ['routing*', 'aba', 'rtn', 'bank'],
    check: isRouting,
  }),
  identifier({
    code: 'CA_SIN',
    shape: String.raw`[1-79]\d{8}|[1-79]\d{2} \d{3} \d{3}|[1-79]\d{2}-\d{3}-\d{3}`,
    strength: 'weak',
    words: ['sin', 'social insurance', 'nas', "numéro d'assurance sociale"],
    check: (match) => !allSame(digitsOf(match)) && passesLuhn(digitsOf(match)),
  }),
  identifier({
    code: 'MX_CURP',
    shape: String.raw`[A-Z][AEIOUX][A-Z]{2}\d{6}[HMX][A-Z]{5}[A-Z0-9]\d`,
    strength: 'strong',
    words: ['curp', 'clave única', 'clave unica'],
    check: isCurp,
    token: 'mixed',
  }),
  identifier({
    code: 'BR_CPF',
    shape: String.raw`\d{3}\.?\d{3}\.?\d{3}[-/]?\d{2}`,
    strength: 'strong',
    words: ['cpf', 'cadastro de pessoas'],
    check: (match) => passesTwice(digitsOf(match), [10, 9, 8, 7, 6, 5, 4, 3, 2], [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]),
  }),
  identifier({
    code: 'BR_CNPJ',
    shape: String.raw`\d{2}\.?\d{3}\.?\d{3}/?\d{4}-?\d{2}`,
    strength: 'strong',
    words: CNPJ_WORDS,
    check: isCnpj,
  }),
  {
    code: 'BR_CNPJ',
    // With letters it looks like many other ids: it is found next to its name only.
    regex: new RegExp(
      String.raw`(?<![A-Za-z0-9])${LIST_HEAD}[A-Z0-9]{2}\.?[A-Z0-9]{3}\.?[A-Z0-9]{3}/?[A-Z0-9]{4}-?\d{2}${LIST_TAIL}`,
    ),
    trigger: { on: 'context' },
    score: 0,
    context: { words: CNPJ_WORDS },
    contextScore: 0.95,
    accepts: isCnpj,
  },
  identifier({
    code: 'AR_CUIT',
    shape: String.raw`(?:2[0347]|3[034])[- ]?\d{8}[- ]?\d`,
    strength: 'weak',
    words: ['cuit', 'cuil'],
    check: isCuit,
  }),
  identifier({
    code: 'CL_RUT',
    shape: String.raw`\d{1,2}(?:\.\d{3}){2}-[0-9K]|\d{7,8}-[0-9K]`,
    strength: 'weak',
    words: ['rut', 'run', 'rol único', 'rol unico'],
    check: isRut,
    grouped: /\./,
  }),
  identifier({
    code: 'ZA_ID_NUMBER',
    shape: String.raw`\d{6} ?\d{4} ?\d{3}`,
    strength: 'weak',
    words: ['south african id', 'sa id', 'id number', 'identity number', 'resident number', 'rsa id'],
    check: isSouthAfricanId,
  }),
  identifier({
    code: 'NG_NIN',
    shape: String.raw`\d{11}`,
    strength: 'format',
    words: ['nin', 'national identification number', 'nimc'],
  }),
  identifier({
    code: 'NG_VEHICLE_REGISTRATION',
    shape: String.raw`[A-Z]{3}[- ]?\d{3}[A-Z]{2}`,
    strength: 'format',
    words: ['plate*', 'vehicle', 'registration', 'car'],
    token: 'capital',
  }),
];
