import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** Compressed size of the files that a browser loads, compared with its limit. */
export interface Weight {
  readonly name: string;
  readonly kilobytes: number;
  readonly goal: number;
}

interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly isDynamicEntry?: boolean;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

const SCRIPTS_KB = 160;
const STYLES_KB = 20;
const PAGE_KB = 60;
/**
 * Limit for chunks that contain the code editor: the views of policies and differences, and the blame of a file, which compares
 * versions with parts of the editor.
 */
const CODE_KB = 110;
const CODE = /\/(code\.tsx|blame\.ts)$/;

/** Weights of the build's output: everything loaded with the first page, and what each lazily loaded part adds. */
export function weights(folder: string): Weight[] {
  const manifest = JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;
  const closure = (name: string): Set<string> => {
    const found = new Set<string>();
    const add = (each: string): void => {
      if (found.has(each)) return;
      found.add(each);
      manifest[each]?.imports?.forEach(add);
    };
    add(name);
    return found;
  };
  const kilobytes = (files: Iterable<string>): number =>
    [...new Set(files)].reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file))).length, 0) / 1_000;
  const scripts = (names: Iterable<string>): string[] => [...names].map((name) => manifest[name]!.file);
  const styles = (names: Iterable<string>): string[] => [...names].flatMap((name) => manifest[name]!.css ?? []);
  const [entry] = Object.entries(manifest).find(([, { isEntry }]) => isEntry === true)!;
  const first = closure(entry);
  const theme = [...readFileSync(join(folder, 'index.html'), 'utf8').matchAll(/<script src="\/(assets\/[^"]+)"/g)];
  const pages = Object.keys(manifest)
    .filter((name) => manifest[name]!.isDynamicEntry === true)
    .map((name) => ({ name, own: [...closure(name)].filter((each) => !first.has(each)) }));
  return [
    {
      name: 'scripts at first',
      kilobytes: kilobytes([...scripts(first), ...theme.map(([, file]) => file!)]),
      goal: SCRIPTS_KB,
    },
    { name: 'styles at first', kilobytes: kilobytes(styles(first)), goal: STYLES_KB },
    ...pages.map(({ name, own }) => ({
      name: `scripts of ${name.replace(/^src\//, '')}`,
      kilobytes: kilobytes(scripts(own)),
      goal: CODE.test(name) ? CODE_KB : PAGE_KB,
    })),
  ];
}
