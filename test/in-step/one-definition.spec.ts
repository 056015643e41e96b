import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/walks.js';

/** Small functions and tables that once existed several times: how a definition looks, and the only file with one. */
const DEFINITIONS: readonly (readonly [what: string, definition: RegExp, file: string])[] = [
  [
    'the order of texts',
    /\? -1 : [\w.]+ > [\w.]+ \? 1 : 0|function compare(?:Text|Strings|CodeUnits)\b/,
    'src/core/model/compare-text.ts',
  ],
  ['the omission of undefined fields', /Exclude<T\[\w+\], undefined>/, 'src/core/model/defined-fields.ts'],
  [
    'the rank of a severity',
    /Record<Severity, number>|low: \d, medium: \d|critical: \d, high: \d/,
    'src/core/model/decision.ts',
  ],
  [
    'the nearest of the known words',
    /function (?:didYouMean|nearestWord|editDistance|distance|levenshtein)\b/,
    'src/core/policy/source/did-you-mean.ts',
  ],
];

/** Plugins are excluded: they import only the plugin API. */
const SOURCES = globSync('{src,cli}/**/*.ts', { cwd: ROOT })
  .filter((file) => !file.endsWith('.spec.ts') && !file.includes('/testdata/'))
  .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));

describe('what several folders need', () => {
  it.each(DEFINITIONS)('is defined only once: %s', (_what, definition, file) => {
    expect(SOURCES.filter(({ text }) => definition.test(text)).map((source) => source.file)).toEqual([file]);
  });
});
