/** The compiler's errors for the service with code planted in its sources; the files on disk stay unchanged. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import ts from 'typescript';

/** Timeout: the compiler checks the complete service for each call of `mistakes`. */
export const PATIENCE_MS = 900_000;

export interface Mistake {
  readonly file: string;
  readonly message: string;
}

/** The text of a file with code inserted after the first occurrence of each given text. */
export function planted(file: string, ...pieces: readonly (readonly [behind: string, more: string])[]): string {
  return pieces.reduce(
    (text, [behind, more]) => {
      expect(text).toContain(behind);
      return text.replace(behind, `${behind}${more}`);
    },
    readFileSync(file, 'utf8'),
  );
}

/**
 * Finds the compiler errors in all files whose text matches, and in the changed files.
 * @param config compiler configuration; only files that it includes are checked
 */
export function plantedSources(asking: RegExp, config = 'tsconfig.build.json') {
  const { config: read } = ts.readConfigFile(config, ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(
    { ...(read as object), compilerOptions: { ...(read as ts.TranspileOptions).compilerOptions, noEmit: true } },
    ts.sys,
    resolve(config, '..'),
    undefined,
    resolve(config),
  );
  const asked = fileNames.filter((file) => asking.test(readFileSync(file, 'utf8')));
  const parsed = new Map<string, ts.SourceFile | undefined>();
  let before: ts.Program | undefined;

  /** Compiles with the changed files; returns the files with compiler errors, and the messages. */
  return function mistakes(changed: Readonly<Record<string, string>>): Mistake[] {
    const texts = new Map(Object.entries(changed).map(([file, text]) => [resolve(file), text]));
    const host = ts.createCompilerHost(options);
    const { readFile, fileExists, getSourceFile } = host;
    // New folders exist only in these texts, not on disk.
    delete host.directoryExists;
    host.readFile = (name) => texts.get(name) ?? readFile(name);
    host.fileExists = (name) => texts.has(name) || fileExists(name);
    host.getSourceFile = (name, ...rest) => {
      const text = texts.get(name);
      if (text !== undefined) return ts.createSourceFile(name, text, ts.ScriptTarget.ES2024, true);
      if (!parsed.has(name)) parsed.set(name, getSourceFile(name, ...rest));
      return parsed.get(name);
    };
    const program = ts.createProgram([...asked, ...texts.keys()], options, host, before);
    before = program;
    return [...new Set([...asked, ...texts.keys()])].flatMap((name) =>
      program.getSemanticDiagnostics(program.getSourceFile(name)).map(({ messageText }) => ({
        file: name.slice(process.cwd().length + 1),
        message: ts.flattenDiagnosticMessageText(messageText, ' '),
      })),
    );
  };
}
