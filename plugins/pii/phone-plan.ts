import {
  getCountries,
  getCountryCallingCode,
  Metadata,
  parsePhoneNumberFromString,
  type CountryCode,
} from 'libphonenumber-js';

/** Parts of a numbering plan that are missing in the library's types; expressions are from Google's libphonenumber. */
interface Plan {
  IDDPrefix(): string | undefined;
  nationalNumberPattern(): string;
  nationalPrefixForParsing(): string | undefined;
  nationalPrefixTransformRule(): string | undefined;
}

/** Checks of telephone numbers in national form by a country's numbering plan. They receive the number as written and its digits. */
export interface PlanTest {
  /** Whether a number is valid. */
  readonly isValid: (text: string, digits: string) => boolean;
  /** Quick check by a single expression without parsing: true means valid, false means undecided. */
  readonly surely: (text: string, digits: string) => boolean;
}

/** Created once per country. One expression rejects most rows of digits without parsing. */
export function planTest(region: CountryCode): PlanTest {
  const mayBe = mayBeNational(region);
  const certain = surelyNational(region);
  const surely = (text: string, digits: string): boolean =>
    certain !== undefined && text === digits && mayBe.test(digits) && certain.test(digits);
  const isValid = (text: string, digits: string): boolean =>
    mayBe.test(digits) && (surely(text, digits) || parsePhoneNumberFromString(text, region)?.isValid() === true);
  return { isValid, surely };
}

/**
 * Rows of digits that are certainly valid: a national number after the trunk prefix. Undefined unless the country has its own calling
 * code and the plan only drops the prefix.
 */
function surelyNational(region: CountryCode): RegExp | undefined {
  const plan = planOf(region);
  const code = getCountryCallingCode(region);
  const prefix = plan.nationalPrefixForParsing() ?? '';
  const shared = getCountries().filter((country) => getCountryCallingCode(country) === code).length > 1;
  // Some plans have contradictory rules, such as Fiji's on its prefix, so only the simplest plans are supported.
  if (shared || prefix !== '0' || plan.IDDPrefix() !== '00' || rewrites(plan)) return undefined;
  return new RegExp(`^0(?!0)(?:${plan.nationalNumberPattern()})$`);
}

function rewrites(plan: Plan): boolean {
  const rule = plan.nationalPrefixTransformRule();
  return typeof rule === 'string' && rule !== '';
}

/**
 * An expression that every valid number of the country matches: it starts with an exit code, or is a national number with optional
 * prefixes.
 */
function mayBeNational(region: CountryCode): RegExp {
  const plan = planOf(region);
  // With a transformation rule (Brazil: a carrier code is dropped) only the parser can decide.
  if (rewrites(plan)) return /^/;
  const before = [getCountryCallingCode(region), plan.nationalPrefixForParsing() ?? ''].map((part) => `(?:${part})?`);
  const exit = plan.IDDPrefix();
  const abroad = exit === undefined || exit === '' ? '' : `^(?:${exit})|`;
  // Countries that share a calling code accept each other's numbers.
  const code = getCountryCallingCode(region);
  const patterns = getCountries()
    .filter((country) => getCountryCallingCode(country) === code)
    .map((country) => planOf(country).nationalNumberPattern());
  return new RegExp(`${abroad}^${before.join('')}(?:${[...new Set(patterns)].join('|')})$`);
}

function planOf(region: CountryCode): Plan {
  const metadata = new Metadata();
  metadata.selectNumberingPlan(region);
  return metadata.numberingPlan as unknown as Plan;
}
