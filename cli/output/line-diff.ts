/** Lines that both have, that only the first has, and that only the second has, in order. */
export type LineChange = { readonly kind: ' ' | '-' | '+'; readonly text: string };

/** The shortest edit of one list of lines into another, by longest common subsequence. For texts of a few hundred lines. */
export function lineDiff(before: readonly string[], after: readonly string[]): LineChange[] {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  for (let a = before.length - 1; a >= 0; a--) {
    for (let b = after.length - 1; b >= 0; b--) {
      lengths[a]![b] =
        before[a] === after[b] ? lengths[a + 1]![b + 1]! + 1 : Math.max(lengths[a + 1]![b]!, lengths[a]![b + 1]!);
    }
  }
  const changes: LineChange[] = [];
  let [a, b] = [0, 0];
  while (a < before.length || b < after.length) {
    if (a < before.length && b < after.length && before[a] === after[b]) {
      changes.push({ kind: ' ', text: before[a]! });
      a += 1;
      b += 1;
    } else if (a < before.length && (b >= after.length || lengths[a + 1]![b]! >= lengths[a]![b + 1]!)) {
      changes.push({ kind: '-', text: before[a++]! });
    } else changes.push({ kind: '+', text: after[b++]! });
  }
  return changes;
}
