/** Common top-level domains, each reversed. */
const DOMAINS = [
  ...['com', 'org', 'net', 'edu', 'gov', 'mil', 'int', 'info', 'biz', 'io', 'ai', 'app', 'dev', 'cloud', 'online', 'me', 'co', 'tv'],
  ...['eu', 'de', 'fr', 'uk', 'es', 'it', 'nl', 'be', 'ch', 'at', 'pl', 'cz', 'dk', 'se', 'no', 'fi', 'ie', 'pt', 'gr', 'hu', 'ro'],
  ...['ru', 'ua', 'tr', 'us', 'ca', 'mx', 'br', 'ar', 'cl', 'jp', 'cn', 'kr', 'in', 'au', 'nz', 'za', 'il', 'sg', 'hk', 'tw'],
]
  .map(backwards)
  .join('|'); // prettier-ignore
/** A reversed e-mail address, up to its `@`. */
export const ADDRESS_BACKWARDS = String.raw`(?:${DOMAINS})\.[\w.-]{1,64}@`;
const ADDRESS = new RegExp(`^${ADDRESS_BACKWARDS}`);

/** Minimum length of a row of letters and digits in credentials with a prefix and in account numbers. */
export const LEAST_OF_VALUE = 16;
/** Excludes rows of hexadecimal digits, which are hashes and ids; a reversed account number ends in two digits and a country code. */
const VALUE = new RegExp(
  String.raw`(?=[0-9A-Za-z]{${LEAST_OF_VALUE}})(?=[A-Za-z]{0,64}[0-9])(?:[0-9A-Fa-f]{0,15}[G-Zg-z]|[0-9][0-9A-Z]{9,28}[0-9]{2}[A-Z]{2}(?![0-9A-Za-z]))`,
);

/** Whether a word may contain a reversed value. */
export function mayBeBackwards(word: string): boolean {
  return VALUE.test(word);
}

/** Reverses a word that may be a reversed value; empty for any other word. */
export function readBackwards(word: string): string {
  return mayBeBackwards(word) || ADDRESS.test(word) ? backwards(word) : '';
}

function backwards(word: string): string {
  return [...word].reverse().join('');
}
