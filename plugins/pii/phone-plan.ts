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

/** Whether a telephone number in national form is valid in a country. */
export type PlanTest = (text: string, digits: string) => boolean;

/** Made once per country: most rows of digits are turned away by one expression, without parsing them. */
export function planTest(region: CountryCode): PlanTest {
  const mayBe = mayBeNational(region);
  return (text, digits) => mayBe.test(digits) && parsePhoneNumberFromString(text, region)?.isValid() === true;
}

/** What every valid number of the country matches: an exit code, or a national number with what may stand before it. */
function mayBeNational(region: CountryCode): RegExp {
  const plan = planOf(region);
  const rule = plan.nationalPrefixTransformRule();
  // A rule makes another number out of what is typed (Brazil: a carrier's code is left out): only the parser knows.
  if (typeof rule === 'string' && rule !== '') return /^/;
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
