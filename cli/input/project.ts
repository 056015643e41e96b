import { lstat, readdir, readFile, readlink, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { PROJECT_FILE, readProjectConfig, type ProjectConfig } from '../../src/authoring/index.js';
import {
  compilePolicy,
  ENVIRONMENTS,
  isBuiltIn,
  type CompiledPolicy,
  type Environment,
  type PluginCatalog,
  type PolicyProblem,
} from '../../src/core/index.js';
import { CliError, EXIT, usageError } from '../exit-code.js';
import type { Io } from '../io.js';

/** A text with the path that messages show: relative to the user's working directory, with forward slashes. */
export interface ProjectFile {
  readonly path: string;
  readonly text: string;
}

export interface EnvironmentFiles {
  readonly environment: Environment;
  /** The files of its folder, and all files that they extend. */
  readonly files: readonly ProjectFile[];
  /** Paths of the files in its folder. */
  readonly entry: readonly string[];
}

/** The content of a policies folder on disk. */
export interface Project {
  /** Absolute path of the policies folder. */
  readonly root: string;
  /** The path of the folder that messages show. */
  readonly name: string;
  readonly config: ProjectConfig;
  /** The configured environments that have a folder, in the configured order. */
  readonly environments: readonly EnvironmentFiles[];
  /** `tests/*.test.yaml`, by name. */
  readonly tests: readonly ProjectFile[];
  /** Every text that was read, by its path. */
  readonly sources: ReadonlyMap<string, string>;
  /** Problems of the project file, and of files that could not be read. */
  readonly problems: readonly PolicyProblem[];
}

export interface ProjectOptions {
  /** The policies folder, or its parent; default: `policies` in the working directory, or the working directory itself. */
  readonly folder?: string | undefined;
  /** Texts that replace files, by absolute path, such as an unsaved file of an editor. */
  readonly instead?: ReadonlyMap<string, string>;
}

const MAX_FILES = 1_000;

/**
 * Reads a policies folder: its project file, environments and tests. Only files are read; nothing is compiled.
 *
 * @throws CliError exit 2 if the folder does not exist, exit 7 without a policies folder or an environment in it
 */
export async function readProject(io: Io, options: ProjectOptions = {}): Promise<Project> {
  const { reader, root, config, problems } = await openProject(io, options);
  const environments: EnvironmentFiles[] = [];
  for (const environment of config.environments) {
    const found = await reader.environment(environment);
    if (found !== undefined) environments.push(found);
  }
  if (environments.length === 0 && !hasErrors(problems)) {
    const name = reader.nameOf(root) || '.';
    throw new CliError(EXIT.nothing, `${name} has no environment: expected a folder ${ENVIRONMENTS.join(', ')}`);
  }
  const tests: ProjectFile[] = [];
  for (const name of await namesIn(path.join(root, 'tests'), /^[^.].*\.test\.ya?ml$/)) {
    const file = path.join(root, 'tests', name);
    const text = await reader.textOf(file);
    if (text !== undefined) tests.push({ path: reader.nameOf(file), text });
  }
  const { sources } = reader;
  const name = reader.nameOf(root) || '.';
  return { root, name, config, environments, tests, sources, problems: [...problems, ...reader.problems] };
}

/**
 * Reads only the project file of a policies folder. A folder without one has the default settings.
 *
 * @throws CliError exit 2 if the folder does not exist, exit 7 without a policies folder
 */
export async function readProjectFile(
  io: Io,
  options: ProjectOptions = {},
): Promise<Pick<Project, 'config' | 'sources' | 'problems'>> {
  const { reader, config, problems } = await openProject(io, options);
  return { config, sources: reader.sources, problems: [...problems, ...reader.problems] };
}

async function openProject(io: Io, options: ProjectOptions) {
  const root = await findRoot(io, options);
  const reader = new Reader(io, root, options.instead ?? new Map());
  const file = io.projectFile === undefined ? path.join(root, PROJECT_FILE) : path.resolve(io.cwd, io.projectFile);
  const text = await reader.textOf(file, 'may be missing');
  return { reader, root, ...readProjectConfig(reader.nameOf(file), text) };
}

/** Compiles the policies of a project's environments; `policies` contains those without an error. */
export function compileProject(
  environments: readonly EnvironmentFiles[],
  plugins: PluginCatalog,
): { readonly policies: ReadonlyMap<Environment, CompiledPolicy>; readonly problems: readonly PolicyProblem[] } {
  const policies = new Map<Environment, CompiledPolicy>();
  const problems = new Map<string, PolicyProblem>();
  for (const input of environments) {
    const compiled = compilePolicy({ ...input, plugins });
    if (compiled.policy !== undefined) policies.set(input.environment, compiled.policy);
    // A shared file has the same problem in every environment, so problems are deduplicated.
    for (const problem of compiled.problems) problems.set(JSON.stringify(problem), problem);
  }
  return { policies, problems: [...problems.values()] };
}

export function hasErrors(problems: readonly PolicyProblem[]): boolean {
  return problems.some(({ level }) => level === 'error');
}

/** Finds the default policies folder; returns its path relative to the working directory. */
export async function policiesRoot(io: Io): Promise<string> {
  return path.relative(io.cwd, await findRoot(io, {})) || '.';
}

async function findRoot(io: Io, { folder }: ProjectOptions): Promise<string> {
  if (io.projectFile !== undefined) {
    const file = path.resolve(io.cwd, io.projectFile);
    if ((await kindOf(file)) !== 'file') throw usageError(`there is no file ${io.projectFile}`);
    if (folder === undefined) return path.dirname(file);
  }
  const start = path.resolve(io.cwd, folder ?? io.env['WEIR_POLICIES_DIR'] ?? '.');
  for (const candidate of folder === undefined
    ? [path.join(start, 'policies'), start]
    : [start, path.join(start, 'policies')]) {
    if (await isPoliciesFolder(candidate)) return candidate;
  }
  if (folder !== undefined && (await kindOf(start)) === undefined) throw usageError(`there is no folder ${folder}`);
  const { WEIR_POLICIES_DIR: set = '' } = io.env;
  const where = folder ?? (set === '' ? 'the current folder' : set);
  throw new CliError(EXIT.nothing, `there is no policies folder in ${where}; create one: weir init`);
}

async function isPoliciesFolder(folder: string): Promise<boolean> {
  const names = [PROJECT_FILE, ...ENVIRONMENTS];
  const kinds = await Promise.all(names.map((name) => kindOf(path.join(folder, name))));
  return kinds[0] === 'file' || kinds.slice(1).includes('folder');
}

/** The kind of the entry at a path; undefined if it does not exist. */
export async function kindOf(file: string): Promise<'file' | 'folder' | undefined> {
  try {
    return (await stat(file)).isDirectory() ? 'folder' : 'file';
  } catch {
    return undefined;
  }
}

/** The names of matching files. `form` excludes hidden files of editors and volumes, which are not policy files. */
async function namesIn(folder: string, form: RegExp): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => form.test(name)).sort();
  } catch {
    return [];
  }
}

class Reader {
  readonly sources = new Map<string, string>();
  readonly problems: PolicyProblem[] = [];
  /** A cache: a file that several environments share is processed only once. */
  private readonly files = new Map<string, { readonly file: ProjectFile; readonly bases: readonly string[] }>();

  constructor(
    private readonly io: Io,
    private readonly root: string,
    private readonly instead: ReadonlyMap<string, string>,
  ) {}

  nameOf(file: string): string {
    return path.relative(this.io.cwd, file).split(path.sep).join('/');
  }

  async environment(environment: Environment): Promise<EnvironmentFiles | undefined> {
    const folder = path.join(this.root, environment);
    if ((await kindOf(folder)) !== 'folder') return undefined;
    const entry = (await namesIn(folder, /^[^.].*\.ya?ml$/)).map((name) => path.join(folder, name));
    const files: ProjectFile[] = [];
    const seen = new Set<string>();
    const queue = [...entry];
    while (queue.length > 0 && seen.size < MAX_FILES) {
      const next = queue.shift();
      if (next === undefined || seen.has(next)) continue;
      seen.add(next);
      const text = await this.textOf(next, 'may be missing');
      if (text === undefined) continue;
      const { file, bases } = this.known(next, text);
      files.push(file);
      queue.push(...bases);
    }
    if (queue.some((file) => !seen.has(file))) {
      this.report(this.nameOf(folder), `the environment has more than ${MAX_FILES.toLocaleString('en')} files`);
    }
    return { environment, files, entry: entry.map((file) => this.nameOf(file)) };
  }

  private known(file: string, text: string): { readonly file: ProjectFile; readonly bases: readonly string[] } {
    const known = this.files.get(file);
    if (known !== undefined) return known;
    const bases = extendsOf(text)
      .map((target) => path.resolve(path.dirname(file), target))
      .filter((base) => this.isInside(base));
    const made = { file: { path: this.nameOf(file), text }, bases };
    this.files.set(file, made);
    return made;
  }

  /** Reads a file; undefined if it cannot be read, which is reported as a problem unless the file does not exist and may be missing. */
  async textOf(file: string, missing?: 'may be missing'): Promise<string | undefined> {
    const name = this.nameOf(file);
    const known = this.sources.get(name) ?? this.instead.get(file);
    if (known !== undefined) {
      this.sources.set(name, known);
      return known;
    }
    try {
      if (this.isInside(file) && !isBelow(await realpath(this.root), await realpath(file))) {
        this.report(name, 'the file is a link to a place outside the policies folder');
        return undefined;
      }
      const text = await readFile(file, 'utf8');
      this.sources.set(name, text);
      return text;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
      if (code === 'ENOENT' && (await isLink(file))) {
        this.report(name, `the file is a broken link: ${await readlink(file)}`);
        return undefined;
      }
      // The compiler reports a missing file at the line that extends it.
      if (code !== 'ENOENT' || missing === undefined) this.report(name, `the file cannot be read (${code})`);
      return undefined;
    }
  }

  private isInside(file: string): boolean {
    return isBelow(this.root, file);
  }

  private report(file: string, message: string): void {
    this.problems.push({ code: 'G012', level: 'error', message, file, line: 1, column: 1, length: 1 });
  }
}

async function isLink(file: string): Promise<boolean> {
  return lstat(file).then(
    (entry) => entry.isSymbolicLink(),
    () => false,
  );
}

function isBelow(root: string, file: string): boolean {
  const relative = path.relative(root, file);
  return relative !== '' && relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/** The `extends` of a text, as far as it is readable: the compiler reports errors in the file. */
function extendsOf(text: string): string[] {
  if (!text.includes('extends')) return [];
  try {
    const options = { version: '1.2', schema: 'core', maxAliasCount: 0, logLevel: 'silent' } as const;
    const document: unknown = parse(extendsBlock(text) ?? text, options);
    const list = typeof document === 'object' && document !== null && 'extends' in document ? document.extends : [];
    return (Array.isArray(list) ? (list as unknown[]) : []).filter(
      (item): item is string => typeof item === 'string' && !isBuiltIn(item),
    );
  } catch {
    return [];
  }
}

/**
 * The lines of `extends`, if it is a plain block: the key at the start of a line, with indented lines or list items below. Parsing
 * complete files takes long, and the compiler parses them anyway.
 */
function extendsBlock(text: string): string | undefined {
  const blocks = text.match(/^extends:.*(?:\r?\n(?:[ #].*|-(?:[ \t].*)?)?)*/gm);
  return blocks?.length === 1 ? blocks[0] : undefined;
}
