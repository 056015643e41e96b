/**
 * YAML with positions, and the typed reading of its maps. Problems are collected, so that a file reports all of them at
 * once.
 */

const MAX_COMPARED = 64;

/** The nearest of the known words as a hint, or undefined if none is near. */
export function didYouMean(word: string, known: Iterable<string>): string | undefined {
  const near = nearestWord(word, known);
  return near === undefined ? undefined : `did you mean "${near}"?${lookAlike(word, near)}`;
}

/**
 * The nearest of the known words, or undefined if none is near. Near means an edit distance (insert, delete, replace, swap
 * of neighbours) of at most a third of the word's length. If none is near: the only known word that starts with the given one.
 */
export function nearestWord(word: string, known: Iterable<string>): string | undefined {
  const words = [...known];
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of words) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best ?? onlyBeginning(word, words);
}

/** `prod` for `production`: the only known word with this prefix. */
function onlyBeginning(word: string, known: readonly string[]): string | undefined {
  if (word.length < 3) return undefined;
  const [only, ...others] = known.filter((candidate) => candidate.startsWith(word.toLowerCase()));
  return others.length === 0 ? only : undefined;
}

const SCRIPTS = { Cyrillic: /\p{Script=Cyrillic}/u, Greek: /\p{Script=Greek}/u, Armenian: /\p{Script=Armenian}/u };

/** A letter of another script can look like the right one, so the hint names its code point. */
function lookAlike(word: string, meant: string): string {
  const at = [...word].findIndex((letter) => letter.codePointAt(0)! > 0x7f && !meant.includes(letter));
  const letter = [...word][at];
  if (letter === undefined) return '';
  const code = letter.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
  const script = Object.entries(SCRIPTS).find(([, form]) => form.test(letter))?.[0];
  return ` Its character ${at + 1} is U+${code}${script === undefined ? '' : `, a ${script} letter`}`;
}

/** Optimal string alignment distance; anything at or over `limit` may be reported as `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit || Math.max(a.length, b.length) > MAX_COMPARED) return limit;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1));
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, beforeLast[column - 2]! + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length]!;
}
