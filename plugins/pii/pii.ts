import { compilePatterns, defineDetector, reachOf, type Finder, type Pattern } from '../../src/core/plugin-api.js';
import { ABOUT, regionsOf, type Options } from './about.js';
import { addressPatterns } from './address/address.js';
import type { PiiCode } from './codes.js';
import { CONTACT_PATTERNS } from './contact.js';
import { CRYPTO_PATTERNS } from './crypto-address.js';
import { DATE_PATTERNS } from './dates.js';
import { DOCUMENT_PATTERNS } from './documents.js';
import { EXAMPLES } from './examples.js';
import { FINANCE_PATTERNS } from './finance.js';
import { NAMED_PATTERNS } from './named-numbers.js';
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
import { COLUMN_UNITS, withColumns } from './table-columns.js';
import { UNITED_STATES_PATTERNS } from './united-states.js';

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
    ...NAMED_PATTERNS,
  ];
}

const reach = reachOf(patternsFor({}));

/** Finds personal data by form, checksum and context. */
export const pii = defineDetector<PiiCode, Options>({
  meta: { ...ABOUT, reach: { ...reach, behind: reach.behind + COLUMN_UNITS }, examples: EXAMPLES },
  create: (chosen, settings) => {
    const { codes } = settings;
    // Streets, firms and cities often contain names. They are always searched for together with persons, to rule out such matches.
    const assisting = codes.has('PERSON') ? new Set<PiiCode>(['ADDRESS', 'ORGANIZATION', 'LOCATION']) : undefined;
    const scan = compilePatterns(patternsFor(chosen), {
      ...settings,
      ...(assisting === undefined ? {} : { assisting }),
    });
    return withColumns(scan);
  },
});
