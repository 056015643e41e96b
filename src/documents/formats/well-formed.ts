/** The beginnings and the ends of parts of XML that are not elements. */
const OTHER_PARTS: readonly (readonly [string, string])[] = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
];
const OPEN_TAG = /<([A-Za-z_][\w:.-]*)/y;
const CLOSE_TAG = /<\/([A-Za-z_][\w:.-]*)\s*>/y;
const ATTRIBUTE = /\s+([A-Za-z_][\w:.-]*)\s*=\s*(?:"[^"<]*"|'[^'<]*')/y;
const TAG_END = /\s*(\/?)>/y;
/** A document type without declarations of its own. */
const DOCTYPE = /<!DOCTYPE\s+[\w:.-]+(?:\s+(?:PUBLIC|SYSTEM|"[^"<>]*"|'[^'<>]*'))*\s*>/y;

/**
 * Whether a text is XML whose words are all texts, values of attributes or comments: every tag is complete, and tags are closed in the
 * right order. For other texts, readers differ in which parts they omit. Names in scripts other than Latin count as unsound.
 */
export function isWellFormedXml(text: string): boolean {
  if (!/^\ufeff?\s*<\?xml\s/.test(text.slice(0, 256))) return false;
  const open: string[] = [];
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at)) {
    const after = endOfOther(text, at) ?? endOfTag(text, at, open);
    if (after === undefined) return false;
    at = after;
  }
  return open.length === 0;
}

/** The end of a comment, an instruction, a section of characters or a document type; undefined if none of them is complete here. */
function endOfOther(text: string, at: number): number | undefined {
  // Most parts are tags.
  if (text[at + 1] !== '!' && text[at + 1] !== '?') return undefined;
  for (const [start, end] of OTHER_PARTS) {
    if (!text.startsWith(start, at)) continue;
    const found = text.indexOf(end, at + start.length);
    return found < 0 ? undefined : found + end.length;
  }
  return endOf(DOCTYPE, text, at)?.end;
}

/** @param open the names of the enclosing elements; changed by the tag */
function endOfTag(text: string, at: number, open: string[]): number | undefined {
  const closing = endOf(CLOSE_TAG, text, at);
  if (closing !== undefined) return open.pop() === closing.group ? closing.end : undefined;
  const opening = endOf(OPEN_TAG, text, at);
  if (opening === undefined) return undefined;
  let names: Set<string> | undefined;
  let after = opening.end;
  for (let next = endOf(ATTRIBUTE, text, after); next !== undefined; next = endOf(ATTRIBUTE, text, after)) {
    names ??= new Set();
    if (names.has(next.group)) return undefined;
    names.add(next.group);
    after = next.end;
  }
  const end = endOf(TAG_END, text, after);
  if (end?.group === '') open.push(opening.group);
  return end?.end;
}

function endOf(pattern: RegExp, text: string, at: number): { end: number; group: string } | undefined {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  return found === null ? undefined : { end: at + found[0].length, group: found[1] ?? '' };
}
