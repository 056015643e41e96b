import { splitGuard } from './shared-guard.js';
import { regexTree } from './regex-tree.js';
import { beginningOf, openShapeAt, shapeTest, type Beginning, type ShapeTest, type TokenShape } from './token-shape.js';
import { BEYOND_ASCII, firstUnits } from './unit-set.js';

interface Beginnings {
  readonly first: Uint8Array;
  readonly test: ShapeTest;
  /** The expression for the text to the left, sticky; undefined if any text is allowed. */
  readonly guard: RegExp | undefined;
}

/** The beginnings of shapes (a cache of a pure function). */
const beginningsOfShapes = new Map<TokenShape, Beginning>();

function openBeginningAt(text: string, place: number): Beginning {
  const shape = openShapeAt(text, place);
  let beginning = beginningsOfShapes.get(shape);
  if (beginning === undefined) {
    beginning = beginningOf(shape);
    beginningsOfShapes.set(shape, beginning);
  }
  return beginning;
}

/**
 * Rules out patterns that cannot match at a position of a growing text, without running their expressions. The engine compiles an
 * expression when it is first run, and compiling all of them would be most of the cost of a process's first stream.
 */
export class PrefixState {
  private readonly known = new Map<RegExp, Beginnings>();
  private readonly guards = new Map<string, RegExp>();

  /** Whether the pattern may match: a false result is certain, a true one is not. `place` is inside the text. */
  at(regex: RegExp, place: number, text: string): boolean {
    let beginnings = this.known.get(regex);
    if (beginnings === undefined) {
      beginnings = this.prepare(regex);
      this.known.set(regex, beginnings);
    }
    const { first, test, guard } = beginnings;
    const unit = text.charCodeAt(place);
    if (first[unit < BEYOND_ASCII ? unit : BEYOND_ASCII] === 0) return false;
    if (guard !== undefined) {
      guard.lastIndex = place;
      if (!guard.test(text)) return false;
    }
    return test(openBeginningAt(text, place));
  }

  /**
   * The sticky expression for the text to the left of a match, shared by all patterns with the same one; undefined if any text is
   * allowed.
   */
  guardOf(regex: RegExp): RegExp | undefined {
    const { guard } = splitGuard(regex.source);
    if (guard === '') return undefined;
    const flags = `${regex.flags.replace(/[dgy]/g, '')}y`;
    const name = `${flags}/${guard}`;
    const known = this.guards.get(name) ?? new RegExp(guard, flags);
    this.guards.set(name, known);
    return known;
  }

  private prepare(regex: RegExp): Beginnings {
    const tree = regexTree(regex);
    return { first: firstUnits(tree), test: shapeTest(tree), guard: this.guardOf(regex) };
  }
}
