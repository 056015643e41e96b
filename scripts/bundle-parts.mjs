/** Functions for the two bundles of commands: `dist/offline` (bundle.mjs) and the package weir-cli (bundle-cli.mjs). */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Output of the compiler. */
export const dist = fileURLToPath(new URL('../dist', import.meta.url));

/** Objects that libraries create at start, which takes many milliseconds, although only help output needs them: created on use. */
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

/** Loads a file with the compiler's source map, so that positions refer to the TypeScript source. */
export function withSourceMap(id) {
  if (!id.startsWith(dist)) return null;
  return { code: readFileSync(id, 'utf8'), map: JSON.parse(readFileSync(`${id}.map`, 'utf8')) };
}

/** Defers the creation of these objects. Each replacement stays on its line, so that source maps remain valid. */
export function makeLater(code, id) {
  if (!/string-width\/index\.js$/.test(id)) return null;
  return { code: MADE_LATER.reduce((text, [made, later]) => text.replace(made, () => later), code), map: null };
}
