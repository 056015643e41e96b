import { regexTree, type RegexNode } from './regex-tree.js';
import { memoizeByObject } from '../../model/memoize.js';

/** The amount of text that one match of a regular expression can examine, in UTF-16 units. */
export interface RegexExtent {
  readonly minLength: number;
  readonly maxLength: number;
  /** Minimum number of ASCII digits in a match. */
  readonly minDigits: number;
  /** Maximum distance that lookbehinds (and `\b`, `^`) read to the left of the match. */
  readonly behind: number;
  /** Maximum distance that lookaheads (and `\b`, `$`) read beyond the end of the match. */
  readonly beyond: number;
}

const DIGIT_UNIT = /^(?:\\d|\[(?:\d(?:-\d)?){1,10}\]|\d)$/;

/**
 * Computes the extent of a regular expression from its source, and thereby proves that it is bounded: the time per start position is
 * then bounded by a constant, and so is the amount of text that a stream must hold back.
 *
 * @throws RangeError for an unbounded quantifier (`*`, `+`, `{n,}`), a backreference, or unknown syntax.
 */
export const regexExtent = memoizeByObject((regex: RegExp): RegexExtent => extentOf(regexTree(regex)));

/**
 * Minimum number of units between the start of a match and the start of a capturing group. Units before it within an enclosing group
 * are not counted.
 */
export function leadOfGroup(regex: RegExp, group: number): number {
  const place = placeOfGroup(regex.source, group);
  return place === undefined ? 0 : extentOfBeginning(regex, place.outermost).minLength;
}

/** Maximum number of units between the start of a match and the start of a capturing group; may be too large, but never too small. */
export function mostBeforeGroup(regex: RegExp, group: number): number {
  const place = placeOfGroup(regex.source, group);
  const isExact = place !== undefined && !place.isNested && !isRepeated(regex.source, place.outermost);
  return (isExact ? extentOfBeginning(regex, place.outermost) : regexExtent(regex)).maxLength;
}

function extentOfBeginning({ source, flags }: RegExp, end: number): RegexExtent {
  return regexExtent(new RegExp(source.slice(0, end), flags));
}

/**
 * The offset of a capturing group, or of the outermost group that contains it, in an expression without alternatives outside of groups;
 * otherwise undefined.
 */
function placeOfGroup(
  source: string,
  group: number,
): { readonly outermost: number; readonly isNested: boolean } | undefined {
  let count = 0;
  let depth = 0;
  let outermost = 0;
  for (let at = 0; at < source.length; at++) {
    const sign = source[at];
    if (sign === '\\') at++;
    else if (sign === '[') at = endOfClass(source, at);
    else if (sign === '|' && depth === 0) return undefined;
    else if (sign === ')') depth--;
    else if (sign === '(') {
      if (depth++ === 0) outermost = at;
      if (CAPTURING.test(source.slice(at, at + 4)) && ++count === group)
        return hasChoice(source, at, depth) ? undefined : { outermost, isNested: depth > 1 };
    }
  }
  return undefined;
}

const CAPTURING = /^\((?!\?(?!<[^=!]))/;

/** Whether a quantifier follows the group that begins at an offset. */
function isRepeated(source: string, from: number): boolean {
  let depth = 0;
  for (let at = from; at < source.length; at++) {
    const sign = source[at];
    if (sign === '\\') at++;
    else if (sign === '[') at = endOfClass(source, at);
    else if (sign === '(') depth++;
    else if (sign === ')' && --depth === 0) return /^[{*+]/.test(source.slice(at + 1));
  }
  return false;
}

/** Whether a top-level alternative follows a group. @param inside nesting depth of the group, including itself */
function hasChoice(source: string, from: number, inside: number): boolean {
  let depth = inside;
  for (let at = from + 1; at < source.length; at++) {
    const sign = source[at];
    if (sign === '\\') at++;
    else if (sign === '[') at = endOfClass(source, at);
    else if (sign === '(') depth++;
    else if (sign === ')') depth--;
    else if (sign === '|' && depth === 0) return true;
  }
  return false;
}

function endOfClass(source: string, from: number): number {
  let at = from + 1;
  while (at < source.length && source[at] !== ']') at += source[at] === '\\' ? 2 : 1;
  return at;
}

type Extent = { -readonly [Field in keyof RegexExtent]: RegexExtent[Field] };

function nothing(): Extent {
  return { minLength: 0, maxLength: 0, minDigits: 0, behind: 0, beyond: 0 };
}

function extentOf(node: RegexNode): Extent {
  const extent = nothing();
  addNode(extent, node);
  return extent;
}

/** Adds a node to the sum in place, because expressions have thousands of nodes and activating a policy waits for them. */
function addNode(sum: Extent, node: RegexNode): void {
  switch (node.kind) {
    case 'unit':
      sum.minLength += node.least;
      sum.maxLength += node.most;
      if (isDigit(node.source)) sum.minDigits++;
      return;
    case 'sequence':
      for (let index = 0; index < node.items.length; index++) addNode(sum, node.items[index]!);
      return;
    case 'choice':
      addNext(sum, node.options.map(extentOf).reduce(join));
      return;
    case 'repeat': {
      const item = extentOf(node.item);
      item.minLength *= node.least;
      item.maxLength *= node.most;
      item.minDigits *= node.least;
      addNext(sum, item);
      return;
    }
    case 'look': {
      const item = extentOf(node.item);
      sum.behind = Math.max(sum.behind, item.behind, node.ahead ? 0 : item.maxLength);
      sum.beyond = Math.max(sum.beyond, item.beyond, node.ahead ? item.maxLength : 0);
      return;
    }
    case 'edge':
      sum.behind = Math.max(sum.behind, node.behind);
      sum.beyond = Math.max(sum.beyond, node.beyond);
  }
}

const FIRST_LETTER = 'A'.charCodeAt(0);

/** Whether a unit is a digit; a quick check first excludes single letters, which most units are. */
function isDigit(source: string): boolean {
  return (source.length > 1 || source.charCodeAt(0) < FIRST_LETTER) && DIGIT_UNIT.test(source);
}

function addNext(sum: Extent, item: Extent): void {
  sum.minLength += item.minLength;
  sum.maxLength += item.maxLength;
  sum.minDigits += item.minDigits;
  sum.behind = Math.max(sum.behind, item.behind);
  sum.beyond = Math.max(sum.beyond, item.beyond);
}

function join(one: Extent, other: Extent): Extent {
  one.minLength = Math.min(one.minLength, other.minLength);
  one.maxLength = Math.max(one.maxLength, other.maxLength);
  one.minDigits = Math.min(one.minDigits, other.minDigits);
  one.behind = Math.max(one.behind, other.behind);
  one.beyond = Math.max(one.beyond, other.beyond);
  return one;
}
