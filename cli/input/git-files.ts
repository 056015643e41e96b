import path from 'node:path';
import { ENVIRONMENTS } from '../../src/core/index.js';
import { CliError, EXIT, usageError } from '../exit-code.js';
import { git, GitError } from './git.js';
import type { ProjectFile } from './project.js';

export interface Revision {
  /** The path as it was requested. */
  readonly name: string;
  readonly commit: string;
  /** Every YAML file below the folder at that commit, with the paths that messages show. */
  readonly files: readonly ProjectFile[];
}

/** An entry of a git tree: its mode, and the id of its content. */
interface Entry {
  readonly mode: string;
  readonly object: string;
}

const LINK = '120000';
/** As in Linux. */
const MAX_LINKS = 40;

/**
 * Reads the YAML files of a folder at a revision. Works in any subfolder of a repository, without a checkout. Links within the folder
 * are followed, as in the working tree.
 *
 * @param root absolute path of the folder
 * @param nameOf converts an absolute path to the path that messages show
 * @throws CliError exit 2 without a repository or git, or if the revision does not exist; exit 3 for a link that leads nowhere
 */
export async function filesAt(revision: string, root: string, nameOf: (file: string) => string): Promise<Revision> {
  if (revision.startsWith('-') || revision === '') throw usageError(`"${revision}" is not a git revision`);
  const commit = await commitOf(revision, root);
  const entries = new Map(
    (await git(root, ['ls-tree', '-r', '-z', commit, '.'])).split('\0').flatMap((line): [string, Entry][] => {
      const [, mode, object, name] = /^(\d+) \w+ ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
      return mode === undefined || object === undefined || name === undefined ? [] : [[name, { mode, object }]];
    }),
  );
  const textOf = (object: string): Promise<string> => git(root, ['cat-file', 'blob', object]);
  const links = new Map<string, string>();
  for (const [name, { mode, object }] of entries) {
    if (mode !== LINK) continue;
    const target = path.resolve(root, path.dirname(name), await textOf(object));
    links.set(name, path.relative(root, target).split(path.sep).join('/'));
  }
  const files: ProjectFile[] = [];
  for (const [name, object] of withoutLinks(entries, links, (link) => `${revision}:${nameOf(path.join(root, link))}`)) {
    if (/\.ya?ml$/.test(name)) files.push({ path: nameOf(path.join(root, name)), text: await textOf(object) });
  }
  return { name: revision, commit, files };
}

async function commitOf(revision: string, root: string): Promise<string> {
  try {
    return (await git(root, ['rev-parse', '--verify', '--quiet', `${revision}^{commit}`])).trim();
  } catch (error) {
    if (!(error instanceof GitError) || error.why !== 'no revision') throw error;
    const isShallow = (await git(root, ['rev-parse', '--is-shallow-repository'])).trim() === 'true';
    const hint = isShallow ? ', a shallow clone: fetch more, such as git fetch --unshallow' : '';
    throw usageError(`there is no revision "${revision}" in this repository${hint}`);
  }
}

/**
 * The files by their names, with the ids of their contents. A link to a file has the content of that file, and below a link to a folder
 * are the files of that folder.
 *
 * @param links the target of each link, relative to the folder
 * @throws CliError (exit 3) for the link of a policy that leads to no file in the folder
 */
function withoutLinks(
  entries: ReadonlyMap<string, Entry>,
  links: ReadonlyMap<string, string>,
  nameOf: (link: string) => string,
): Map<string, string> {
  const files = new Map<string, string>();
  const put = (name: string, at: string): boolean => {
    const entry = entries.get(behindLinks(at, links) ?? '');
    if (entry !== undefined) files.set(name, entry.object);
    return entry !== undefined;
  };
  for (const name of entries.keys()) {
    if (put(name, name)) continue;
    const target = behindLinks(name, links);
    const below = [...entries.keys()].filter((other) => target !== undefined && other.startsWith(`${target}/`));
    for (const other of below) put(`${name}${other.slice(target?.length)}`, other);
    if (below.length === 0 && isPolicy(name)) {
      const words = 'is a broken link, or a link to a place outside the policies folder';
      throw new CliError(EXIT.uncompilable, `${nameOf(name)} ${words}`);
    }
  }
  return files;
}

/** The path that a path leads to; undefined in a loop. The path of a place outside the folder begins with `..`. */
function behindLinks(name: string, links: ReadonlyMap<string, string>, followed = 0): string | undefined {
  if (followed > MAX_LINKS) return undefined;
  const parts = name.split('/');
  for (let count = 1; count <= parts.length; count++) {
    const target = links.get(parts.slice(0, count).join('/'));
    if (target === undefined) continue;
    return behindLinks(path.posix.join(target, ...parts.slice(count)), links, followed + 1);
  }
  return name;
}

/** Whether a link stands for policy files: without them, the policy would be another one. */
function isPolicy(link: string): boolean {
  return /(?:^|\/)[^./][^/]*\.ya?ml$/.test(link) || ENVIRONMENTS.some((environment) => environment === link);
}
