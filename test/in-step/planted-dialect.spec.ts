/**
 * What docs/guides/add-a-provider.md promises: a provider is one folder and five places outside it, and the compiler names
 * every one that is forgotten.
 */
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { resolve } from 'node:path';
import ts from 'typescript';

const NAMES = 'src/core/model/call.ts';
const DIALECTS = 'src/core/providers/dialects.ts';
const PROVIDERS = 'src/core/providers/providers.ts';
const FOLDER = 'src/core/providers/planted/index.ts';

/** A provider that is another's under a new name, less a member of its route and one of its own. */
const folder = (less?: { readonly dialect: string; readonly provider: string }): string => `
import { OPENAI, OPENAI_CHAT } from '../openai/index.js';
import type { Provider, ProviderDialect } from '../provider.js';
${less === undefined ? 'const dialect = OPENAI_CHAT;' : `const { ${less.dialect}: _one, ...dialect } = OPENAI_CHAT;`}
${less === undefined ? 'const provider = OPENAI;' : `const { ${less.provider}: _other, ...provider } = OPENAI;`}
export const PLANTED_CHAT: ProviderDialect = dialect;
export const PLANTED: Provider = provider;
`;

/** A file with something put behind the first place where a text stands. */
function planted(file: string, ...pieces: readonly (readonly [behind: string, more: string])[]): string {
  return pieces.reduce(
    (text, [behind, more]) => {
      expect(text).toContain(behind);
      return text.replace(behind, `${behind}${more}`);
    },
    readFileSync(file, 'utf8'),
  );
}

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

/** The compiler reads the whole service for each question. */
const PATIENCE_MS = 900_000;

describe('A provider that is added', () => {
  const { config } = ts.readConfigFile('tsconfig.build.json', ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(
    { ...(config as object), compilerOptions: { noEmit: true } },
    ts.sys,
    process.cwd(),
  );
  const parsed = new Map<string, ts.SourceFile | undefined>();
  /** Whatever asks for a dialect or a provider names it, or a field that holds it. */
  const asking = fileNames.filter((file) => /dialect|style/i.test(readFileSync(file, 'utf8')));
  let before: ts.Program | undefined;

  /** The files in which the compiler sees a mistake, with its words. */
  function mistakes(changed: Readonly<Record<string, string>>): { file: string; message: string }[] {
    const texts = new Map(Object.entries(changed).map(([file, text]) => [resolve(file), text]));
    const host = ts.createCompilerHost(options);
    const { readFile, fileExists, getSourceFile } = host;
    // The folder is nowhere but in these texts.
    delete host.directoryExists;
    host.readFile = (name) => texts.get(name) ?? readFile(name);
    host.fileExists = (name) => texts.has(name) || fileExists(name);
    host.getSourceFile = (name, ...rest) => {
      const text = texts.get(name);
      if (text !== undefined) return ts.createSourceFile(name, text, ts.ScriptTarget.ES2024, true);
      if (!parsed.has(name)) parsed.set(name, getSourceFile(name, ...rest));
      return parsed.get(name);
    };
    before = ts.createProgram([...asking, ...texts.keys()], options, host, before);
    return [...new Set([...asking, ...texts.keys()])].flatMap((name) =>
      before!.getSemanticDiagnostics(before!.getSourceFile(name)).map(({ messageText }) => ({
        file: name.slice(process.cwd().length + 1),
        message: ts.flattenDiagnosticMessageText(messageText, ' '),
      })),
    );
  }

  it(
    'only by its names is missing in the two lists and nowhere else',
    () => {
      const found = mistakes(withNames);
      expect([...new Set(found.map(({ file }) => file))].sort()).toEqual([DIALECTS, PROVIDERS]);
      expect(found.every(({ message }) => message.includes('planted'))).toBe(true);
    },
    PATIENCE_MS,
  );

  it(
    'with a folder that has all of it compiles',
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
    'is told that its route lacks "%s" and its provider "%s"',
    (dialect, provider) => {
      const found = mistakes({ ...withLines, [FOLDER]: folder({ dialect, provider }) });
      expect(found.map(({ file }) => file)).toEqual([FOLDER, FOLDER]);
      expect(found[0]!.message).toContain(`'${dialect}'`);
      expect(found[1]!.message).toContain(`'${provider}'`);
    },
    PATIENCE_MS,
  );

  it('is named in five places outside its folder, as the last one was', async () => {
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
