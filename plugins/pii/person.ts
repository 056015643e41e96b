import type { Finder, Pattern } from '../../src/core/plugin-api.js';
import { lowercaseNameFinder } from './names/lowercase-finder.js';
import { personFinder } from './names/person-finder.js';

const NAME_KEYS = [
  'first name',
  'last name',
  'middle name',
  'given name',
  'family name',
  'surname',
  'full name',
  'fullname',
  'forename',
  'nickname',
  'maiden name',
  'vorname',
  'nachname',
  'nombre',
  'apellido*',
  'prénom',
  'cognome',
  'imię',
  'nazwisko',
  'display name',
  'customer name',
  'contact name',
  'patient name',
  'employee name',
  'cardholder*',
  'account holder',
  'passenger name',
];

/** Names by their form and context, and all values under a key that announces a name. */
export function personPatterns(): readonly (Pattern<'PERSON'> | Finder<'PERSON'>)[] {
  return [
    personFinder(),
    lowercaseNameFinder(),
    {
      code: 'PERSON',
      // A JSON member inside a text: the key, then the value in quotes.
      regex: /"(?:first|last|middle|given|family|full|maiden|sur)[_ -]?[Nn]ame"\s{0,4}:\s{0,4}"([^"\\\n]{1,60})"/i,
      group: 1,
      trigger: { on: 'literals', literals: ['name"'], before: 12 },
      score: 0.9,
      validate: isNameValue,
    },
    {
      code: 'PERSON',
      regex: /^[^\n"<>{}@/\\=]{1,60}$/,
      trigger: { on: 'context' },
      context: { words: [] },
      keys: NAME_KEYS,
      score: 0,
      contextScore: 0.9,
      validate: isNameValue,
    },
  ];
}

/** Whether a value contains letters and no characters that names never contain. */
function isNameValue(value: string): boolean {
  return (
    /\p{L}/u.test(value) &&
    !/[\d@<>{}=|]/.test(value) &&
    !/^(?:null|none|n\/a|unknown|undefined|string|test)$/i.test(value)
  );
}
