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

function extentOf(node: RegexNode): Extent {
  const extent = nothing();
  addNode(extent, node);
  return extent;
}

/** Expressions have thousands of nodes, and a policy waits for them: what follows something else is added to its sum in place. */
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

/** Most units are one letter, which is not looked at more closely. */
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
