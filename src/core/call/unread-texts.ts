import type { JsonDocument } from '../json/json-document.js';
import type { TextEdit } from '../text/edit.js';
import type { Segment } from '../model/call.js';
import { isStop, type Steps } from '../steps/steps.js';

/** Shorter texts are identifiers, enum values and dates, which decoders skip because of their form. */
const LONG = 256;

/**
 * Edits that replace every long string that is no segment by a note of its length: pictures, recordings, encrypted
 * reasoning. No detector has looked into them, so nobody can say that they may be kept. In steps.
 */
export function* unreadEdits(doc: JsonDocument, segments: readonly Segment[]): Steps<TextEdit[]> {
  // Read as it stands, or by what stands in it.
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
