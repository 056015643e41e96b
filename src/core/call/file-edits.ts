import type { JsonDocument } from '../json/json-document.js';
import { documentEdits, mergeEdits } from '../json/splice.js';
import type { Edit, TextEdit } from '../text/edit.js';
import type { DecodedCall, EmbeddedBytes, Segment } from '../model/call.js';

/**
 * Edits that replace files in base64 by a note of their length: nobody can mask anything in them. A text file in which
 * everything that was found is masked in place stays.
 * @param masks what is masked in the call's texts
 */
export function fileEdits(doc: JsonDocument, call: DecodedCall, masks: readonly Edit[]): readonly TextEdit[] {
  const { embedded = [], segments } = call;
  const opened = openedFiles(doc, segments);
  // What a reader that failed would have found is not known.
  const outages = (call.contents?.unread ?? []).filter(({ why }) => why === 'outage');
  const dirty = masks.map(({ segment }) => segments[segment]!).filter(({ fixed }) => fixed === true);
  const places = [
    ...segments.filter(({ fixed }) => fixed === true),
    ...(call.contents?.unread ?? []),
    ...(call.contents?.media ?? []),
  ];
  const dropped = embedded.filter((file) => {
    const isFile = file.unsaid !== true || places.some(({ path }) => isIn(path, file));
    const isMasked =
      opened.has(fileKey(file.ref, file.start)) && ![...dirty, ...outages].some(({ path }) => isIn(path, file));
    return isFile && !isMasked;
  });
  const texts: Segment[] = dropped.map(({ path, role, ref }) => ({ path, role, ref, text: doc.node(ref).text }));
  const edits = dropped.map(({ start, end }, segment) => ({
    segment,
    start,
    end,
    replacement: `[FILE ${end - start}]`,
  }));
  return mergeEdits([...documentEdits(doc, texts, edits), ...rereadEdits(doc, dirty, embedded)]);
}

/** Edits that replace texts of a body in which only another reading of them showed what is to be masked. */
function rereadEdits(doc: JsonDocument, dirty: readonly Segment[], embedded: readonly EmbeddedBytes[]): TextEdit[] {
  const loose = dirty.flatMap(({ path, rereads }) =>
    rereads === undefined || embedded.some((file) => isIn(path, file)) ? [] : [rereads],
  );
  if (loose.length === 0) return [];
  return doc.texts
    .filter(({ text, source }) => source.parent === undefined && loose.some((rereads) => rereads.includes(text)))
    .map(({ start, end, text }) => ({ start, end, replacement: JSON.stringify(`[FILE ${text.length}]`) }));
}

/** Stands for base64 by its string and where it begins there. */
export function fileKey(ref: number, start: number): string {
  return `${ref}/${start}`;
}

/** Files in base64 of which the text is among the segments, by `fileKey`. */
export function openedFiles(doc: JsonDocument, segments: readonly Segment[]): ReadonlySet<string> {
  return new Set(segments.flatMap(({ ref }) => (ref < 0 ? [] : fileOf(doc, ref))));
}

/** The file in base64 that a text stands in, if it stands in one. */
function fileOf(doc: JsonDocument, ref: number): string[] {
  for (
    let node: ReturnType<JsonDocument['node']> | undefined = doc.node(ref);
    node !== undefined;
    node = node.source.parent
  ) {
    const { parent } = node.source;
    if (node.kind === 'base64' && parent !== undefined) return [fileKey(parent.ref, node.start)];
  }
  return [];
}

function isIn(path: string, file: EmbeddedBytes): boolean {
  return path === file.path || path.startsWith(`${file.path} > `);
}
