/** Reads the two walks of docs/architecture.md. */
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

export interface Walk {
  readonly title: string;
  /** In the order of the walk. */
  readonly files: readonly string[];
  /** Files and folders that the files of the walk use. */
  readonly asked: readonly string[];
}

/** The walks of the page, in its order. */
export function walksOf(page = readFileSync(join(ROOT, 'docs', 'architecture.md'), 'utf8')): readonly Walk[] {
  const section = /^## Two walks\n(.*?)^## /ms.exec(page)?.[1] ?? '';
  return section
    .split(/^### /m)
    .slice(1)
    .map((part) => {
      const [title = '', ...lines] = part.split('\n');
      const walk = lines.join('\n');
      const [numbered = '', asked = ''] = walk.split(/^Used by these files/m);
      return {
        title,
        files: [...numbered.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file = '']) => file),
        asked: [...asked.matchAll(/`(src\/[^`]+)`/g)].map(([, path = '']) => path),
      };
    });
}

/** The files that a file of src imports, directly or through the `index.ts` of a folder. */
export function importsOf(file: string, isIndex = false): ReadonlySet<string> {
  const found = new Set<string>();
  const text = readFileSync(join(ROOT, file), 'utf8');
  const statements = isIndex
    ? text.matchAll(/^export\s+(?!type\b)[^;]*?\sfrom '(\.[^']+)';/gms)
    : text.matchAll(/^import\s+(?!type\b)[^;]*?\sfrom '(\.[^']+)';/gms);
  for (const [, specifier = ''] of statements) {
    const path = resolve(ROOT, dirname(file), specifier.replace(/\.js$/, '.ts')).slice(ROOT.length + 1);
    found.add(path);
    if (path.endsWith('/index.ts')) for (const behind of importsOf(path, true)) found.add(behind);
  }
  return found;
}
