import { BUNDLE_SCHEMA, type BundleFile, type ErrorDetail } from '../core/index.js';

/** A file's new text, or null for a file to be deleted. */
export interface FileChange {
  readonly path: string;
  readonly text: string | null;
}

const FILE = BUNDLE_SCHEMA.shape.files.element;

/** The files after the changes, or the problems of the changes. */
export function changeFiles(
  files: readonly BundleFile[],
  changes: readonly FileChange[],
): BundleFile[] | { readonly problems: ErrorDetail[] } {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const problems: ErrorDetail[] = [];
  for (const [index, { path, text }] of changes.entries()) {
    const at = `changes[${index}].path`;
    if (!FILE.safeParse({ path, text: text ?? '' }).success)
      problems.push({ path: at, message: 'must be a relative path' });
    else if (text !== null) texts.set(path, text);
    else if (!texts.delete(path)) problems.push({ path: at, message: 'there is no such file to remove' });
  }
  return problems.length > 0 ? { problems } : [...texts].map(([path, text]) => ({ path, text }));
}
