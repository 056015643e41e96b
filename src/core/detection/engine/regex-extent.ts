import { regexTree, type RegexNode } from './regex-tree.js';

/** How much text one match of a regular expression can look at, in UTF-16 units. */
export interface RegexExtent {
  readonly minLength: number;
  readonly maxLength: number;
  /** ASCII digits that every match holds at least. */
  readonly minDigits: number;
  /** How far lookbehinds (and `\b`, `^`) look left of the match. */
  readonly behind: number;
  /** How far lookaheads (and `\b`, `$`) look right of the match's end. */
  readonly beyond: number;
}

const DIGIT_UNIT = /^(?:\\d|\[(?:\d(?:-\d)?){1,10}\]|\d)$/;

/**
 * Computes the extent of a regular expression from its source, and thereby proves that it is bounded: time per start
 * position then has a constant bound, and a stream knows how much it has to hold.
 *
 * @throws RangeError for an unbounded quantifier (`*`, `+`, `{n,}`), a backreference, or syntax it does not know.
 */
export function regexExtent(regex: RegExp): RegexExtent {
  let extent = known.get(regex);
  if (extent === undefined) {
    extent = extentOf(regexTree(regex));
    known.set(regex, extent);
  }
  return extent;
}

/** A plugin's reach is worked out from the expressions that it is then compiled of (a cache of a pure function). */
const known = new WeakMap<RegExp, RegexExtent>();

type Extent = { -readonly [Field in keyof RegexExtent]: RegexExtent[Field] };

function nothing(): Extent {
  return { minLength: 0, maxLength: 0, minDigits: 0, behind: 0, beyond: 0 };
}

/** Expressions have thousands of nodes, and a policy waits for them: each sum is made in place. */
function extentOf(node: RegexNode): Extent {
  const extent = nothing();
  switch (node.kind) {
    case 'unit':
      extent.minLength = node.least;
      extent.maxLength = node.most;
      extent.minDigits = DIGIT_UNIT.test(node.source) ? 1 : 0;
      return extent;
    case 'sequence':
      for (const item of node.items) addNext(extent, extentOf(item));
      return extent;
    case 'choice':
      return node.options.map(extentOf).reduce(join);
    case 'repeat':
      addNext(extent, extentOf(node.item));
      extent.minLength *= node.least;
      extent.maxLength *= node.most;
      extent.minDigits *= node.least;
      return extent;
    case 'look': {
      const item = extentOf(node.item);
      extent.behind = Math.max(item.behind, node.ahead ? 0 : item.maxLength);
      extent.beyond = Math.max(item.beyond, node.ahead ? item.maxLength : 0);
      return extent;
    }
    case 'edge':
      extent.behind = node.behind;
      extent.beyond = node.beyond;
      return extent;
  }
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
