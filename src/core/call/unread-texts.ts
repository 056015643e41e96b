import type { JsonDocument } from '../json/json-document.js';
import type { TextEdit } from '../text/edit.js';
import type { Segment } from '../model/call.js';
import { isStop, type Steps } from '../steps/steps.js';

/** Maximum length of skipped texts that are kept: identifiers, enum values and dates, which decoders skip because of their form. */
const LONG = 256;

/**
 * Edits that replace every long string that is not a segment by a note of its length: images, audio, encrypted reasoning. No
 * detector has scanned them, so they must not be stored. In steps.
 */
export function* unreadEdits(doc: JsonDocument, segments: readonly Segment[]): Steps<TextEdit[]> {
  // Strings that were read directly, or through a text inside them.
  const read = new Set<number | undefined>();
  for (const [index, { ref }] of segments.entries()) {
    if (isStop(index)) yield;
    if (ref >= 0) read.add(ref).add(doc.node(ref).source.parent?.ref);
  }
  const edits: TextEdit[] = [];
  for (const [index, { ref, text, source, start, end }] of doc.texts.entries()) {
    if (isStop(index)) yield;
    if (text.length > LONG && source.parent === undefined && !read.has(ref))
      edits.push({ start, end, replacement: JSON.stringify(`[BINARY ${text.length}]`) });
  }
  return edits;
}
