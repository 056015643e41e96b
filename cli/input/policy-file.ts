import { readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { parse } from 'yaml';
import {
  type CompiledPolicy,
  compilePolicy,
  type Environment,
  ENVIRONMENTS,
  formatProblems,
  isBuiltIn,
  type PluginCatalog,
  required,
} from '../../src/core/index.js';
import { CliError, EXIT, usageError } from '../exit-code.js';
import { write, type Io } from '../io.js';

const MAX_FILES = 1_000;

/**
 * Compiles one policy file, with the files that it extends, for the environment that it names (default: `production`). Problems are
 * printed to stderr with their source lines.
 *
 * @throws CliError exit 2 when the file cannot be read, exit 3 when it cannot be compiled
 */
export async function compilePolicyFile(file: string, catalog: PluginCatalog, io: Io): Promise<CompiledPolicy> {
  const root = resolve(io.cwd, file);
  const sources = new Map<string, string>();
  const nameOf = (path: string): string => relative(io.cwd, path).split(sep).join('/');
  const queue = [root];
  for (let next = queue.shift(); next !== undefined && sources.size < MAX_FILES; next = queue.shift()) {
    if (sources.has(nameOf(next))) continue;
    const text = await textOf(next);
    if (text === undefined) {
      if (next === root) throw usageError(`there is no file ${file}`);
      // The compiler reports a missing file at the line that extends it.
      continue;
    }
    sources.set(nameOf(next), text);
    for (const extended of head(text).extends) queue.push(join(dirname(next), extended));
  }
  const { policy, problems } = compilePolicy({
    environment: head(required(sources.get(nameOf(root)), file)).environment,
    files: [...sources].map(([path, text]) => ({ path, text })),
    entry: [nameOf(root)],
    plugins: catalog,
  });
  if (problems.length > 0) await write(io.stderr, `${formatProblems(problems, sources)}\n`);
  if (policy === undefined) throw new CliError(EXIT.uncompilable, `${file} could not be compiled`);
  return policy;
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** The two keys that determine which files are read; the compiler reports errors in the file. */
function head(text: string): { readonly extends: readonly string[]; readonly environment: Environment } {
  let document: Record<string, unknown> = {};
  try {
    const parsed: unknown = parse(text, { version: '1.2', maxAliasCount: 0, logLevel: 'silent' });
    if (typeof parsed === 'object' && parsed !== null) document = { ...parsed };
  } catch {
    // Not YAML: the compiler reports the place.
  }
  const files = document['extends'];
  return {
    extends: Array.isArray(files) ? files.filter((name) => typeof name === 'string' && !isBuiltIn(name)) : [],
    environment: ENVIRONMENTS.find((name) => name === document['environment']) ?? 'production',
  };
}
