import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from '../support/walks.js';

interface Replaced {
  /** A wording that readers did not understand, or an unclear name. */
  readonly old: string;
  readonly now: string;
}

interface ReplacedPattern {
  /** A regular expression for one line. */
  readonly pattern: string;
  readonly now: string;
}

const { texts, patterns, files, names } = JSON.parse(
  readFileSync(join(ROOT, 'test/in-step/replaced-words.json'), 'utf8'),
) as {
  /** Wordings of help, messages and documentation. */
  readonly texts: readonly Replaced[];
  /** Patterns of wordings. */
  readonly patterns: readonly ReplacedPattern[];
  /** Identifiers. */
  readonly names: readonly Replaced[];
  /** Names of files. */
  readonly files: readonly Replaced[];
};

/** A cache, so that each file is read only once. */
const contents = new Map<string, string>();
function contentOf(file: string): string {
  const known = contents.get(file) ?? readFileSync(join(ROOT, file), 'utf8');
  contents.set(file, known);
  return known;
}

const inRoot = (...patterns: string[]): string[] =>
  globSync(patterns, { cwd: ROOT, exclude: (name) => /node_modules|(^|\/)dist$/.test(name) });
/** Texts in code, and pages. Decision records are excluded because they describe the past; built-in policies never change. */
const READ = inRoot(
  '{src,cli,plugins}/**/*.ts',
  'dashboard/src/**/*.{ts,tsx}',
  'sdk/node/src/**/*.ts',
  'sdk/python/src/**/*.py',
  '{README,CHANGELOG,CONTRIBUTING}.md',
  '{docs,plugins}/**/*.md',
).filter((file) => !file.endsWith('.spec.ts') && !file.startsWith('docs/adr/') && !/testdata|built-in/.test(file));
/** Without the made-up prompts of a benchmark and the words of seed phrases, which are ordinary words. */
const CODE = inRoot(
  '{src,cli,plugins,test,bench}/**/*.ts',
  'dashboard/src/**/*.{ts,tsx}',
  'sdk/node/src/**/*.ts',
).filter((file) => !file.startsWith('bench/injection/') && file !== 'plugins/secrets/seed-words.ts');
/** All identifiers in the code, so that each file is searched only once for all names. */
const WORDS = new Set(CODE.flatMap((file) => [...new Set(contentOf(file).match(/\w+/g))]));
const NAMES_OF_FILES = new Set(inRoot('{src,cli,plugins,test,sdk/node/src}/**/*.ts').map((file) => basename(file)));

describe('replaced wordings and names', () => {
  it.each(texts)('do not occur any more: "$old" is now "$now"', ({ old }) => {
    const said = READ.filter((file) => contentOf(file).includes(old));
    expect(said).toEqual([]);
  });

  it.each(patterns)('match no line any more: /$pattern/ is now $now', ({ pattern }) => {
    const regex = new RegExp(pattern);
    const lines = READ.flatMap((file) =>
      contentOf(file)
        .split('\n')
        .flatMap((line, index) => (regex.test(line) ? [`${file}:${index + 1} ${line.trim()}`] : [])),
    );
    expect(lines).toEqual([]);
  });

  it.each(names)('are not used in code any more: $old is now $now', ({ old }) => {
    const word = new RegExp(`\\b${old}\\b`);
    const isUsed = WORDS.has(old) || !/^\w+$/.test(old);
    expect(isUsed ? CODE.filter((file) => word.test(contentOf(file))) : []).toEqual([]);
  });

  it.each(files)('are not used for files any more: $old is now $now', ({ old }) => {
    expect(NAMES_OF_FILES).not.toContain(old);
  });
});
