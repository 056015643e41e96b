import { readdir, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { isBuiltIn, type Environment, type PolicyProblem } from '../core/index.js';

export interface PolicyFile {
  /** The path as in messages: the directory's own name, then the path inside it, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export interface PolicyFiles {
  readonly files: readonly PolicyFile[];
  /** The environment's own files; the others are reached by `extends`. */
  readonly entry: readonly string[];
  /** Absolute paths of the folders that were searched for files, to watch for changes. */
  readonly folders: readonly string[];
  /** Errors because of which files could not be read. */
  readonly problems: readonly PolicyProblem[];
}

const MAX_FILES = 1_000;
/** Hidden files (an editor's, a volume's) are not policy files. */
export const FILE_NAME = /^[^.].*\.ya?ml$/;

/**
 * Reads the files of one environment's folder and every file that they extend, directly or not. Nothing outside the policies directory
 * is read, not even through a symbolic link.
 *
 * @param root absolute path of the policies directory
 * @throws nothing for errors in the files: they are in `problems`
 */
export async function readPolicyFiles(root: string, environment: Environment): Promise<PolicyFiles> {
  const reader = new Reader(root);
  const folder = path.join(root, environment);
  const names = await yamlNames(folder);
  if (names === undefined || names.length === 0) {
    const message =
      names === undefined ? `there is no folder "${environment}"` : `the folder "${environment}" has no policy file`;
    return {
      files: [],
      entry: [],
      folders: [root, folder],
      problems: [problem('G011', reader.nameOf(folder), message)],
    };
  }
  const queue = names.map((name) => path.join(folder, name));
  const entry = queue.map((file) => reader.nameOf(file));
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) queue.push(...(await reader.read(file)));
  return { files: reader.files, entry, folders: [root, folder, ...reader.folders], problems: reader.problems };
}

/** The names of a folder's policy files; undefined when the folder does not exist. */
async function yamlNames(folder: string): Promise<string[] | undefined> {
  try {
    const names = await readdir(folder);
    return names.filter((name) => FILE_NAME.test(name)).sort();
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

class Reader {
  readonly files: PolicyFile[] = [];
  readonly problems: PolicyProblem[] = [];
  readonly folders = new Set<string>();
  private readonly seen = new Set<string>();

  constructor(private readonly root: string) {}

  nameOf(file: string): string {
    return path.join(path.basename(this.root), path.relative(this.root, file)).split(path.sep).join('/');
  }

  /** Reads one file and returns the paths of the files that it extends. */
  async read(file: string): Promise<string[]> {
    if (this.seen.has(file)) return [];
    this.seen.add(file);
    this.folders.add(path.dirname(file));
    if (this.seen.size > MAX_FILES) {
      this.add('G010', file, `\`extends\` names more than ${MAX_FILES} files in total`);
      return [];
    }
    const text = await this.textOf(file);
    if (text === undefined) return [];
    this.files.push({ path: this.nameOf(file), text });
    return extendsOf(text).flatMap((relative) => {
      const target = path.resolve(path.dirname(file), relative);
      if (inside(this.root, target)) return [target];
      this.problems.push({
        ...problem('G012', this.nameOf(file), '`extends` names a file outside the policies directory'),
        ...placeOf(relative, text),
      });
      return [];
    });
  }

  private async textOf(file: string): Promise<string | undefined> {
    try {
      if (!inside(await realpath(this.root), await realpath(file))) {
        this.add('G012', file, 'the file is a link to a file outside the policies directory');
        return undefined;
      }
      return await readFile(file, 'utf8');
    } catch (error) {
      // The compiler reports a missing file: it knows the line that extends it.
      if (codeOf(error) !== 'ENOENT')
        this.add('G012', file, `the file cannot be read (${codeOf(error) ?? 'unknown error'})`);
      return undefined;
    }
  }

  private add(code: string, file: string, message: string): void {
    this.problems.push(problem(code, this.nameOf(file), message));
  }
}

/** The `extends` of a text, as far as it can be parsed: the compiler reports errors in the file. */
function extendsOf(text: string): string[] {
  try {
    const document: unknown = parse(text, { version: '1.2', schema: 'core', maxAliasCount: 0, logLevel: 'silent' });
    const list = typeof document === 'object' && document !== null && 'extends' in document ? document.extends : [];
    return (Array.isArray(list) ? (list as unknown[]) : []).filter(
      (item): item is string => typeof item === 'string' && !isBuiltIn(item),
    );
  } catch {
    return [];
  }
}

/** The first place where a text names the path: the compiler has no positions before it has the files. */
function placeOf(needle: string, text: string): { line: number; column: number; length: number } {
  const before = text.slice(0, Math.max(0, text.indexOf(needle))).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, length: needle.length };
}

function inside(root: string, file: string): boolean {
  const relative = path.relative(root, file);
  return relative !== '' && !relative.startsWith(`..${path.sep}`) && relative !== '..' && !path.isAbsolute(relative);
}

function problem(code: string, file: string, message: string): PolicyProblem {
  return { code, level: 'error', message, file, line: 1, column: 1, length: 1 };
}

function codeOf(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}
