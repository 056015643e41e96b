import { lineDiff, type LineChange } from '../output/line-diff.js';

const CONTEXT_LINES = 3;

/** One file in two states; undefined where it does not exist. */
export interface FileStates {
  /** From where the patch is applied, with forward slashes. */
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/**
 * A patch that `git apply` and `patch -p1` take (the unified format of GNU diff:
 * https://www.gnu.org/software/diffutils/manual/html_node/Detailed-Unified.html); empty where nothing differs.
 */
export function unifiedDiff(files: readonly FileStates[]): string {
  return files.map(filePatch).join('');
}

function filePatch({ path, before, after }: FileStates): string {
  if (before === after) return '';
  const changes = lineDiff(linesOf(before), linesOf(after));
  const head = [
    `diff --git a/${path} b/${path}`,
    ...(before === undefined ? ['new file mode 100644'] : []),
    ...(after === undefined ? ['deleted file mode 100644'] : []),
    before === undefined ? '--- /dev/null' : `--- a/${path}`,
    after === undefined ? '+++ /dev/null' : `+++ b/${path}`,
  ];
  // The markers of a missing last line feed are lines of the text here, and lines of their own in a patch.
  const hunks = hunksOf(changes).map((line) => line.replace(NO_LINE_FEED, '\n\\ No newline at end of file'));
  return `${[...head, ...hunks].join('\n')}\n`;
}

const NO_LINE_FEED = '\0';

function linesOf(text: string | undefined): string[] {
  if (text === undefined || text === '') return [];
  const lines = text.split('\n');
  const last = lines.pop()!;
  return last === '' ? lines : [...lines, `${last}${NO_LINE_FEED}`];
}

function hunksOf(changes: readonly LineChange[]): string[] {
  const isNear = changes.map((_, index) =>
    changes.slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1).some(({ kind }) => kind !== ' '),
  );
  const lines: string[] = [];
  let [before, after] = [1, 1];
  for (let index = 0; index < changes.length;) {
    if (!isNear[index]) {
      index += 1;
      before += 1;
      after += 1;
      continue;
    }
    const end = isNear.indexOf(false, index);
    const hunk = changes.slice(index, end === -1 ? undefined : end);
    const [old, now] = [hunk.filter(({ kind }) => kind !== '+').length, hunk.filter(({ kind }) => kind !== '-').length];
    lines.push(`@@ -${range(before, old)} +${range(after, now)} @@`, ...hunk.map(({ kind, text }) => kind + text));
    before += old;
    after += now;
    index += hunk.length;
  }
  return lines;
}

/** An empty range starts at the line before it. */
function range(start: number, count: number): string {
  return count === 0 ? `${start - 1},0` : `${start},${count}`;
}
