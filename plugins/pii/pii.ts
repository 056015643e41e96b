import { getCountries, type CountryCode } from 'libphonenumber-js';
import { z } from 'zod';
import { compilePatterns, defineDetector, reachOf, type Finder, type Pattern } from '../../src/core/index.js';
import { addressPatterns } from './address/address.js';
import { CODES, type PiiCode } from './codes.js';
import { CONTACT_PATTERNS } from './contact.js';
import { CRYPTO_PATTERNS } from './crypto-address.js';
import { DATE_PATTERNS } from './dates.js';
import { DOCUMENT_PATTERNS } from './documents.js';
import { EXAMPLES } from './examples.js';
import { FINANCE_PATTERNS } from './finance.js';
import { AMERICAS_AFRICA_PATTERNS } from './national/americas-africa.js';
import { ASIA_PACIFIC_PATTERNS } from './national/asia-pacific.js';
import { EAST_PATTERNS } from './national/europe-east.js';
import { NORTH_PATTERNS } from './national/europe-north.js';
import { WEST_PATTERNS } from './national/europe-west.js';
import { organizationFinder } from './organization.js';
import { personPatterns } from './person.js';
import { phoneFinder } from './phone.js';
import { groupFinder } from './places/group-finder.js';
import { locationPatterns } from './places/location-finder.js';
import { UNITED_STATES_PATTERNS } from './united-states.js';

const DEFAULT_REGIONS: readonly CountryCode[] = ['US', 'GB', 'DE', 'FR', 'IN', 'BR'];

/** Countries that a language stands for when a policy names languages instead. */
const REGIONS_OF: Readonly<Record<string, readonly CountryCode[]>> = {
  cs: ['CZ'],
  da: ['DK'],
  de: ['DE', 'AT', 'CH'],
  en: ['US', 'GB', 'IN', 'AU', 'CA'],
  es: ['ES', 'MX', 'AR', 'CO'],
  fi: ['FI'],
  fr: ['FR', 'BE', 'CH', 'CA'],
  hu: ['HU'],
  it: ['IT', 'CH'],
  ja: ['JP'],
  ko: ['KR'],
  nb: ['NO'],
  nl: ['NL', 'BE'],
  pl: ['PL'],
  pt: ['BR', 'PT'],
  ro: ['RO'],
  sv: ['SE'],
  tr: ['TR'],
  uk: ['UA'],
  zh: ['CN', 'TW', 'HK'],
};

const countries = new Set<string>(getCountries());

const region = z
  .string()
  .refine((name): name is CountryCode => countries.has(name), 'is not an ISO 3166 country code with telephone numbers');

const options = z.strictObject({
  /** Countries whose national telephone numbers, written without `+`, are recognised by their numbering plan. */
  regions: z.array(region).max(20).optional(),
  /** Languages in place of countries; `regions` goes before it. */
  locales: z
    .array(
      z.string().refine((name) => Object.hasOwn(REGIONS_OF, name), `is none of ${Object.keys(REGIONS_OF).join(', ')}`),
    )
    .min(1)
    .optional(),
});

type Options = z.infer<typeof options>;

function regionsOf({ regions, locales }: Options): readonly CountryCode[] {
  return regions ?? locales?.flatMap((locale) => REGIONS_OF[locale] ?? []) ?? DEFAULT_REGIONS;
}

function patternsFor(chosen: Options): (Pattern<PiiCode> | Finder<PiiCode>)[] {
  return [
    ...CONTACT_PATTERNS,
    phoneFinder(regionsOf(chosen)),
    ...FINANCE_PATTERNS,
    ...UNITED_STATES_PATTERNS,
    ...DOCUMENT_PATTERNS,
    ...CRYPTO_PATTERNS,
    ...DATE_PATTERNS,
    ...personPatterns(),
    ...addressPatterns(),
    ...locationPatterns(),
    groupFinder(),
    organizationFinder(),
    ...NORTH_PATTERNS,
    ...WEST_PATTERNS,
    ...EAST_PATTERNS,
    ...ASIA_PACIFIC_PATTERNS,
    ...AMERICAS_AFRICA_PATTERNS,
  ];
}

/** Personal data by form, checksum and context. */
export const pii = defineDetector<PiiCode, Options>({
  meta: {
    id: 'pii',
    version: '1.0.0',
    revision: 1,
    family: 'personal_data',
    summary:
      'Finds personal data: contact details, payment and bank numbers, identity documents, national identifiers.',
    codes: CODES,
    reach: reachOf(patternsFor({})),
    options,
    examples: EXAMPLES,
  },
  create: (chosen, { codes }) => {
    // Streets, firms and cities are full of names: a person is looked for beside them, whether they are asked for or not.
    const assisting = codes.has('PERSON') ? new Set<PiiCode>(['ADDRESS', 'ORGANIZATION', 'LOCATION']) : undefined;
    return compilePatterns(patternsFor(chosen), { codes, ...(assisting === undefined ? {} : { assisting }) });
  },
});
