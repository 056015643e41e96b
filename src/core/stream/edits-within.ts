import type { TextEdit } from '../text/edit.js';

/**
 * Returns the parts of a text's edits that lie in a range of the text, with positions relative to the start of the range. If an edit begins
 * before the range, its part in the range has no replacement text.
 * @param edits sorted, without overlaps
 */
export function editsWithin(edits: readonly TextEdit[], start: number, end: number): TextEdit[] {
  let low = 0;
  let high = edits.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (edits[middle]!.end <= start) low = middle + 1;
    else high = middle;
  }
  const within: TextEdit[] = [];
  for (let at = low; at < edits.length && edits[at]!.start < end; at++) {
    const edit = edits[at]!;
    within.push({
      start: Math.max(edit.start, start) - start,
      end: Math.min(edit.end, end) - start,
      replacement: edit.start >= start ? edit.replacement : '',
    });
  }
  return within;
}
