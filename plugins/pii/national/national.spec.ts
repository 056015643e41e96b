import { compilePatterns, type Scan } from '../../../src/core/index.js';
import type { NationalCode } from '../codes.js';
import { AMERICAS_AFRICA_PATTERNS } from './americas-africa.js';
import { ASIA_PACIFIC_PATTERNS } from './asia-pacific.js';
import { EAST_PATTERNS } from './europe-east.js';
import { NORTH_PATTERNS } from './europe-north.js';
import { WEST_PATTERNS } from './europe-west.js';
import { NATIONAL_EXAMPLES } from './examples.js';

const ALL = [
  ...NORTH_PATTERNS,
  ...WEST_PATTERNS,
  ...EAST_PATTERNS,
  ...ASIA_PACIFIC_PATTERNS,
  ...AMERICAS_AFRICA_PATTERNS,
];

/** Identifiers without a check character: only their form and a preceding word identify them. */
const WITHOUT_CHECK: readonly NationalCode[] = [
  'DK_CPR',
  'IN_GSTIN',
  'IN_PAN',
  'IN_VEHICLE_REGISTRATION',
  'IN_VOTER',
  'IT_IDENTITY_CARD',
  'KR_FRN',
  'KR_RRN',
  'MY_NRIC',
  'NG_NIN',
  'NG_VEHICLE_REGISTRATION',
  'PH_TIN',
  'TR_LICENSE_PLATE',
  'UK_NINO',
  'UK_VEHICLE_REGISTRATION',
  'US_MBI',
];

const only = (code: NationalCode): Scan<NationalCode> => compilePatterns<NationalCode>(ALL, { codes: new Set([code]) });

/** All variants of the text with one digit of the specimen changed. */
function withOneDigitChanged(text: string, number: string): string[] {
  const from = text.indexOf(number);
  const changed: string[] = [];
  for (let at = from; at < from + number.length; at++) {
    if (!/\d/.test(text[at]!)) continue;
    for (const digit of '0123456789')
      if (digit !== text[at]) changed.push(text.slice(0, at) + digit + text.slice(at + 1));
  }
  return changed;
}

describe('National identifiers', () => {
  const checked = NATIONAL_EXAMPLES.filter(({ finds: [found] }) => !WITHOUT_CHECK.includes(found!.code));

  it.each(checked.map(({ text, finds: [found] }) => [found!.code, text, found!.text] as const))(
    'with one wrong digit rarely pass the check: %s',
    (code, text, number) => {
      const scan = only(code);
      const sure = (candidate: string): boolean => scan(candidate).some(({ score }) => score >= 0.9);
      expect(sure(text)).toBe(true);
      const changed = withOneDigitChanged(text, number);
      // Some identifiers have positions outside the checksum: a series letter, a speciality, a check digit with two meanings.
      expect(changed.filter(sure).length / changed.length).toBeLessThan(0.3);
    },
  );

  it('each have an example text', () => {
    const shown = new Set(NATIONAL_EXAMPLES.flatMap(({ finds }) => finds.map(({ code }) => code)));
    expect(ALL.map(({ code }) => code).filter((code) => !shown.has(code))).toEqual([]);
  });
});
