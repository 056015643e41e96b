/**
 * Made-up values for the tests of credentials: texts of a given length and alphabet, equal in every run. No credential stands in the
 * repository, because tests put them together from these.
 */
import { sampleOf, seeded } from '../regex-sample.js';
import { secrets } from '../secrets.js';

const CODES = new Set(Object.keys(secrets.meta.codes).filter((code) => secrets.meta.codes[code]?.enabled === true));
const scan = secrets.create(secrets.meta.options.parse({}), { codes: CODES });

/** What the detector finds with its default codes. */
export const found = (text: string): (readonly [code: string, text: string])[] =>
  scan(text, {}).map(({ code, start, end }) => [code, text.slice(start, end)] as const);

export const invent = (pattern: RegExp, seed = 1): string => sampleOf(pattern, seeded(seed)).text;
export const mixed = (units: number, seed = 2): string => invent(new RegExp(`[A-Za-z0-9]{${units}}`), seed);
export const small = (units: number, seed = 3): string => invent(new RegExp(`[a-z0-9]{${units}}`), seed);
export const hex = (units: number, seed = 4): string => invent(new RegExp(`[0-9a-f]{${units}}`), seed);
