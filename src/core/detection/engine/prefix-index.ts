import { regexTree, type RegexNode } from './regex-tree.js';
import { beginningOf, SHAPES, shapeAt, shapeTest, type ShapeTest, type TokenShape } from './token-shape.js';
import { BEYOND_ASCII, firstUnits } from './unit-set.js';

/** Lazily computed data about a list of items. */
interface Prepared {
  /** The class of each unit; units that no item distinguishes share a class. */
  readonly classes: Uint8Array;
  /** By class: whether each item can begin with a unit of this class. */
  readonly firstOf: readonly (readonly boolean[])[];
  /** One per item, created at the first position with a unit with which the item can begin. */
  readonly tests: (ShapeTest | undefined)[];
  readonly trees: readonly (RegexNode | undefined)[];
}

/**
 * Items that are tried at positions of a text, each with an expression for its beginning; items without one are tried everywhere. The
 * items that can begin at a position are looked up by the shape and first unit of the text there.
 */
export class PrefixIndex<Item extends { readonly beginning: RegExp | undefined }, Made> {
  private prepared: Prepared | undefined;
  /** By shape and class; filled on demand (a cache of a pure function). */
  private known: ((Made | undefined)[] | undefined)[] | undefined;
  /** Prepared lists by their items, because few lists cover many shapes. */
  private readonly made = new Map<string, Made>();

  /** @param make prepares a list of items once, for all positions where exactly these items can begin */
  constructor(
    private readonly items: readonly Item[],
    private readonly make: (items: readonly Item[]) => Made,
  ) {}

  /** The prepared list of the items that may begin at `position`, in their order. The list may include items that cannot begin there. */
  at(text: string, position: number): Made {
    return this.atShape(shapeAt(text, position), text.charCodeAt(position));
  }

  /** @param unit the first unit of the text with this shape */
  atShape(shape: TokenShape, unit: number): Made {
    const { classes, firstOf } = (this.prepared ??= prepare(this.items));
    const first = classes[unit < BEYOND_ASCII ? unit : BEYOND_ASCII]!;
    this.known ??= new Array<(Made | undefined)[] | undefined>(SHAPES);
    const row = (this.known[shape] ??= new Array<Made | undefined>(firstOf.length).fill(undefined));
    return (row[first] ??= this.find(shape, firstOf[first]!, this.prepared));
  }

  private find(shape: TokenShape, can: readonly boolean[], { tests, trees }: Prepared): Made {
    const beginning = beginningOf(shape);
    const numbers = [...this.items.keys()].filter((item) => {
      const tree = trees[item];
      return can[item] === true && (tree === undefined || (tests[item] ??= shapeTest(tree))(beginning));
    });
    const name = numbers.join();
    let made = this.made.get(name);
    if (made === undefined) {
      made = this.make(numbers.map((item) => this.items[item]!));
      this.made.set(name, made);
    }
    return made;
  }
}

function prepare(items: readonly { readonly beginning: RegExp | undefined }[]): Prepared {
  const trees = items.map(({ beginning }) => (beginning === undefined ? undefined : regexTree(beginning)));
  const sets = trees.map((tree) => (tree === undefined ? undefined : firstUnits(tree)));
  const classes = new Uint8Array(BEYOND_ASCII + 1);
  const numbers = new Map<string, number>();
  const firstOf: boolean[][] = [];
  for (let unit = 0; unit <= BEYOND_ASCII; unit++) {
    const can = sets.map((set) => set === undefined || set[unit] === 1);
    const name = can.map(Number).join('');
    const number = numbers.get(name) ?? numbers.size;
    if (number === numbers.size) firstOf.push(can);
    numbers.set(name, number);
    classes[unit] = number;
  }
  return { classes, firstOf, tests: trees.map(() => undefined), trees };
}
