import type { Segment } from '../model/call.js';
import { applyEdits, applyingEdits, type Edit, type TextEdit } from '../text/edit.js';
import { atOnce, mapped, sorted, THINGS_BETWEEN_STOPS, isStop, type Steps } from '../steps/steps.js';
import { EscapeOffsets } from './escape-offsets.js';
import type { JsonDocument } from './json-document.js';
import type { TextNode } from './json-node.js';

/**
 * The document's text with ranges of segments' texts replaced. In an edited token only the characters that encode a replaced range
 * change; replacements are escaped once per level of nesting. Without edits the text is identical. Overlapping edits count as one that
 * spans all of them and has the replacement of the first, so nothing that any of them covers survives. A range that would cut a
 * surrogate pair is widened to the full pair. An edited number or row of character codes becomes a string. Edited base64 is encoded again.
 */
export function splice(doc: JsonDocument, segments: readonly Segment[], edits: readonly Edit[]): string {
  return applyEdits(doc.text, documentEdits(doc, segments, edits));
}

/**
 * The edits as ranges of the document's text, sorted and without overlaps. Edits of segments that have no node in a document (`ref`
 * below 0) are omitted.
 */
export function documentEdits(
  doc: JsonDocument,
  segments: readonly Segment[],
  edits: readonly Edit[],
): readonly TextEdit[] {
  return atOnce(liftingEdits(doc, segments, edits));
}

/** `documentEdits` in steps. */
export function* liftingEdits(
  doc: JsonDocument,
  segments: readonly Segment[],
  edits: readonly Edit[],
): Steps<readonly TextEdit[]> {
  const byDepth: Map<TextNode, TextEdit[]>[] = [];
  const listOf = (node: TextNode): TextEdit[] => {
    const level = (byDepth[depthOf(node)] ??= new Map<TextNode, TextEdit[]>());
    let known = level.get(node);
    if (known === undefined) level.set(node, (known = []));
    return known;
  };
  let [last, group]: [number, TextEdit[]] = [-1, []];
  for (let index = 0; index < edits.length; index++) {
    if (isStop(index)) yield;
    const edit = edits[index]!;
    const segment = segments[edit.segment];
    if (segment === undefined) throw new RangeError(`no segment has the index ${edit.segment}`);
    if (segment.ref < 0) continue;
    // Edits of one segment usually follow one another.
    if (edit.segment !== last) [last, group] = [edit.segment, listOf(doc.node(segment.ref))];
    group.push(edit);
  }
  const lifted: TextEdit[] = [];
  // Innermost first: edits inside a nested text become edits of the string that contains it.
  for (let depth = byDepth.length - 1; depth >= 0; depth--) {
    for (const [node, nodeEdits] of byDepth[depth] ?? []) {
      const { parent } = node.source;
      const ones = yield* liftingFromNode(node, nodeEdits);
      const outer = parent === undefined ? lifted : listOf(parent);
      for (let index = 0; index < ones.length; index++) {
        if (isStop(index)) yield;
        outer.push(ones[index]!);
      }
    }
  }
  return yield* mergingEdits(lifted);
}

function depthOf(node: TextNode): number {
  let depth = 0;
  for (let outer = node.source.parent; outer !== undefined; outer = outer.source.parent) depth++;
  return depth;
}

/** Sorts edits by start; overlapping ones become one edit with the replacement of the one that starts first. */
export function mergeEdits(edits: readonly TextEdit[]): readonly TextEdit[] {
  return atOnce(mergingEdits(edits));
}

/** `mergeEdits` in steps. */
export function* mergingEdits(edits: readonly TextEdit[]): Steps<readonly TextEdit[]> {
  if (yield* isMerged(edits)) return edits;
  const ordered = yield* sorted(edits, (left, right) => left.start - right.start || right.end - left.end);
  const merged: TextEdit[] = [];
  for (let index = 0; index < ordered.length; index++) {
    if (isStop(index)) yield;
    const edit = ordered[index]!;
    const last = merged.at(-1);
    if (last !== undefined && edit.start < last.end) {
      if (edit.end > last.end) merged[merged.length - 1] = { ...last, end: edit.end };
    } else {
      merged.push(edit);
    }
  }
  return merged;
}

/** Whether edits are already sorted and without overlaps, as is usual: then no copy is made. */
function* isMerged(edits: readonly TextEdit[]): Steps<boolean> {
  for (let index = 1; index < edits.length; index++) {
    if (isStop(index)) yield;
    const [before, edit] = [edits[index - 1]!, edits[index]!];
    if (edit.start < before.end || edit.start <= before.start) return false;
  }
  return true;
}

/** Maps edits from ranges of a token's decoded text to ranges of its source's text. */
function* liftingFromNode(node: TextNode, edits: readonly TextEdit[]): Steps<TextEdit[]> {
  const merged = yield* mergingEdits(yield* mapped(edits, (each) => widenToPairs(node.text, each)));
  const wholly = node.kind === 'string' ? merged : [yield* wholeText(node, merged)];
  const offsets = node.kind === 'string' ? yield* escapeOffsets(node) : undefined;
  return yield* mapped(wholly, (edit) => liftFromToken(node, edit, offsets));
}

function liftFromToken(node: TextNode, edit: TextEdit, offsets: EscapeOffsets | undefined): TextEdit {
  if (edit.start < 0 || edit.end < edit.start || edit.end > node.text.length) {
    throw new RangeError('an edit lies outside its text');
  }
  if (offsets === undefined) {
    const write = node.kind === 'number' ? JSON.stringify : (node.write ?? JSON.stringify);
    const replacement = write(edit.replacement);
    return { start: node.start, end: node.end, replacement };
  }
  const { replacement } = edit;
  return {
    start: offsets.rawOffset(edit.start),
    end: offsets.rawOffset(edit.end),
    replacement: PLAIN.test(replacement) ? replacement : JSON.stringify(replacement).slice(1, -1),
  };
}

/** Text that needs no escaping in JSON. This saves time where every third word is replaced. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** Combines edits into one that replaces the complete text. */
function* wholeText(node: TextNode, edits: readonly TextEdit[]): Steps<TextEdit> {
  return { start: 0, end: node.text.length, replacement: yield* applyingEdits(node.text, edits) };
}

/** Widens a range that would cut a surrogate pair; an insertion inside a pair moves to its end. */
function widenToPairs(text: string, edit: TextEdit): TextEdit {
  const { start, end, replacement } = edit;
  if (start === end) return cutsPair(text, end) ? { start: end + 1, end: end + 1, replacement } : edit;
  const from = cutsPair(text, start) ? start - 1 : start;
  const to = cutsPair(text, end) ? end + 1 : end;
  return from === start && to === end ? edit : { start: from, end: to, replacement };
}

function cutsPair(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1);
  const after = text.charCodeAt(index);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

/** The offsets in the source of a string token's decoded characters. */
function* escapeOffsets(node: TextNode): Steps<EscapeOffsets> {
  const first = node.start + 1;
  const offsets = new EscapeOffsets(first);
  const raw = node.source.text;
  const end = node.end - 1;
  let excess = 0;
  let count = 0;
  if (end - first === node.text.length) return offsets;
  for (let at = raw.indexOf('\\', first); at !== -1 && at < end;) {
    const length = raw.charCodeAt(at + 1) === 0x75 ? 6 : 2;
    offsets.add(at - first - excess, length);
    excess += length - 1;
    at = raw.indexOf('\\', at + length);
    if (++count % THINGS_BETWEEN_STOPS === 0) yield;
  }
  return offsets;
}
