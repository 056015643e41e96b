/** One file of a new plugin. */
export interface PluginFile {
  readonly name: string;
  readonly text: string;
}

/**
 * The three files of a new detector: code, spec, page. They compile and the spec passes: the detector finds `EX-1234` until its author
 * changes the pattern.
 *
 * @param id lower-kebab
 */
export function pluginFiles(id: string): PluginFile[] {
  const words = id.replaceAll('-', ' ');
  const code = id.toUpperCase().replaceAll('-', '_');
  const name = id.replace(/-([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
  return [
    { name: `${id}.ts`, text: detectorFile(id, name, code, words) },
    { name: `${id}.spec.ts`, text: specFile(id, name, code) },
    { name: `${id}.md`, text: pageFile(id, code, words) },
  ];
}

function detectorFile(id: string, name: string, code: string, words: string): string {
  return `/**
 * A detector of ${words}: its patterns, its examples and its checks of a match. ${id}.md describes its
 * findings and known misses.
 */
import { z } from 'zod';
import { compilePatterns, defineDetector, reachOf, type Pattern } from '../../src/core/plugin-api.js';

const patterns: readonly Pattern<'${code}'>[] = [
  {
    code: '${code}',
    // The pattern requires a boundary to its left, and every quantifier has an upper bound.
    regex: /(?<![A-Za-z0-9])EX-\\d{4}(?![A-Za-z0-9])/,
    trigger: { on: 'literals', literals: ['EX-'] },
    score: 0.8,
  },
];

/** Finds ${words}. */
export const ${name} = defineDetector({
  meta: {
    id: '${id}',
    version: '1.0.0',
    revision: 1,
    family: 'content',
    summary: 'Finds ${words}.',
    codes: {
      ${code}: { title: '${sentence(words)}', enabled: true, minScore: 0.5 },
    },
    reach: reachOf(patterns),
    options: z.strictObject({}),
    // The spec runs these examples. Start here: write an example, see it fail, then write the pattern.
    examples: [
      { text: 'please look at EX-1234 today', finds: [{ code: '${code}', text: 'EX-1234' }] },
      { text: 'XEX-1234 and EX-12345 are something else', finds: [], why: 'a match ends where the word ends' },
    ],
  },
  create: (_options, settings) => compilePatterns(patterns, settings),
});
`;
}

function specFile(id: string, name: string, code: string): string {
  return `import { describeDetector } from '../../test/support/describe-detector.js';
import { ${name} } from './${id}.js';

describeDetector(${name}, { fragments: ['EX-1234'], attacks: ['EX-', 'EX-1'] });

describe('${id}', () => {
  const scan = ${name}.create({}, { codes: new Set(['${code}']) });

  it('reports the position of a match', () => {
    expect(scan('see EX-1234')).toEqual([{ code: '${code}', start: 4, end: 11, score: 0.8 }]);
  });
});
`;
}

function pageFile(id: string, code: string, words: string): string {
  return `# ${id}

Finds ${words}.

## What it finds

| code | what | default | minimum score |
|---|---|---|---|
| \`${code}\` | ${words}, such as \`EX-1234\` | on | 0.5 |

## Limits

Describe here the texts that a reader might expect the detector to find, but that it does not find.

## Options

None.

## Design of the patterns

Link the page that describes the format, and say which lengths and characters it allows.

## Known misses

List texts that should be found and are not.
`;
}

function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
