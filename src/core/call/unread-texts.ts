import type { JsonDocument } from '../json/json-document.js';
import type { TextEdit } from '../text/edit.js';
import type { Segment } from '../model/call.js';

/** Shorter ones are identifiers, enum values and dates: skipped by decoders for what they look like. */
const LONG = 256;

/**
 * Edits that replace every long string that is no segment by a note of its length: pictures, recordings, encrypted
 * reasoning. No detector has looked into them, so nobody can say that they may be kept.
 */
export function unreadEdits(doc: JsonDocument, segments: readonly Segment[]): TextEdit[] {
  const own = segments.filter(({ ref }) => ref >= 0);
  const read = new Set(own.map(({ ref }) => ref));
  const opened = new Set(own.map(({ ref }) => doc.node(ref).source.parent?.ref));
  return doc.texts
    .filter(
      ({ ref, text, source }) =>
        text.length > LONG && source.parent === undefined && !read.has(ref) && !opened.has(ref),
    )
    .map(({ start, end, text }) => ({ start, end, replacement: JSON.stringify(`[BINARY ${text.length}]`) }));
}
