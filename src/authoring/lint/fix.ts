import { isMap, isPair, isScalar, isSeq, parseDocument, visit, type Document, type YAMLMap, type YAMLSeq } from 'yaml';
import type { LintFinding } from './finding.js';
import { ignoreComments } from './ignores.js';

/**
 * Repairs of `--fix`: only if the intention is unambiguous, or if the removed part has no meaning. G106: one value instead of a list.
 * G114: a field without a meaning. G115: the only reason that is valid for the stage. G131: a condition that never changes the result.
 * G320: an ignore comment without a finding.
 */
const FIXABLE: ReadonlySet<string> = new Set(['G106', 'G114', 'G115', 'G131', 'G320']);

export function isFixable(code: string): boolean {
  return FIXABLE.has(code);
}

/** A half-open range of a text, and its replacement. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Applies the possible repairs to one file. All other characters stay as they are, including comments.
 *
 * @returns the new text, and the findings that it repairs. Of overlapping edits only one is applied; a second run applies the others.
 */
export function fixFile(
  text: string,
  findings: readonly LintFinding[],
): { readonly text: string; readonly fixed: readonly LintFinding[] } {
  const document = parseDocument(text, { version: '1.2', keepSourceTokens: true, logLevel: 'silent' });
  const edits: { edit: Edit; finding: LintFinding }[] = [];
  for (const finding of findings) {
    if (!finding.fixable || finding.ignored !== undefined) continue;
    const edit = editFor(finding, text, document);
    if (edit === undefined) continue;
    if (edits.some((other) => edit.start < other.edit.end && other.edit.start < edit.end)) continue;
    edits.push({ edit, finding });
  }
  edits.sort((a, b) => b.edit.start - a.edit.start);
  let fixed = text;
  for (const { edit } of edits) fixed = fixed.slice(0, edit.start) + edit.text + fixed.slice(edit.end);
  return { text: fixed, fixed: edits.map(({ finding }) => finding) };
}

function editFor(finding: LintFinding, text: string, document: Document): Edit | undefined {
  const at = offsetOf(text, finding);
  switch (finding.code) {
    case 'G106':
      return listEdit(document, at);
    case 'G114':
      return fieldEdit(document, text, at);
    case 'G115':
      return reasonEdit(document, at);
    case 'G131':
      return conditionEdit(document, text, at);
    case 'G320':
      return commentEdit(finding, text);
    default:
      return undefined;
  }
}

function offsetOf(text: string, { line, column }: LintFinding): number {
  let start = 0;
  for (let number = 1; number < line; number++) start = text.indexOf('\n', start) + 1;
  return start + column - 1;
}

/** Changes `in: gpt-4o` to `in: [gpt-4o]`. */
function listEdit(document: Document, at: number): Edit | undefined {
  const scalar = scalarAt(document, at);
  if (scalar === undefined || scalar.written.includes('\n') || scalar.written.startsWith('$')) return undefined;
  return { start: scalar.start, end: scalar.end, text: `[${scalar.written}]` };
}

function reasonEdit(document: Document, at: number): Edit | undefined {
  const scalar = scalarAt(document, at);
  return scalar && { start: scalar.start, end: scalar.end, text: 'content_policy_violation' };
}

function scalarAt(document: Document, at: number): { start: number; end: number; written: string } | undefined {
  let found: { start: number; end: number; written: string } | undefined;
  visit(document, {
    Scalar(_key, { range, source, srcToken }) {
      if (range?.[0] !== at) return undefined;
      const written = srcToken !== undefined && 'source' in srcToken ? srcToken.source : (source ?? '');
      found = { start: range[0], end: range[1], written };
      return visit.BREAK;
    },
  });
  return found;
}

/** Removes a key and its value from a map. */
function fieldEdit(document: Document, text: string, at: number): Edit | undefined {
  let found: Edit | undefined;
  visit(document, {
    Map(_key, map) {
      const index = map.items.findIndex(({ key }) => isScalar(key) && key.range?.[0] === at);
      if (index === -1) return undefined;
      if (map.items.length > 1) found = removalOf(map, index, text);
      return visit.BREAK;
    },
  });
  return found;
}

/** Removes an entry from the list of an `all` or `any`. `at` is the position of the entry or of its fact. */
function conditionEdit(document: Document, text: string, at: number): Edit | undefined {
  let found: Edit | undefined;
  visit(document, {
    Seq(_key, seq, path) {
      const parent = path.at(-1);
      const isGroup =
        isPair(parent) && isScalar(parent.key) && (parent.key.value === 'all' || parent.key.value === 'any');
      const index = seq.items.findIndex((item) => isMap(item) && (item.range?.[0] === at || keyStart(item) === at));
      if (!isGroup || index === -1) return undefined;
      if (seq.items.length > 1) found = removalOf(seq, index, text);
      return visit.BREAK;
    },
  });
  return found;
}

function keyStart(map: YAMLMap): number | undefined {
  const key = map.items[0]?.key;
  return isScalar(key) ? key.range?.[0] : undefined;
}

/** Removes one item of a collection, with its comma or its lines. */
function removalOf(collection: YAMLMap | YAMLSeq, index: number, text: string): Edit | undefined {
  const start = startOf(collection.items[index]);
  const end = endOf(collection.items[index]);
  if (start === undefined || end === undefined) return undefined;
  if (collection.flow === true) {
    const next = startOf(collection.items[index + 1]);
    if (next !== undefined) return { start, end: next, text: '' };
    const before = endOf(collection.items[index - 1]);
    return before === undefined ? undefined : { start: before, end, text: '' };
  }
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const lineEnd = text.indexOf('\n', end);
  const marker = text.slice(lineStart, start);
  // The first key of `- key: value` is on the line of the dash: the next key moves to its position.
  if (isMap(collection) && marker.trim() !== '') {
    const next = startOf(collection.items[index + 1]);
    return next === undefined ? undefined : { start, end: next, text: '' };
  }
  if (isSeq(collection) && !/^\s*-\s*$/.test(marker)) return undefined;
  return { start: lineStart, end: lineEnd === -1 ? text.length : lineEnd + 1, text: '' };
}

function startOf(item: unknown): number | undefined {
  if (isPair(item)) return isScalar(item.key) ? item.key.range?.[0] : undefined;
  return isScalar(item) || isMap(item) || isSeq(item) ? item.range?.[0] : undefined;
}

/** The end offset of an item, without white space and comments after it. */
function endOf(item: unknown): number | undefined {
  if (isPair(item)) return endOf(item.value) ?? (isScalar(item.key) ? item.key.range?.[1] : undefined);
  if (isScalar(item)) return item.range?.[1];
  if (!isMap(item) && !isSeq(item)) return undefined;
  return item.flow === true || item.items.length === 0 ? item.range?.[1] : endOf(item.items.at(-1));
}

function commentEdit(finding: LintFinding, text: string): Edit | undefined {
  const comment = ignoreComments(finding.file, text).find(
    ({ line, column }) => line === finding.line && column === finding.column,
  );
  if (comment === undefined) return undefined;
  const lineStart = text.lastIndexOf('\n', comment.start - 1) + 1;
  const lineEnd = text.indexOf('\n', comment.end);
  if (comment.alone) return { start: lineStart, end: lineEnd === -1 ? text.length : lineEnd + 1, text: '' };
  const kept = text.slice(lineStart, comment.start).trimEnd();
  return { start: lineStart + kept.length, end: comment.end, text: '' };
}
