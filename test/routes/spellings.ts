/** Alternative spellings of a path that lenient routers, proxies and guards have treated as the same path. */

type Spell = (path: string) => string;

const lastLetter = /[a-z](?=[^a-z]*$)/i;
const firstLetter = /[a-z]/i;
const hex = (letter: string): string => letter.charCodeAt(0).toString(16);
const escaped = (path: string, which: RegExp): string => path.replace(which, (letter) => `%${hex(letter)}`);
/** Two bytes that a lenient decoder reads as one ASCII letter. */
const overlongUtf8 = (letter: string): string => {
  const code = letter.charCodeAt(0);
  return `%${(0xc0 | (code >> 6)).toString(16)}%${(0x80 | (code & 0x3f)).toString(16)}`;
};
const VERY_LONG = 8_000;

/** Spellings by name, so that a failure names the spelling. Each changes a regular path without a query. */
export const SPELLINGS: Readonly<Record<string, Spell>> = {
  'upper case': (path) => path.toUpperCase(),
  'one letter in upper case': (path) => path.replace(firstLetter, (letter) => letter.toUpperCase()),
  'its first letter escaped': (path) => escaped(path, firstLetter),
  'its last letter escaped': (path) => escaped(path, lastLetter),
  'all letters escaped': (path) => path.replace(/[a-z]/gi, (letter) => `%${hex(letter)}`),
  'a letter escaped twice': (path) => path.replace(firstLetter, (letter) => `%25${hex(letter)}`),
  'a letter in overlong UTF-8': (path) => path.replace(firstLetter, overlongUtf8),
  'a full-width letter': (path) =>
    path.replace(firstLetter, (letter) => encodeURIComponent(String.fromCodePoint(letter.charCodeAt(0) + 0xfee0))),
  'a double slash in front': (path) => `/${path}`,
  'a double slash inside': (path) => path.replace(/(?<=.)\//, '//'),
  'a dot segment': (path) => `/.${path}`,
  'a dot segment inside': (path) => path.replace(/(?<=.)\//, '/./'),
  'two dots': (path) => `/x/..${path}`,
  'an escaped dot segment': (path) => `/%2e${path}`,
  'two escaped dots': (path) => `/x/%2e%2e${path}`,
  'a slash behind': (path) => `${path}/`,
  'a dot behind': (path) => `${path}/.`,
  'an escaped slash': (path) => path.replace(/(?<=.)\//, '%2f'),
  'an escaped slash behind': (path) => `${path}%2f`,
  'a backslash': (path) => path.replace(/(?<=.)\//, '\\'),
  'an escaped backslash': (path) => path.replace(/(?<=.)\//, '%5c'),
  'a parameter of the path': (path) => `${path};x=1`,
  'a parameter of its first part': (path) => path.replace(/(?<=.)(?=\/)/, ';x=1'),
  'an empty query': (path) => `${path}?`,
  'a query with another path': (path) => `${path}?/../../healthz`,
  'an escaped question mark': (path) => `${path}%3fx=1`,
  'a fragment': (path) => `${path}#/healthz`,
  'a null byte': (path) => `${path}%00`,
  'a line end': (path) => `${path}%0d%0a`,
  'a space behind': (path) => `${path}%20`,
  'an extension': (path) => `${path}.json`,
  'its whole address': (path) => `http://weir.example${path}`,
  'an address of another site': (path) => `https://evil.example:8080${path}`,
  'eight thousand more characters': (path) => `${path}?${'x'.repeat(VERY_LONG)}`,
  'eight thousand characters in a part': (path) => `${path}/${'x'.repeat(VERY_LONG)}`,
};

/** The most common spellings; `WEIR_TEST_SPELLINGS=all` selects all spellings. */
export const USUAL: readonly string[] = [
  'upper case',
  'its first letter escaped',
  'its last letter escaped',
  'a double slash in front',
  'a dot segment',
  'two escaped dots',
  'a slash behind',
  'a parameter of the path',
  'an escaped slash',
  'a backslash',
  'a fragment',
  'its whole address',
];
