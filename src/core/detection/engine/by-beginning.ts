import { regexTree, type RegexNode } from './regex-tree.js';
import { beginningOf, SHAPES, shapeAt, shapeTest, type ShapeTest, type TokenShape } from './token-shape.js';
import { BEYOND_ASCII, firstUnits } from './unit-set.js';

/** Lazily computed data about a list of items. */
interface Prepared {
  /** Units that no item tells apart have one number. */
  readonly classes: Uint8Array;
  /** By class: whether each item can begin with its units. */
  readonly firstOf: readonly (readonly boolean[])[];
  /** By item; made when a place is first seen that its units allow. */
  readonly tests: (ShapeTest | undefined)[];
  readonly trees: readonly (RegexNode | undefined)[];
}

/**
 * Things that are tried at places of a text, each with an expression for what it begins with; those without one are
 * tried everywhere. Which of them can begin at a place is looked up by the shape of what stands there and by its first
 * unit.
 */
export class ByBeginning<Item extends { readonly beginning: RegExp | undefined }, Made> {
  private prepared: Prepared | undefined;
  /** By shape, by class; filled on first sight (a cache of a pure function). */
  private known: ((Made | undefined)[] | undefined)[] | undefined;
  /** What was made, by the items it was made of: few lists stand for many shapes. */
  private readonly made = new Map<string, Made>();

  /** @param make prepares a list of items once, for all places where exactly these can begin */
  constructor(
    private readonly items: readonly Item[],
    private readonly make: (items: readonly Item[]) => Made,
  ) {}

  /** What was made of the items that can begin at `position`, in their order; some of them may not. */
  at(text: string, position: number): Made {
    return this.atShape(shapeAt(text, position), text.charCodeAt(position));
  }

  /** @param unit the first one of what has this shape */
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
