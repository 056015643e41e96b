/** Levenshtein distance between two short names. */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(substitution, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
}

/** The known name that is nearest to a misspelt one, if the difference is small enough. */
export function didYouMean(written: string, known: readonly string[]): string | undefined {
  // A distance of two covers a transposition; longer names may differ by more.
  const limit = written.length < 4 ? 1 : Math.max(2, Math.floor(written.length / 5));
  const ranked = known
    .map((name) => ({ name, cost: distance(written, name) }))
    .filter(({ cost }) => cost <= limit)
    .sort((a, b) => a.cost - b.cost);
  return ranked[0]?.name;
}
