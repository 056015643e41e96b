/** What the two bundles of commands have in common: `dist/offline` (bundle.mjs) and the package weir-cli (bundle-cli.mjs). */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Output of the compiler. */
export const dist = fileURLToPath(new URL('../dist', import.meta.url));

/** What the libraries make at start, in many milliseconds, that only the layout of help needs: it is made when it is used. */
const MADE_LATER = [
  [
    'const segmenter = new Intl.Segmenter();',
    'const segmenter = {segment: text => new Intl.Segmenter().segment(text)};',
  ],
  [
    'const rgiEmojiRegex = /^\\p{RGI_Emoji}$/v;',
    'const rgiEmojiRegex = {test: text => /^\\p{RGI_Emoji}$/v.test(text)};',
  ],
];

/** With the compiler's own map, so that positions are those in the TypeScript. */
export function withSourceMap(id) {
  if (!id.startsWith(dist)) return null;
  return { code: readFileSync(id, 'utf8'), map: JSON.parse(readFileSync(`${id}.map`, 'utf8')) };
}

/** Each replacement stays on its line, so that source maps hold. */
export function makeLater(code, id) {
  if (!/string-width\/index\.js$/.test(id)) return null;
  return { code: MADE_LATER.reduce((text, [made, later]) => text.replace(made, () => later), code), map: null };
}
