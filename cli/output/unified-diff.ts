import { structuredPatch, type StructuredPatchHunk } from 'diff';
import type { Colours } from './colour.js';

const CONTEXT_LINES = 3;

/** One file in two states; undefined where it does not exist. */
export interface FileStates {
  /** Relative to the folder in which the patch is applied, with forward slashes. */
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/**
 * A patch for `git apply` and `patch -p1` (the unified format of GNU diff:
 * https://www.gnu.org/software/diffutils/manual/html_node/Detailed-Unified.html); empty without differences.
 */
export function gitPatch(files: readonly FileStates[]): string {
  return files.map(filePatch).join('');
}

/** A unified diff of one file for the terminal; without colours, `patch` can read it. Empty without differences. */
export function unifiedDiff(file: string, before: string, after: string, paint: Colours): string {
  const hunks = hunksOf(before, after).map((hunk) => hunkText(hunk, paint));
  return hunks.length === 0 ? '' : `${paint.bold(`--- a/${file}\n+++ b/${file}`)}\n${hunks.join('')}`;
}

function filePatch({ path, before, after }: FileStates): string {
  if (before === after) return '';
  const head = [
    `diff --git a/${path} b/${path}`,
    ...(before === undefined ? ['new file mode 100644'] : []),
    ...(after === undefined ? ['deleted file mode 100644'] : []),
    before === undefined ? '--- /dev/null' : `--- a/${path}`,
    after === undefined ? '+++ /dev/null' : `+++ b/${path}`,
  ];
  const hunks = hunksOf(before ?? '', after ?? '').map((hunk) => hunkText(hunk));
  return `${head.join('\n')}\n${hunks.join('')}`;
}

function hunksOf(before: string, after: string): readonly StructuredPatchHunk[] {
  return structuredPatch('', '', before, after, '', '', { context: CONTEXT_LINES }).hunks;
}

function hunkText({ oldStart, oldLines, newStart, newLines, lines }: StructuredPatchHunk, paint?: Colours): string {
  const head = `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`;
  if (paint === undefined) return `${[head, ...lines].join('\n')}\n`;
  const painted = lines.map((line) =>
    line.startsWith('+') ? paint.green(line) : line.startsWith('-') ? paint.red(line) : line,
  );
  return `${[paint.dim(head), ...painted].join('\n')}\n`;
}

/** The range of a hunk header; an empty range starts at the line before it. */
function range(start: number, count: number): string {
  return count === 0 ? `${start - 1},0` : `${start},${count}`;
}
