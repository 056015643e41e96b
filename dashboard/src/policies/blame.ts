/** Compares the versions of a file, line by line. */
import { Chunk } from '@codemirror/merge';
import { Text } from '@codemirror/state';

export interface Version {
  readonly number: number;
  readonly text: string;
}

/**
 * For each line of the newest version, the deployment that last changed it, such as `#7`, or `≤ #7` if an older one may have.
 *
 * @param versions newest first
 * @param hasOlder whether there are versions older than the last one
 */
export function blameOf(versions: readonly Version[], hasOlder: boolean): readonly string[] {
  const [shown] = versions;
  if (shown === undefined) return [];
  let docs = Text.of(shown.text.split('\n'));
  // For each line of the version that the loop has reached, its line in the shown version; undefined if the shown version lacks it.
  let places: readonly (number | undefined)[] = Array.from({ length: docs.lines }, (_, at) => at);
  const since: string[] = new Array<string>(docs.lines).fill('');
  versions.forEach(({ number }, index) => {
    const older = versions[index + 1];
    if (older === undefined) {
      for (const at of places) if (at !== undefined) since[at] = hasOlder ? `≤ #${number}` : `#${number}`;
      return;
    }
    const before = Text.of(older.text.split('\n'));
    const kept = unchangedLines(before, docs);
    const next: (number | undefined)[] = new Array<number | undefined>(before.lines).fill(undefined);
    places.forEach((at, line) => {
      const from = kept.get(line);
      if (from !== undefined) next[from] = at;
      else if (at !== undefined) since[at] = `#${number}`;
    });
    [docs, places] = [before, next];
  });
  return since;
}

/** Maps each unchanged line of the newer text (from 0) to its line in the older text. */
function unchangedLines(older: Text, newer: Text): ReadonlyMap<number, number> {
  const kept = new Map<number, number>();
  let [from, to] = [1, 1];
  const upTo = (endFrom: number, endTo: number): void => {
    while (from < endFrom && to < endTo) kept.set(to++ - 1, from++ - 1);
  };
  for (const chunk of Chunk.build(older, newer)) {
    upTo(lineAt(older, chunk.fromA), lineAt(newer, chunk.fromB));
    [from, to] = [lineAt(older, chunk.toA), lineAt(newer, chunk.toB)];
  }
  upTo(older.lines + 1, newer.lines + 1);
  return kept;
}

/** The position after the end of the text counts as a line of its own. */
const lineAt = (text: Text, at: number): number => (at > text.length ? text.lines + 1 : text.lineAt(at).number);
