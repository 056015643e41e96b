/** The few words that identify a call in a list, taken from its stored text, and therefore masked. */
import type { Segment, SegmentRole } from '../model/call.js';
import type { TextEdit } from '../redaction/index.js';
import { THINGS_BETWEEN_STOPS, type Steps } from '../steps/steps.js';

/** UTF-16 units, dots included. */
export const MAX_EXCERPT = 160;
/** So much stands in front of the first mask where the text begins too far before it. */
const BEFORE_MASK = 40;

/** What people say stands under these names; other members of a message are settings, ids, names. */
const SAID = /(?:^|[.\]])(?:content|text|input|prompt|output)(?:\[\d+\])*(?:\.text)?$|^\$$/;
const ROLES: Readonly<Record<SegmentRole, number>> = {
  ...{ user: 5, assistant: 4, tool_call: 4, tool_result: 3, error: 3 },
  ...{ other: 2, reasoning: 2, system: 1, tool_declaration: 0, metadata: 0 },
};

/** What is not one space between two words. */
const UNEVEN_SPACE = /\s\s|[^\S ]/;

/**
 * The segment to tell a call by: the last thing that its user said, else the last that anybody did.
 * @param isStored whether a segment stands in what is stored as it is here
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
 * A line of at most `MAX_EXCERPT` units out of a text with its edits made.
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
    // What is far beyond the line's end is not looked at.
    if (!add(text.slice(at, Math.min(start, at + LOOKED_AT)), false) || start - at > LOOKED_AT) return line;
    if (!add(replacement, true)) return line;
    at = end;
  }
  const rest = text.slice(at, at + LOOKED_AT);
  return add(rest, false) ? line.trimEnd() : line;
}

const LOOKED_AT = 4 * MAX_EXCERPT;

/** Not between the halves of a surrogate pair. */
function characterAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
}
