import type { Finder, MatchInfo, Pattern } from '../../../src/core/plugin-api.js';
import { HEAD, TAIL } from '../identifier.js';
import { addressFinders } from './address-finder.js';
import { POSTCODE } from './address-grammar.js';

export type AddressCode = 'ADDRESS' | 'ZIP_CODE';

const STREET_KEYS = [
  'address',
  'address1',
  'address2',
  'address 1',
  'address 2',
  'address line*',
  'street',
  'street1',
  'street2',
  'street address',
  'addr',
  'addr1',
  'addr2',
  'line1',
  'line2',
  'billing address',
  'shipping address',
  'home address',
  'adresse',
  'straße',
  'strasse',
  'dirección',
  'direccion',
  'indirizzo',
  'endereço',
  'adres',
  'rue',
];
const CODE_WORDS = [
  'zip',
  'zip code',
  'zipcode',
  'postal code',
  'postalcode',
  'postcode',
  'post code',
  'postal',
  'plz',
  'postleitzahl',
  'code postal',
  'código postal',
  'cap',
  'cep',
  'pin code',
  'pincode',
  'eircode',
  'kod pocztowy',
];

export function addressPatterns(): readonly (Pattern<AddressCode> | Finder<AddressCode>)[] {
  return [
    ...addressFinders(),
    {
      code: 'ADDRESS',
      // A JSON member inside a text: the key, then the value in quotes.
      regex:
        /"[A-Za-z_ ]{0,20}(?:address|street|addr)(?:[_ ]?(?:line)?[_ ]?[1-3])?"\s{0,4}:\s{0,4}"([^"\\\n@]{3,150})"/i,
      group: 1,
      trigger: { on: 'literals', literals: ['address', 'street', 'addr'], before: 22 },
      score: 0.9,
      validate: isAddressValue,
    },
    {
      code: 'ADDRESS',
      regex: /^[^"<>{}@\\=]{3,200}$/,
      trigger: { on: 'context' },
      context: { words: [] },
      keys: STREET_KEYS,
      score: 0,
      contextScore: 0.9,
      validate: isAddressValue,
    },
    {
      code: 'ZIP_CODE',
      regex: new RegExp(`${HEAD}(?:${POSTCODE})${TAIL}`),
      trigger: { on: 'context' },
      score: 0,
      context: { words: CODE_WORDS, windowUnits: 12 },
      contextScore: 0.9,
    },
    {
      code: 'ZIP_CODE',
      // Royal Mail: area, district, sector, unit; C, I, K, M, O and V are not used in the last two places.
      regex: new RegExp(
        `${HEAD}(?:GIR ?0AA|[A-PR-UWYZ][A-HK-Y]?[0-9][A-HJKPSTUW0-9]? ?[0-9][ABD-HJLNP-UW-Z]{2})${TAIL}`,
      ),
      trigger: { on: 'token', token: 'mixed' },
      score: 0.6,
      context: { words: [...CODE_WORDS, 'address'] },
      validate: (match, { text, start, end, inContext }) =>
        inContext || match.includes(' ') || end - start === text.trim().length,
    },
    {
      code: 'ZIP_CODE',
      // Canada Post: letter, digit, letter, digit, letter, digit; D, F, I, O, Q and U are not used.
      regex: new RegExp(`${HEAD}[ABCEGHJ-NPRSTVXY][0-9][ABCEGHJ-NPRSTV-Z] [0-9][ABCEGHJ-NPRSTV-Z][0-9]${TAIL}`),
      trigger: { on: 'token', token: 'mixed' },
      score: 0.65,
    },
    {
      code: 'ZIP_CODE',
      // After a state's abbreviation: "CA 94103", "NY 10001-1234".
      regex:
        /(?<=(?<![A-Za-z])(?:A[LKZR]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]),? {1,2})[0-9]{5}(?:-[0-9]{4})?(?![0-9A-Za-z]|[-.,][0-9])/,
      trigger: { on: 'token', token: 'digit' },
      score: 0.7,
      validate: isZipOfState,
    },
  ];
}

/** USPS, Publication 65: the first digits of the codes of states whose abbreviation is also a word. */
const ZIPS_OF_WORDS: Readonly<Record<string, RegExp>> = {
  ID: /^83[2-8]/,
  IN: /^4[67]/,
  HI: /^96[78]/,
  ME: /^0(?:39|4)/,
  OK: /^7[34]/,
  OR: /^97/,
};

/** Whether a code is one of the state before it: `ID 83912` is rarely in Idaho, and `Ticket ID 83702` never. */
function isZipOfState(zip: string, { text, start }: MatchInfo): boolean {
  const before = text.slice(Math.max(0, start - 32), start);
  const state = /([A-Z]{2}),? {1,2}$/.exec(before)?.[1] ?? '';
  if (ZIPS_OF_WORDS[state]?.test(zip) === false) return false;
  return state !== 'ID' || /,\s{0,2}ID,? {1,2}$/.test(before);
}

function isAddressValue(value: string): boolean {
  return (
    /[A-Za-zÀ-ɏ]/.test(value) &&
    !/^(?:null|none|n\/a|unknown|string|https?:.*)$/i.test(value) &&
    (/\d/.test(value) || / /.test(value))
  );
}
