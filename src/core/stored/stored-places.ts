/** The texts of a call that are stored, and their positions in the stored form. */
import type { Segment } from '../model/call.js';
import type { JsonDocument } from '../json/json-document.js';
import type { TextNode } from '../json/json-node.js';
import type { Mask, TextEdit } from '../redaction/index.js';
import { mergingEdits } from '../json/splice.js';
import { THINGS_BETWEEN_STOPS, type Steps } from '../steps/steps.js';

/** The stored form of a call: its body with replaced ranges, the list of its texts (for a stream), or its only text. */
export type StoredForm =
  | {
      readonly kind: 'document';
      readonly doc: JsonDocument;
      /** Ranges of the body's text that are removed besides masks: files and token texts. */
      readonly removals: readonly TextEdit[];
    }
  | {
      readonly kind: 'texts' | 'text';
      /** How many segments are stored, counted from the call's first one. */
      readonly count: number;
    };

/** The path of the only text. */
const WHOLE = '$';

/** Positions of a call's texts in the stored form. */
export interface StoredPlaces {
  /** Identifies the text of a segment; equal for segments that are the same text. */
  placeOf(segment: number): number | undefined;
  /**
   * The path of a text in the stored form; undefined if no path can point at its masks: in the name of a member, below a masked name,
   * in base64, or if an enclosing text has other changes.
   */
  pathOf(segment: number): string | undefined;
}

export function* storedPlaces(
  form: StoredForm,
  segments: readonly Segment[],
  masks: readonly Mask[],
): Steps<StoredPlaces> {
  switch (form.kind) {
    case 'text':
    case 'texts': {
      const there = <Place>(segment: number, place: Place) => (segment < form.count ? place : undefined);
      const pathOf = (segment: number) => (form.kind === 'text' ? WHOLE : `texts[${segment}].text`);
      return { placeOf: (segment) => there(segment, segment), pathOf: (segment) => there(segment, pathOf(segment)) };
    }
    case 'document':
      return yield* placesInDocument(form, segments, masks);
  }
}

function* placesInDocument(
  { doc, removals }: Extract<StoredForm, { kind: 'document' }>,
  segments: readonly Segment[],
  masks: readonly Mask[],
): Steps<StoredPlaces> {
  const changed = new Set<TextNode>();
  /** Nodes that contain a masked text in JSON or base64. */
  const around = new Set<TextNode>();
  const names = new Set<string>();
  const paths = new Set<string>();
  for (const [index, { segment }] of masks.entries()) {
    if (index % THINGS_BETWEEN_STOPS === 0) yield;
    const { ref, path } = segments[segment]!;
    if (ref < 0) continue;
    const node = doc.node(ref);
    if (changed.has(node)) continue;
    changed.add(node);
    paths.add(path);
    if (isName(node)) names.add(path);
    for (let outer = node.source.parent; outer !== undefined; outer = outer.source.parent) around.add(outer);
  }
  const last = yield* lastOfPaths(doc, segments, paths);
  const left = yield* mergingEdits(removals);
  const isClear = (node: TextNode): boolean => {
    if (around.has(node) || isName(node)) return false;
    let top = node;
    for (let at: TextNode | undefined = node; at !== undefined; at = at.source.parent) {
      if (at.kind === 'base64' || (at !== node && changed.has(at))) return false;
      top = at;
    }
    return !isTouched(top, left);
  };
  return {
    placeOf: (segment) => (segments[segment]!.ref < 0 ? undefined : segments[segment]!.ref),
    pathOf: (segment) => {
      const { ref, path } = segments[segment]!;
      if (ref < 0 || (last.get(path) ?? ref) !== ref || !isClear(doc.node(ref))) return undefined;
      return names.size > 0 && isBelow(path, names) ? undefined : path;
    },
  };
}

/** Whether a node is the name of a member; a path does not distinguish the name from its value. */
function isName({ kind, source, end }: TextNode): boolean {
  if (kind !== 'string') return false;
  const { text } = source;
  let at = end;
  while (at < text.length && BLANKS.includes(text[at]!)) at++;
  return text[at] === ':';
}
const BLANKS = ' \t\r\n';

/** The last text of each path, because readers use the last of several members with the same name. */
function* lastOfPaths(
  doc: JsonDocument,
  segments: readonly Segment[],
  paths: ReadonlySet<string>,
): Steps<ReadonlyMap<string, number>> {
  const last = new Map<string, number>();
  if (paths.size === 0) return last;
  for (const [index, { path, ref }] of segments.entries()) {
    if (index % THINGS_BETWEEN_STOPS === 0) yield;
    if (ref < 0 || !paths.has(path)) continue;
    const node = doc.node(ref);
    if (node.kind !== 'base64' && !isName(node)) last.set(path, ref);
  }
  return last;
}

/** @param removals ordered by start, without overlaps */
function isTouched({ start, end }: TextNode, removals: readonly TextEdit[]): boolean {
  let [low, high] = [0, removals.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (removals[middle]!.start < end) low = middle + 1;
    else high = middle;
  }
  return (removals[low - 1]?.end ?? 0) > start;
}

function isBelow(path: string, names: ReadonlySet<string>): boolean {
  for (let at = 1; at < path.length; at++) {
    if ('.[{'.includes(path[at]!) && names.has(path.slice(0, at))) return true;
  }
  return names.has(path);
}
