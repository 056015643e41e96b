import {
  getCountries,
  getCountryCallingCode,
  Metadata,
  parsePhoneNumberFromString,
  type CountryCode,
} from 'libphonenumber-js';

/** Parts of a numbering plan that the library's types leave out; expressions are from Google's libphonenumber. */
interface Plan {
  IDDPrefix(): string | undefined;
  nationalNumberPattern(): string;
  nationalPrefixForParsing(): string | undefined;
  nationalPrefixTransformRule(): string | undefined;
}

/** What a country's numbering plan says of telephone numbers in national form, as written and their digits. */
export interface PlanTest {
  /** Whether a number is valid. */
  readonly isValid: (text: string, digits: string) => boolean;
  /** Whether one is valid as far as a single expression tells, without parsing; true is certain, false is not. */
  readonly surely: (text: string, digits: string) => boolean;
}

/** Made once per country: most rows of digits are turned away by one expression, without parsing them. */
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
 * Rows of digits that are valid without parsing: a national number behind the prefix for calls inside the country. Only
 * where the plan says it all: the calling code is the country's own, and a prefix is dropped and nothing else.
 */
function surelyNational(region: CountryCode): RegExp | undefined {
  const plan = planOf(region);
  const code = getCountryCallingCode(region);
  const prefix = plan.nationalPrefixForParsing() ?? '';
  const shared = getCountries().filter((country) => getCountryCallingCode(country) === code).length > 1;
  // Some plans' own rules contradict each other, as Fiji's on its prefix: the plainest are taken.
  if (shared || prefix !== '0' || plan.IDDPrefix() !== '00' || rewrites(plan)) return undefined;
  return new RegExp(`^0(?!0)(?:${plan.nationalNumberPattern()})$`);
}

function rewrites(plan: Plan): boolean {
  const rule = plan.nationalPrefixTransformRule();
  return typeof rule === 'string' && rule !== '';
}

/** What every valid number of the country matches: an exit code, or a national number with what may stand before it. */
function mayBeNational(region: CountryCode): RegExp {
  const plan = planOf(region);
  // A rule makes another number out of what is typed (Brazil: a carrier's code is left out): only the parser knows.
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
