import type { JsonDocument } from '../json/json-document.js';
import { liftingEdits, mergingEdits } from '../json/splice.js';
import { filtered, flatMapped, joinedLists, mapped, type Steps } from '../steps/steps.js';
import type { Edit, TextEdit } from '../text/edit.js';
import { countingValues } from '../text/occurrences.js';
import type { DecodedCall, Segment } from '../model/call.js';

/**
 * Edits that replace files in base64 by a note of their length, because most files cannot be masked. A text file stays if all its
 * findings are masked in place. In steps.
 * @param masks the masking edits of the call's texts
 */
export function* fileEdits(doc: JsonDocument, call: DecodedCall, masks: readonly Edit[]): Steps<readonly TextEdit[]> {
  const { embedded = [], segments, contents } = call;
  const files = new Set(embedded.map(({ path }) => path));
  const masked = yield* mapped(masks, ({ segment }) => segments[segment]!);
  const dirty = yield* filtered(masked, ({ fixed }) => fixed === true);
  const reread = yield* rereadEdits(doc, dirty, files);
  if (files.size === 0) return reread;
  const opened = openedFiles(doc, segments);
  const { unread = [], media = [] } = contents ?? {};
  const fixed = yield* filtered(segments, (segment) => segment.fixed === true);
  const known = yield* filesOf(joinedLists<Located>([fixed, unread, media]), files);
  // The findings in a file whose reader failed are unknown.
  const outages = unread.filter(({ why }) => why === 'outage');
  const unclean = yield* filesOf(joinedLists<Located>([dirty, outages]), files);
  const dropped = yield* filtered(embedded, ({ path, ref, start, unsaid, judged }) => {
    const isMasked = (judged === true || opened.has(fileKey(ref, start))) && !unclean.has(path);
    return (unsaid !== true || known.has(path)) && !isMasked;
  });
  const texts = yield* mapped(dropped, ({ path, role, ref }) => ({ path, role, ref, text: doc.node(ref).text }));
  const edits = yield* mapped(dropped, ({ start, end }, segment) => ({
    segment,
    start,
    end,
    replacement: `[FILE ${end - start}]`,
  }));
  return yield* mergingEdits(joinedLists([yield* liftingEdits(doc, texts, edits), reread]));
}

type Located = Pick<Segment, 'path'>;

/** The paths of the files that contain these places. */
function* filesOf(places: readonly Located[], files: ReadonlySet<string>): Steps<ReadonlySet<string>> {
  return new Set(yield* flatMapped(places, ({ path }) => filesAround(path, files)));
}

/** Separates the path of a file from the rest of a path within it. */
const WITHIN = ' > ';

function filesAround(path: string, files: ReadonlySet<string>): string[] {
  const around = files.has(path) ? [path] : [];
  for (let at = path.indexOf(WITHIN); at >= 0; at = path.indexOf(WITHIN, at + 1))
    if (files.has(path.slice(0, at))) around.push(path.slice(0, at));
  return around;
}

/**
 * Edits that replace whole texts of a body if the finding is only in another reading of the text, such as a decoded one. If comparing
 * readings with texts takes too long, every text is replaced.
 */
function* rereadEdits(
  doc: JsonDocument,
  dirty: readonly Segment[],
  files: ReadonlySet<string>,
): Steps<readonly TextEdit[]> {
  const loose = new Set<string>();
  for (const { path, rereads } of dirty)
    if (rereads !== undefined && filesAround(path, files).length === 0) loose.add(rereads);
  if (loose.size === 0) return [];
  const own = yield* filtered(doc.texts, ({ source }) => source.parent === undefined);
  const counts = yield* countingValues([...loose], new Set(yield* mapped(own, ({ text }) => text)), 1);
  const reread = yield* filtered(own, ({ text }) => counts === undefined || (counts.get(text) ?? 0) > 0);
  return yield* mapped(reread, ({ text, start, end }) => {
    return { start, end, replacement: JSON.stringify(`[FILE ${text.length}]`) };
  });
}

/** The key of base64, made from the string that contains it and its start in that string. */
export function fileKey(ref: number, start: number): string {
  return `${ref}/${start}`;
}

/** Files in base64 whose text is among the segments, by `fileKey`. */
export function openedFiles(doc: JsonDocument, segments: readonly Segment[]): ReadonlySet<string> {
  return new Set(segments.flatMap(({ ref }) => (ref < 0 ? [] : fileOf(doc, ref))));
}

/** The key of the base64 file that contains a text, if there is one. */
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
