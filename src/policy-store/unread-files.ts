import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { ENVIRONMENTS, type PolicyProblem } from '../core/index.js';
import { FILE_NAME } from './policy-files.js';

/** The first lines of a policy file; other files of an environment's folder are of no interest. */
const IS_POLICY = /^\uFEFF?apiVersion:\s*['"]?weir\/v1/m;
const FILE_NAME_IN_ANY_CASE = /\.ya?ml$/i;

/** The policy files that no policy loads. */
export interface UnreadFiles {
  /** One error per file. */
  readonly problems: readonly PolicyProblem[];
  /** Absolute paths of the folders below those of the environments, to watch for changes. */
  readonly folders: readonly string[];
}

/**
 * Finds policy files below the folders of the environments that no policy loads: in a subfolder without `extends`, or with a name that is
 * not that of a policy file. Their rules would not apply, and nobody would notice.
 *
 * @param root absolute path of the policies directory
 * @param read paths of the loaded files, as in messages
 */
export async function findUnreadFiles(root: string, read: ReadonlySet<string>): Promise<UnreadFiles> {
  const problems: PolicyProblem[] = [];
  const folders: string[] = [];
  for (const environment of ENVIRONMENTS) {
    const entries = await readdir(path.join(root, environment), { recursive: true, withFileTypes: true }).catch(
      () => [],
    );
    for (const entry of entries) {
      const full = path.join(entry.parentPath, entry.name);
      const below = path.relative(root, full).split(path.sep);
      // Hidden folders are those of editors and of mounted volumes.
      if (below.some((name) => name.startsWith('.'))) continue;
      if (entry.isDirectory()) folders.push(full);
      // A file directly in the folder is loaded; if that fails, there is another error.
      const isTried = below.length === 2 && FILE_NAME.test(entry.name);
      if (entry.isDirectory() || isTried || !FILE_NAME_IN_ANY_CASE.test(entry.name)) continue;
      const file = [path.basename(root), ...below].join('/');
      if (read.has(file)) continue;
      const text = await readFile(full, 'utf8').catch(() => '');
      if (IS_POLICY.test(text)) problems.push(unread(file, below.length));
    }
  }
  return { problems: problems.sort((a, b) => (a.file < b.file ? -1 : 1)), folders };
}

function unread(file: string, depth: number): PolicyProblem {
  const hint =
    depth === 2
      ? 'the name of a policy file ends in .yaml or .yml, in small letters'
      : 'policy files are directly in the folder of their environment; other files must be named under `extends`';
  const message = 'no policy loads this file';
  return { code: 'G011', level: 'error', message, file, line: 1, column: 1, length: 1, hint };
}
