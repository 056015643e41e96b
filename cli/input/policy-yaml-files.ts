import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { usageError } from '../exit-code.js';
import type { Io } from '../io.js';
import { cannotRead } from '../named-files.js';
import { kindOf, type ProjectFile } from './project.js';

const SKIPPED = new Set(['node_modules', '_schema']);

/**
 * Reads the named files, and every file in one of Weir's formats below the named folders, sorted by the path that messages show. Files
 * of other programs in folders are left out; a named file is always included.
 *
 * @throws CliError exit 2 for a missing file or folder
 */
export async function policyYamlFiles(named: readonly string[], io: Io): Promise<ProjectFile[]> {
  const found = new Map<string, ProjectFile>();
  for (const one of named) {
    const start = path.resolve(io.cwd, one);
    const kind = await kindOf(start);
    if (kind === undefined) throw usageError(`there is no file or folder ${one}`);
    const paths = kind === 'file' ? [start] : await yamlBelow(start);
    for (const file of paths) {
      const name = path.relative(io.cwd, file).split(path.sep).join('/');
      const text = await readFile(file, 'utf8').catch((error: unknown) => {
        throw cannotRead(name, error);
      });
      if (kind === 'file' || /^apiVersion:\s*['"]?weir\//m.test(text)) found.set(name, { path: name, text });
    }
  }
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function yamlBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry) => {
      if (entry.name.startsWith('.') || SKIPPED.has(entry.name)) return [];
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) return yamlBelow(file);
      return entry.isFile() && /\.ya?ml$/.test(entry.name) ? [file] : [];
    }),
  );
  return found.flat();
}
