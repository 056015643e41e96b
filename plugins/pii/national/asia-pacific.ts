import {
  allSame,
  digitsOf,
  passesLuhn,
  passesMod11Minus2,
  passesVerhoeff,
  weightedSum,
  type Pattern,
} from '../../../src/core/plugin-api.js';
import { compact, identifier, isMonthDay } from '../identifier.js';
import { isFin, isUen } from './singapore.js';

/** National identifiers of Asia (without Turkey), Australia and New Zealand. */
export type AsiaPacificCode =
  | 'IN_AADHAAR'
  | 'IN_PAN'
  | 'IN_GSTIN'
  | 'IN_VOTER'
  | 'IN_VEHICLE_REGISTRATION'
  | 'SG_NRIC'
  | 'SG_UEN'
  | 'MY_NRIC'
  | 'TH_TNIN'
  | 'PH_TIN'
  | 'CN_RESIDENT_ID'
  | 'HK_ID'
  | 'TW_ID'
  | 'JP_MY_NUMBER'
  | 'KR_RRN'
  | 'KR_FRN'
  | 'KR_BRN'
  | 'IL_ID'
  | 'AU_TFN'
  | 'AU_ABN'
  | 'AU_ACN'
  | 'AU_MEDICARE'
  | 'NZ_IRD';

/** UIDAI (India): first digit 2 to 9, Verhoeff; palindromes are never issued. */
function isAadhaar(match: string): boolean {
  const digits = digitsOf(match);
  return passesVerhoeff(digits) && digits.join('') !== [...digits].reverse().join('');
}

/** Department of Provincial Administration (Thailand): province code, weights 13 to 2, modulus 11. */
function isThaiId(match: string): boolean {
  const digits = digitsOf(match);
  const province = digits[1]! * 10 + digits[2]!;
  const check = (11 - (weightedSum(digits, [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 10;
  const known = province >= 10 && province <= 96 && ![28, 29, 59, 68, 69, 78, 79, 87, 88, 89].includes(province);
  return known && check === digits[12];
}

/** GB 11643-1999 (China): region, birth date, ISO 7064 MOD 11-2. */
function isResidentId(match: string): boolean {
  const digits = digitsOf(match.slice(0, 17));
  const last = match.at(-1)!;
  const date = isMonthDay(digits[10]! * 10 + digits[11]!, digits[12]! * 10 + digits[13]!);
  return date && passesMod11Minus2(digits, /x/i.test(last) ? 10 : Number(last));
}

/** Immigration Department (Hong Kong): letters A = 10, a missing first letter counts 36, weights 9 to 1, modulus 11. */
function isHongKongId(match: string): boolean {
  const text = compact(match);
  const values = Array.from(text.slice(0, -1), (character) => parseInt(character, 36));
  if (values.length === 7) values.unshift(36);
  const last = text.at(-1) === 'A' ? 10 : Number(text.at(-1));
  return (weightedSum(values, [9, 8, 7, 6, 5, 4, 3, 2]) + last) % 11 === 0;
}

/** Ministry of the Interior (Taiwan): the letter is converted to a two-digit number, then weights 8 to 1. */
function isTaiwanId(match: string): boolean {
  const code = 'ABCDEFGHJKLMNPQRSTUVXYWZIO'.indexOf(match.charAt(0).toUpperCase()) + 10;
  const digits = [Math.floor(code / 10), code % 10, ...digitsOf(match)];
  return weightedSum(digits, [1, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1]) % 10 === 0;
}

/** Ministry of Internal Affairs (Japan), ordinance 85/2014: weights 6 to 2 and 7 to 2, modulus 11. */
function isMyNumber(match: string): boolean {
  const digits = digitsOf(match);
  const rest = weightedSum(digits, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
  return !allSame(digits) && (rest <= 1 ? 0 : 11 - rest) === digits[11];
}

/** Resident and foreigner registration numbers (Korea): a birth date; the check digit was dropped in October 2020. */
function isKoreanBirthNumber(match: string): boolean {
  const digits = digitsOf(match);
  return isMonthDay(digits[2]! * 10 + digits[3]!, digits[4]! * 10 + digits[5]!);
}

/** National Tax Service (Korea): weights 1, 3, 7, and 5 for the ninth digit, plus the tens digit of that last product. */
function isKoreanBusiness(match: string): boolean {
  const digits = digitsOf(match);
  const sum = weightedSum(digits, [1, 3, 7, 1, 3, 7, 1, 3, 5]) + Math.floor((digits[8]! * 5) / 10);
  return (10 - (sum % 10)) % 10 === digits[9];
}

/** Australian Taxation Office: weights 1, 4, 3, 7, 5, 8, 6, 9, 10, modulus 11. */
function isTfn(match: string): boolean {
  return weightedSum(digitsOf(match), [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0;
}

/** Australian Business Register: the first digit reduced by one, weights 10, 1, 3 ... 19, modulus 89. */
function isAbn(match: string): boolean {
  return (weightedSum(digitsOf(match), [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) - 10) % 89 === 0;
}

/** Australian Securities and Investments Commission: weights 8 to 1, modulus 10. */
function isAcn(match: string): boolean {
  const digits = digitsOf(match);
  return (10 - (weightedSum(digits, [8, 7, 6, 5, 4, 3, 2, 1]) % 10)) % 10 === digits[8];
}

/** Services Australia: first digit 2 to 6, weights 1, 3, 7, 9, modulus 10. */
function isMedicare(match: string): boolean {
  const digits = digitsOf(match);
  return weightedSum(digits, [1, 3, 7, 9, 1, 3, 7, 9]) % 10 === digits[8] && digits[9] !== 0;
}

/** Inland Revenue (New Zealand): eight weighted digits, modulus 11; a second set of weights if the first yields ten. */
function isIrd(match: string): boolean {
  const digits = digitsOf(match);
  if (digits.length === 8) digits.unshift(0);
  let check = (11 - (weightedSum(digits, [3, 2, 7, 6, 5, 4, 3, 2]) % 11)) % 11;
  if (check === 10) check = (11 - (weightedSum(digits, [7, 4, 3, 2, 5, 2, 7, 6]) % 11)) % 11;
  return check === digits[8];
}

const KOREAN_BIRTH = String.raw`\d{2}(?:0[1-9]|1[0-2])[0-3]\d`;

export const ASIA_PACIFIC_PATTERNS: readonly Pattern<AsiaPacificCode>[] = [
  identifier({
    code: 'IN_AADHAAR',
    shape: String.raw`[2-9]\d{3}[ :-]?\d{4}[ :-]?\d{4}`,
    strength: 'weak',
    words: ['aadhaar*', 'aadhar*', 'uidai', 'uid', 'आधार'],
    check: isAadhaar,
  }),
  identifier({
    code: 'IN_PAN',
    shape: '[A-Z]{3}[ABCFGHJLPT][A-Z][0-9]{4}[A-Z]',
    strength: 'strong',
    words: ['pan', 'permanent account*', 'income tax'],
    token: 'mixed',
  }),
  identifier({
    code: 'IN_GSTIN',
    shape: '(?:0[1-9]|[12][0-9]|3[0-8]|9[79])[A-Z]{5}[0-9]{4}[A-Z][1-9A-Z]Z[0-9A-Z]',
    strength: 'strong',
    words: ['gst*', 'goods and services tax'],
  }),
  identifier({
    code: 'IN_VOTER',
    shape: String.raw`[A-Z]{3}\d{7}`,
    strength: 'format',
    words: ['voter*', 'vote', 'epic', 'election*'],
    token: 'mixed',
  }),
  identifier({
    code: 'IN_VEHICLE_REGISTRATION',
    shape: String.raw`(?:A[NPRS]|BR|C[GH]|D[DLN]|G[AJ]|H[PR]|J[HK]|K[AL]|L[AD]|M[HLNPZ]|NL|O[DR]|P[BY]|RJ|SK|T[NRS]|U[KP]|WB)[ -]?\d{2}[ -]?[A-Z]{1,3}[ -]?\d{4}`,
    strength: 'strong',
    words: ['vehicle', 'registration', 'car', 'rto', 'number plate', 'license plate'],
    token: 'mixed',
  }),
  identifier({
    code: 'SG_NRIC',
    shape: String.raw`[STFGM]\d{7}[A-Z]`,
    strength: 'strong',
    words: ['nric', 'fin', 'identity card', 'ic'],
    check: isFin,
    token: 'mixed',
  }),
  identifier({
    code: 'SG_UEN',
    shape: String.raw`\d{8,9}[A-Z]|[RST]\d{2}[A-Z]{2}\d{4}[A-Z]`,
    strength: 'strong',
    words: ['uen', 'unique entity number', 'business registration'],
    check: isUen,
    token: 'mixed',
  }),
  identifier({
    code: 'MY_NRIC',
    shape: String.raw`\d{2}(?:0[1-9]|1[0-2])[0-3]\d-?(?:0[1-9]|[1-5]\d|[78]\d)-?\d{4}`,
    strength: 'format',
    words: ['mykad', 'nric', 'kad pengenalan', 'ic number'],
    check: isKoreanBirthNumber,
  }),
  identifier({
    code: 'TH_TNIN',
    shape: String.raw`[1-8](?:-?\d{4}-?\d{5}-?\d{2}-?\d)`,
    strength: 'weak',
    words: ['thai id', 'thai national id', 'tnin', 'บัตรประชาชน', 'เลขประจำตัวประชาชน'],
    check: isThaiId,
  }),
  identifier({
    code: 'PH_TIN',
    shape: String.raw`\d{3}-?\d{3}-?\d{3}(?:-?\d{3})?`,
    strength: 'format',
    words: ['tin', 'tax id', 'taxpayer*', 'bir'],
  }),
  identifier({
    code: 'CN_RESIDENT_ID',
    shape: String.raw`[1-9]\d{5}(?:18|19|20)\d{2}(?:0[1-9]|1[0-2])[0-3]\d{4}[0-9X]`,
    strength: 'strong',
    words: ['身份证', '身份證', 'resident id', 'shenfenzheng', '公民身份号码'],
    check: isResidentId,
  }),
  identifier({
    code: 'HK_ID',
    shape: String.raw`[A-Z]{1,2}\d{6} ?\([0-9A]\)`,
    strength: 'strong',
    words: ['hkid', 'identity card', '身份證', '身份证'],
    check: isHongKongId,
    token: 'mixed',
  }),
  identifier({
    code: 'TW_ID',
    shape: String.raw`[A-Z][1289]\d{8}`,
    strength: 'weak',
    words: ['taiwan id', '身分證', '身分证', 'national id'],
    check: isTaiwanId,
    token: 'mixed',
  }),
  identifier({
    code: 'JP_MY_NUMBER',
    shape: String.raw`\d{4}[ -]?\d{4}[ -]?\d{4}`,
    strength: 'weak',
    words: ['my number', 'マイナンバー', '個人番号', 'individual number'],
    check: isMyNumber,
  }),
  identifier({
    code: 'KR_RRN',
    shape: `${KOREAN_BIRTH}-[1-4][0-9]{6}`,
    strength: 'strong',
    words: ['rrn', 'resident registration', '주민등록번호', '주민번호'],
    check: isKoreanBirthNumber,
  }),
  identifier({
    code: 'KR_RRN',
    shape: `${KOREAN_BIRTH}[1-4][0-9]{6}`,
    strength: 'weak',
    words: ['rrn', 'resident registration', '주민등록번호', '주민번호'],
    check: isKoreanBirthNumber,
  }),
  identifier({
    code: 'KR_FRN',
    shape: `${KOREAN_BIRTH}-[5-8][0-9]{6}`,
    strength: 'strong',
    words: ['frn', 'foreigner registration', 'alien registration', '외국인등록번호'],
    check: isKoreanBirthNumber,
  }),
  identifier({
    code: 'KR_FRN',
    shape: `${KOREAN_BIRTH}[5-8][0-9]{6}`,
    strength: 'weak',
    words: ['frn', 'foreigner registration', 'alien registration', '외국인등록번호'],
    check: isKoreanBirthNumber,
  }),
  identifier({
    code: 'KR_BRN',
    shape: String.raw`\d{3}-?\d{2}-?\d{5}`,
    strength: 'weak',
    words: ['brn', 'business registration', '사업자등록번호', '사업자번호'],
    check: isKoreanBusiness,
  }),
  identifier({
    code: 'IL_ID',
    shape: String.raw`\d{8}-?\d`,
    strength: 'weak',
    words: ['israeli id', 'teudat zehut', 'תעודת זהות', 'ת.ז'],
    check: (match) => !allSame(digitsOf(match)) && passesLuhn(digitsOf(match)),
  }),
  identifier({
    code: 'AU_TFN',
    shape: String.raw`\d{3} ?\d{3} ?\d{3}`,
    strength: 'weak',
    words: ['tfn', 'tax file*'],
    check: isTfn,
  }),
  identifier({
    code: 'AU_ABN',
    shape: String.raw`[1-9]\d ?\d{3} ?\d{3} ?\d{3}`,
    strength: 'strong',
    words: ['abn', 'australian business number'],
    check: isAbn,
  }),
  identifier({
    code: 'AU_ACN',
    shape: String.raw`\d{3} ?\d{3} ?\d{3}`,
    strength: 'weak',
    words: ['acn', 'australian company number'],
    check: isAcn,
  }),
  identifier({
    code: 'AU_MEDICARE',
    shape: String.raw`[2-6]\d{3} ?\d{5} ?\d`,
    strength: 'weak',
    words: ['medicare*'],
    check: isMedicare,
  }),
  identifier({
    code: 'NZ_IRD',
    shape: String.raw`\d{2,3}[- ]?\d{3}[- ]?\d{3}`,
    strength: 'weak',
    words: ['ird', 'inland revenue'],
    check: isIrd,
  }),
];
