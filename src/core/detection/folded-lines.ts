import type { Range } from './decorated-lines.js';

/** The break within a folded line: mails (RFC 5322), calendars (RFC 5545) and business cards (RFC 6350) indent the rest by one unit. */
const FOLD = /^[ \t]{0,8}(?:\r\n?|\n)[ \t](?![ \t])/;
/** Any other line end: the next line is not indented. */
const NEW_LINE = /^[ \t]{0,8}(?:\r\n?|\n)(?![ \t])/;

/**
 * The parts of a chain that are one folded line each; empty if the chain has no folded line, or nothing else. The line after a folded one
 * begins something new, even if its first word could continue the value.
 */
export function foldedParts<Part extends Range>(text: string, chain: readonly Part[]): Part[][] {
  const parts: Part[][] = [];
  let part: Part[] = [];
  let folds = 0;
  for (const [index, piece] of chain.entries()) {
    const before = chain[index - 1];
    const between = before === undefined ? '' : text.slice(before.to, piece.from);
    if (FOLD.test(between)) folds++;
    else if (NEW_LINE.test(between)) {
      parts.push(part);
      part = [];
    }
    part.push(piece);
  }
  return folds === 0 || parts.length === 0 ? [] : [...parts, part];
}
