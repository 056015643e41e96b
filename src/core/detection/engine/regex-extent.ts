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

const NOTHING: RegexExtent = { minLength: 0, maxLength: 0, minDigits: 0, behind: 0, beyond: 0 };
const DIGIT_UNIT = /^(?:\\d|\[(?:\d(?:-\d)?){1,10}\]|\d)$/;

/**
 * Computes the extent of a regular expression from its source, and thereby proves that it is bounded: time per start
 * position then has a constant bound, and a stream knows how much it has to hold.
 *
 * @throws RangeError for an unbounded quantifier (`*`, `+`, `{n,}`), a backreference, or syntax it does not know.
 */
export function regexExtent(regex: RegExp): RegexExtent {
  return extentOf(regexTree(regex));
}

function extentOf(node: RegexNode): RegexExtent {
  switch (node.kind) {
    case 'unit': {
      const minDigits = DIGIT_UNIT.test(node.source) ? 1 : 0;
      return { ...NOTHING, minLength: node.least, maxLength: node.most, minDigits };
    }
    case 'sequence':
      return node.items.map(extentOf).reduce(
        (sum, item) => ({
          minLength: sum.minLength + item.minLength,
          maxLength: sum.maxLength + item.maxLength,
          minDigits: sum.minDigits + item.minDigits,
          ...looks(sum, item),
        }),
        NOTHING,
      );
    case 'choice':
      return node.options.map(extentOf).reduce((one, other) => ({
        minLength: Math.min(one.minLength, other.minLength),
        maxLength: Math.max(one.maxLength, other.maxLength),
        minDigits: Math.min(one.minDigits, other.minDigits),
        ...looks(one, other),
      }));
    case 'repeat': {
      const item = extentOf(node.item);
      return {
        ...item,
        minLength: item.minLength * node.least,
        maxLength: item.maxLength * node.most,
        minDigits: item.minDigits * node.least,
      };
    }
    case 'look': {
      const item = extentOf(node.item);
      const own = node.ahead ? { behind: 0, beyond: item.maxLength } : { behind: item.maxLength, beyond: 0 };
      return { ...NOTHING, ...looks(own, item) };
    }
    case 'edge':
      return { ...NOTHING, behind: node.behind, beyond: node.beyond };
  }
}

type Looks = Pick<RegexExtent, 'behind' | 'beyond'>;

function looks(one: Looks, other: Looks): Looks {
  return { behind: Math.max(one.behind, other.behind), beyond: Math.max(one.beyond, other.beyond) };
}
