import type { Colours } from './colour.js';
import { lineDiff, type LineChange } from './line-diff.js';

const CONTEXT = 3;

/** A unified diff of one file, as `patch` reads it; empty when nothing differs. */
export function unifiedDiff(file: string, before: string, after: string, paint: Colours): string {
  const changes = lineDiff(linesOf(before), linesOf(after));
  const hunks = hunksOf(changes).map((hunk) => hunkText(hunk, paint));
  return hunks.length === 0 ? '' : `${paint.bold(`--- a/${file}\n+++ b/${file}`)}\n${hunks.join('')}`;
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  return lines.at(-1) === ''
    ? lines.slice(0, -1)
    : [...lines.slice(0, -1), `${lines.at(-1)!}\n\\ No newline at end of file`];
}

interface Hunk {
  /** Lines from 1. */
  readonly before: number;
  readonly after: number;
  readonly changes: readonly LineChange[];
}

function hunksOf(changes: readonly LineChange[]): Hunk[] {
  const near = changes.map((_, index) =>
    changes.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ kind }) => kind !== ' '),
  );
  const hunks: { before: number; after: number; changes: LineChange[] }[] = [];
  let [before, after] = [1, 1];
  changes.forEach((change, index) => {
    if (near[index] === true) {
      if (near[index - 1] !== true) hunks.push({ before, after, changes: [] });
      hunks.at(-1)!.changes.push(change);
    }
    if (change.kind !== '+') before += 1;
    if (change.kind !== '-') after += 1;
  });
  return hunks;
}

function hunkText({ before, after, changes }: Hunk, paint: Colours): string {
  const count = (other: '+' | '-'): number => changes.filter(({ kind }) => kind !== other).length;
  const head = `@@ -${before},${count('+')} +${after},${count('-')} @@`;
  const lines = changes.map(({ kind, text }) => {
    const line = `${kind}${text}`;
    if (kind === ' ') return line;
    return kind === '+' ? paint.green(line) : paint.red(line);
  });
  return `${[paint.dim(head), ...lines].join('\n')}\n`;
}
