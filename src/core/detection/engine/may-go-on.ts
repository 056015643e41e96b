import { splitGuard } from './shared-guard.js';
import { regexTree } from './regex-tree.js';
import { openBeginningAt, shapeTest, type Beginning, type ShapeTest } from './token-shape.js';
import { BEYOND_ASCII, firstUnits } from './unit-set.js';

interface Beginnings {
  readonly first: Uint8Array;
  readonly test: ShapeTest;
  /** What has to stand to the left, sticky; undefined for anything. */
  readonly guard: RegExp | undefined;
}

/** What is known of the beginnings at places of one text: made once for all patterns. */
export class OpenShapes {
  private readonly known = new Map<number, Beginning>();

  constructor(readonly text: string) {}

  at(place: number): Beginning {
    const known = this.known.get(place) ?? openBeginningAt(this.text, place);
    this.known.set(place, known);
    return known;
  }
}

/**
 * Rules out, without running their expressions, patterns that cannot match at a place of a text whatever comes next. An
 * expression that is never run is never compiled, which is most of what the first stream of a process would pay for.
 */
export class MayGoOn {
  private readonly known = new Map<RegExp, Beginnings>();
  private readonly guards = new Map<string, RegExp>();

  /** False is certain, true is not. `place` is inside of the text. */
  at(regex: RegExp, place: number, shapes: OpenShapes): boolean {
    const { text } = shapes;
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
    return test(shapes.at(place));
  }

  private prepare(regex: RegExp): Beginnings {
    const tree = regexTree(regex);
    const { guard } = splitGuard(regex.source);
    const flags = `${regex.flags.replace(/[dgy]/g, '')}y`;
    const name = `${flags}/${guard}`;
    if (guard !== '' && !this.guards.has(name)) this.guards.set(name, new RegExp(guard, flags));
    return { first: firstUnits(tree), test: shapeTest(tree), guard: this.guards.get(name) };
  }
}
