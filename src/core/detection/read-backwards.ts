/** The usual endings of addresses, each read from its end. */
const DOMAINS = [
  ...['com', 'org', 'net', 'edu', 'gov', 'mil', 'int', 'info', 'biz', 'io', 'ai', 'app', 'dev', 'cloud', 'online', 'me', 'co', 'tv'],
  ...['eu', 'de', 'fr', 'uk', 'es', 'it', 'nl', 'be', 'ch', 'at', 'pl', 'cz', 'dk', 'se', 'no', 'fi', 'ie', 'pt', 'gr', 'hu', 'ro'],
  ...['ru', 'ua', 'tr', 'us', 'ca', 'mx', 'br', 'ar', 'cl', 'jp', 'cn', 'kr', 'in', 'au', 'nz', 'za', 'il', 'sg', 'hk', 'tw'],
]
  .map(backwards)
  .join('|'); // prettier-ignore
/** An address read from its end, up to its sign. */
export const ADDRESS_BACKWARDS = String.raw`(?:${DOMAINS})\.[\w.-]{1,64}@`;
const ADDRESS = new RegExp(`^${ADDRESS_BACKWARDS}`);

/** Credentials that have a mark, and account numbers, have such a row of letters and digits. */
export const LEAST_OF_VALUE = 16;
/** Of hexadecimal digits are hashes and ids, which have no mark; an account number ends in digits and a country, read from its end. */
const VALUE = new RegExp(
  String.raw`(?=[0-9A-Za-z]{${LEAST_OF_VALUE}})(?=[A-Za-z]{0,64}[0-9])(?:[0-9A-Fa-f]{0,15}[G-Zg-z]|[0-9][0-9A-Z]{9,28}[0-9]{2}[A-Z]{2}(?![0-9A-Za-z]))`,
);

/** Whether a word may hold a value that was written backwards. */
export function mayBeBackwards(word: string): boolean {
  return VALUE.test(word);
}

/** A word from its end, where it may be a value that was written backwards; nothing otherwise. */
export function readBackwards(word: string): string {
  return mayBeBackwards(word) || ADDRESS.test(word) ? backwards(word) : '';
}

function backwards(word: string): string {
  return [...word].reverse().join('');
}
