import type { Pattern } from '../../src/core/plugin-api.js';
import {
  isCui,
  isEgyptianId,
  isIdnp,
  isIranianId,
  isJmbg,
  isKazakhId,
  isKennitala,
  isKuwaitiId,
  isMatricule,
  isNik,
  isPinfl,
  isPis,
  isPolishCard,
  isSaudiId,
} from './named-checks.js';
import { named, type NamedCode } from './named-number.js';

interface Identity {
  readonly shape: string;
  readonly words: readonly string[];
  readonly check?: (match: string) => boolean;
}

/** Words of many countries, in whose place a text can also have the number of a card or of a customer. */
const ANY_COUNTRY = [
  ...['national id', 'national identity', 'national identification', 'national id number', 'national identity number'],
  ...['national id no', 'identity card', 'identity card number', 'identity card no', 'identity number', 'identity no'],
  ...['national identity card', 'citizen id', 'citizenship number', 'civil id', 'personal identification number'],
];
const SPANISH_WORDS = [
  ...['dni', 'd.n.i.', 'carnet de identidad', 'documento de identidad', 'documento nacional de identidad', 'cédula'],
  ...['cedula', 'cédula de ciudadanía', 'cedula de ciudadania', 'cédula de identidad', 'cedula de identidad'],
  ...['número de cédula', 'numero de cedula', 'número de documento', 'cédula de extranjería'],
];
const FRENCH_WORDS = [
  ...["carte d'identité", "carte nationale d'identité", "carte d'identite", "carte nationale d'identite"],
];

/**
 * Identity numbers by country. Plain digits count only after a word that names nothing else; after other words, the number has the form of
 * its country with a check digit or a date, or letters and groups that no other number has.
 */
const IDENTITIES: readonly Identity[] = [
  { shape: String.raw`784-\d{4}-\d{7}-\d|[1-7]\d{4}-\d{7}-\d|GHA-\d{9}-\d|[A-Z]{1,3}\d{6,9}`, words: ANY_COUNTRY },
  {
    shape: String.raw`\d{1,3}(?:\.\d{3}){2,3}|[VE]-?\d{1,2}\.?\d{3}\.?\d{3}|\d{3}-\d{7}-\d|\d{8}|\d{10}`,
    words: SPANISH_WORDS,
  },
  {
    shape: String.raw`\d{4}[ -]?\d{5}[ -]?\d{4}`,
    words: ['dpi', 'cui', 'documento personal de identificación'],
    check: isCui,
  },
  { shape: String.raw`\d{2}(?:0[1-9]|1[0-2])\d{8}|(?=[A-Z0-9]{0,8}[A-Z])[A-Z0-9]{9}`, words: FRENCH_WORDS },
  {
    shape: String.raw`[A-Z]{3} ?\d{6}`,
    words: ['dowód osobisty', 'dowod osobisty', 'dowodu osobistego', 'numer dowodu'],
    check: isPolishCard,
  },
  { shape: String.raw`[1-7]\d{4}-\d{7}-\d|[2-7]\d{12}`, words: ['cnic', 'nicop', 'cnic number', 'cnic no'] },
  { shape: String.raw`0\d{11}|\d{9}`, words: ['cccd', 'cmnd', 'căn cước', 'căn cước công dân'] },
  { shape: String.raw`\d{4}-\d{4}-\d{4}-\d{4}|\d{16}`, words: ['philsys', 'philsys number', 'philsys id'] },
  { shape: String.raw`\d{2}-\d{7}-\d`, words: ['sss', 'sss number', 'sss no'] },
  { shape: String.raw`GHA-?\d{9}-?\d`, words: ['ghana card', 'ghana card number'] },
  { shape: String.raw`\d{8}`, words: ['kenyan id', 'kenyan national id', 'kenya national id'] },
  { shape: String.raw`[23]\d{10}`, words: ['qatar id', 'qatari id'] },
  { shape: String.raw`784-?\d{4}-?\d{7}-?\d`, words: ['emirates id', 'emirates identity', 'الهوية', 'رقم الهوية'] },
  {
    shape: String.raw`[12]\d{9}`,
    words: ['iqama', 'saudi id', 'saudi national id', 'الهوية', 'رقم الهوية', 'رقم الإقامة'],
    check: isSaudiId,
  },
  {
    shape: String.raw`[23]\d{13}`,
    words: ['egyptian national id', 'egyptian id', 'egypt national id', 'national id', 'الرقم القومي', 'رقم قومي'],
    check: isEgyptianId,
  },
  {
    shape: String.raw`[123]\d{11}`,
    words: ['civil id', 'kuwaiti civil id', 'kuwait civil id', 'civil number', 'الرقم المدني'],
    check: isKuwaitiId,
  },
  { shape: String.raw`\d{6}-\d{5}`, words: ['personas kods', 'personas kodu'] },
  { shape: String.raw`(?:18|19|20)\d{11}`, words: ['matricule'], check: isMatricule },
  {
    shape: String.raw`[1-8][- ]\d{6}[- ]\d{4}|\d{6}[A-Z]{2}`,
    words: ['személyi szám', 'személyi azonosító', 'személyi igazolvány'],
  },
  { shape: String.raw`[02]\d{12}`, words: ['idnp'], check: isIdnp },
  { shape: String.raw`\d{12}`, words: ['иин', 'жсн', 'iin'], check: isKazakhId },
  { shape: String.raw`[1-6]\d{13}`, words: ['пинфл', 'pinfl', 'jshshir'], check: isPinfl },
  { shape: String.raw`\d{8}-\d{5}`, words: ['унзр'] },
  { shape: String.raw`\d{7}[A-Z]\d{3}[A-Z]{2}\d`, words: ['личный номер', 'идентификационный номер'] },
  { shape: String.raw`\d{9}`, words: ['удостоверение личности', 'удостоверения личности'] },
  { shape: String.raw`\d{10}`, words: ['شناسنامه', 'کد ملی', 'شماره ملی'], check: isIranianId },
  {
    shape: String.raw`\d{13}`,
    words: ['jmbg', 'embg', 'emšo', 'emso', 'јмбг', 'ембг', 'matični broj', 'matični broj građana'],
    check: isJmbg,
  },
  { shape: String.raw`\d{6}-?\d{4}`, words: ['kennitala', 'kt.'], check: isKennitala },
  {
    shape: String.raw`\d{2}(?:[0-2]\d\d|3[0-6]\d|[5-7]\d\d|8[0-6]\d)\d{4}[VX]`,
    words: ['nic', 'nic number', 'nic no'],
  },
  { shape: String.raw`\d{16}`, words: ['nik', 'ktp', 'e-ktp'], check: isNik },
  { shape: String.raw`[A-Z]{1,2}\d{5,6}`, words: ['cnie'] },
  // Brazil: of a state, so without a common check digit; the name is also that of a program.
  { shape: String.raw`\d{1,2}\.\d{3}\.\d{3}-[\dX]`, words: ['rg', 'registro geral'] },
  { shape: String.raw`\d{3}\.?\d{5}\.?\d{2}-?\d`, words: ['pis', 'pasep', 'nis', 'pis/pasep'], check: isPis },
];

export const IDENTITY_PATTERNS: readonly Pattern<NamedCode>[] = IDENTITIES.map((identity) =>
  named({ code: 'NATIONAL_ID', ...identity }),
);
