/**
 * The claim of docs/guides/add-a-provider.md: a provider needs one folder and changes in five files outside it, and the
 * compiler reports every missing one.
 */
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { PATIENCE_MS, planted, plantedSources } from '../support/planted-sources.js';

const NAMES = 'src/core/model/call.ts';
const DIALECTS = 'src/core/providers/dialects.ts';
const PROVIDERS = 'src/core/providers/providers.ts';
const FOLDER = 'src/core/providers/planted/index.ts';

/** A copy of another provider under a new name, optionally without one member of its dialect and one member of its provider. */
const folder = (less?: { readonly dialect: string; readonly provider: string }): string => `
import { OPENAI, OPENAI_CHAT } from '../openai/index.js';
import type { Provider, ProviderDialect } from '../provider.js';
${less === undefined ? 'const dialect = OPENAI_CHAT;' : `const { ${less.dialect}: _one, ...dialect } = OPENAI_CHAT;`}
${less === undefined ? 'const provider = OPENAI;' : `const { ${less.provider}: _other, ...provider } = OPENAI;`}
export const PLANTED_CHAT: ProviderDialect = dialect;
export const PLANTED: Provider = provider;
`;

const withNames = {
  [NAMES]: planted(NAMES, ['export type Dialect =', "\n  | 'planted.chat'"]),
  [PROVIDERS]: planted(PROVIDERS, ['export const PROVIDER_STYLES = [', "'planted', "]),
};
const withLines = {
  ...withNames,
  [DIALECTS]: planted(
    DIALECTS,
    ['export const DIALECTS: Readonly<Record<Dialect, ProviderDialect>> = {', "\n  'planted.chat': PLANTED_CHAT,"],
    ["import type { Dialect } from '../model/call.js';\n", "import { PLANTED_CHAT } from './planted/index.js';\n"],
  ),
  [PROVIDERS]: planted(
    PROVIDERS,
    ['export const PROVIDER_STYLES = [', "'planted', "],
    ['export const PROVIDERS: Readonly<Record<ProviderStyle, Provider>> = {', '\n  planted: PLANTED,'],
    ["import { OPENAI } from './openai/index.js';\n", "import { PLANTED } from './planted/index.js';\n"],
  ),
};

describe('A new provider', () => {
  // Errors about a missing dialect or provider contain its type or a field that holds it.
  const mistakes = plantedSources(/dialect|style/i);

  it(
    'is reported as missing in two lists, and nowhere else, if only its names exist',
    () => {
      const found = mistakes(withNames);
      expect([...new Set(found.map(({ file }) => file))].sort()).toEqual([DIALECTS, PROVIDERS]);
      expect(found.every(({ message }) => message.includes('planted'))).toBe(true);
    },
    PATIENCE_MS,
  );

  it(
    'with a complete folder compiles',
    () => {
      expect(mistakes({ ...withLines, [FOLDER]: folder() })).toEqual([]);
    },
    PATIENCE_MS,
  );

  it.each([
    ['usage', 'usage'],
    ['isEnd', 'streams'],
    ['outputCap', 'fieldTables'],
  ])(
    'is reported if its route lacks "%s" and its provider lacks "%s"',
    (dialect, provider) => {
      const found = mistakes({ ...withLines, [FOLDER]: folder({ dialect, provider }) });
      expect(found.map(({ file }) => file)).toEqual([FOLDER, FOLDER]);
      expect(found[0]!.message).toContain(`'${dialect}'`);
      expect(found[1]!.message).toContain(`'${provider}'`);
    },
    PATIENCE_MS,
  );

  it('has to be named, as gemini is, in exactly the five files outside its folder that the guide lists', async () => {
    const guide = readFileSync('docs/guides/add-a-provider.md', 'utf8');
    const listed = [...guide.matchAll(/^\d\. `([^`]+)`/gm)].map((match) => match[1]!);
    const naming: string[] = [];
    for await (const file of glob('{src,cli,plugins,dashboard/src,test/matrix,scripts}/**/*.{ts,tsx,mjs}')) {
      const isApart =
        file.startsWith('src/core/providers/gemini/') || /\.spec\.ts$|\/testdata\/|schema\.d\.ts$/.test(file);
      if (!isApart && /['"`]gemini(\.\w+)?['"`]|\bgemini:|\/gemini\/index\.js/.test(readFileSync(file, 'utf8')))
        naming.push(file);
    }
    expect(listed).toHaveLength(5);
    expect(naming.sort()).toEqual(listed.sort());
  });
});
