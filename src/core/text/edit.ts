/**
 * Edits of texts: ranges and their replacements. They are applied together, so that no edit moves another one's range.
 */

import { atOnce, sorted, THINGS_BETWEEN_STOPS, type Steps } from '../steps/steps.js';

/** One replacement inside one segment's text. Half-open range in UTF-16 code units; edits of one segment never overlap. */
export interface Edit {
  /** Index into the call's segments. */
  readonly segment: number;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** An edit whose segment is known from the context. */
export type TextEdit = Pick<Edit, 'start' | 'end' | 'replacement'>;

/**
 * Replaces every range of the edits; all other characters stay unchanged.
 *
 * @param text the text to which the ranges refer
 * @param edits in any order
 * @throws RangeError when a range is outside the text or two ranges overlap; the message holds no text
 */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  return atOnce(applyingEdits(text, edits));
}

/** `applyEdits` in steps. */
export function* applyingEdits(text: string, edits: readonly TextEdit[]): Steps<string> {
  if (edits.length === 0) return text;
  const ordered = yield* sorted(edits, (a, b) => a.start - b.start || a.end - b.end);
  const done: string[] = [];
  let parts: string[] = [];
  let at = 0;
  for (const edit of ordered) {
    if (!(edit.start >= at && edit.end >= edit.start && edit.end <= text.length)) {
      throw new RangeError(
        `edit ${edit.start}..${edit.end} overlaps another one or is outside a text of ${text.length}`,
      );
    }
    parts.push(text.slice(at, edit.start), edit.replacement);
    at = edit.end;
    if (parts.length < THINGS_BETWEEN_STOPS) continue;
    done.push(parts.join(''));
    parts = [];
    yield;
  }
  done.push(...parts, text.slice(at));
  if (done.length > THINGS_BETWEEN_STOPS) yield;
  // Concatenated with `+`, the parts would be copied when the text is first read, in one step with the work of its reader.
  return done.join('');
}
