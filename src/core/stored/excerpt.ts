/** The short excerpt that represents a call in lists. It is taken from the stored text, so it is masked. */
import type { Segment, SegmentRole } from '../model/call.js';
import type { TextEdit } from '../redaction/index.js';
import { THINGS_BETWEEN_STOPS, type Steps } from '../steps/steps.js';

/** The maximum length of an excerpt, in UTF-16 units, including ellipses. */
export const MAX_EXCERPT = 160;
/** The number of units before the first mask at which an excerpt begins, if the start of the text is too far from the mask. */
const BEFORE_MASK = 40;

/** Members that contain the text of a message; its other members are settings, ids and names. */
const SAID = /(?:^|[.\]])(?:content|text|input|prompt|output)(?:\[\d+\])*(?:\.text)?$|^\$$/;
const ROLES: Readonly<Record<SegmentRole, number>> = {
  ...{ user: 5, assistant: 4, tool_call: 4, tool_result: 3, error: 3 },
  ...{ other: 2, reasoning: 2, system: 1, tool_declaration: 0, metadata: 0 },
};

/** White space other than a single space. */
const UNEVEN_SPACE = /\s\s|[^\S ]/;

/**
 * The segment that represents a call: the last text of the user, else the last text of the highest-ranked role.
 * @param isStored whether a segment is stored with the same text
 */
export function* representativeSegment(
  segments: readonly Segment[],
  isStored: (segment: number) => boolean,
): Steps<number | undefined> {
  let best: number | undefined;
  let bestRank = 0;
  for (let index = segments.length - 1; index >= 0; index--) {
    if (index % THINGS_BETWEEN_STOPS === 0) yield;
    const { role, path, text } = segments[index]!;
    const rank = ROLES[role] + (SAID.test(path) ? 10 : 0);
    if (rank <= bestRank || !/\S/.test(text) || !isStored(index)) continue;
    best = index;
    bestRank = rank;
    if (rank === 15) break;
  }
  return best;
}

/**
 * A line of at most `MAX_EXCERPT` units from a text after its edits.
 * @param edits ordered by start, without overlaps
 */
export function excerptOf(text: string, edits: readonly TextEdit[]): string {
  const first = edits[0]?.start ?? 0;
  const from = first > MAX_EXCERPT - BEFORE_MASK ? characterAt(text, first - BEFORE_MASK) : 0;
  let line = from > 0 ? '…' : '';
  const add = (piece: string, isWhole: boolean): boolean => {
    const words = UNEVEN_SPACE.test(piece) ? piece.replace(/\s+/g, ' ') : piece;
    const added = line === '' || line === '…' || line.endsWith(' ') ? words.trimStart() : words;
    const room = MAX_EXCERPT - 1 - line.length;
    if (added.length <= room) {
      line += added;
      return true;
    }
    line += isWhole ? '…' : `${added.slice(0, characterAt(added, room)).trimEnd()}…`;
    return false;
  };
  let at = from;
  for (const { start, end, replacement } of edits) {
    // Text far beyond the end of the line is not processed.
    if (!add(text.slice(at, Math.min(start, at + LOOKED_AT)), false) || start - at > LOOKED_AT) return line;
    if (!add(replacement, true)) return line;
    at = end;
  }
  const rest = text.slice(at, at + LOOKED_AT);
  return add(rest, false) ? line.trimEnd() : line;
}

const LOOKED_AT = 4 * MAX_EXCERPT;

/** Moves an index inside a surrogate pair to its start. */
function characterAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}
