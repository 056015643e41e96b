/**
 * The detector `pii`: personal data such as addresses, numbers and names. Each kind has its own file or folder, with
 * checksums where its format has them.
 */
import { z } from 'zod';
import type { CountryCode } from 'libphonenumber-js';
import type { DetectorMeta } from '../../src/core/plugin-api.js';
import { CODES, type PiiCode } from './codes.js';

/** Countries with a numbering plan in libphonenumber; listed here so that only scans load its tables. */
export const COUNTRIES: readonly string[] = (
  'AC AD AE AF AG AI AL AM AO AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BW BY ' +
  'BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ ' +
  'FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GT GU GW GY HK HN HR HT HU ID IE IL IM IN IO IQ IR ' +
  'IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH ' +
  'MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK ' +
  'PL PM PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TA ' +
  'TC TD TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW'
).split(' ');

const DEFAULT_REGIONS: readonly CountryCode[] = ['US', 'GB', 'DE', 'FR', 'IN', 'BR'];

/** The countries for each language, if a policy sets languages instead of countries. */
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

const countries = new Set(COUNTRIES);

const region = z
  .string()
  .refine((name): name is CountryCode => countries.has(name), 'is not an ISO 3166 country code with telephone numbers');

const options = z.strictObject({
  /** Countries whose national telephone numbers, written without `+`, are recognised by their numbering plan. */
  regions: z.array(region).max(20).optional(),
  /** Languages instead of countries; ignored if `regions` is set. */
  locales: z
    .array(
      z
        .string()
        .refine((name) => Object.hasOwn(REGIONS_OF, name), `is not one of ${Object.keys(REGIONS_OF).join(', ')}`),
    )
    .min(1)
    .optional(),
});

export type Options = z.infer<typeof options>;

/** Countries whose national telephone numbers are searched for. */
export function regionsOf({ regions, locales }: Options): readonly CountryCode[] {
  return regions ?? locales?.flatMap((locale) => REGIONS_OF[locale] ?? []) ?? DEFAULT_REGIONS;
}

/** The detector's description without its code, which is enough to compile policies. */
export const ABOUT = {
  id: 'pii',
  version: '1.0.0',
  revision: 10,
  family: 'personal_data',
  summary: 'Finds personal data: contact details, payment and bank numbers, identity documents, national identifiers.',
  codes: CODES,
  options,
} satisfies Omit<DetectorMeta<PiiCode, Options>, 'reach' | 'examples'>;
