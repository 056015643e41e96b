import { SHAPES, shapeAt, shapeTest, type ShapeTest } from './token-shape.js';

/** Patterns that are tried where tokens begin, found by the shape of the token. */
export class ByShape<Pattern extends { readonly regex: RegExp | undefined }> {
  private readonly tests: readonly (ShapeTest | undefined)[];
  /** What was found out about a shape; filled on first sight (a cache of a pure function). */
  private readonly known = new Array<readonly Pattern[] | undefined>(SHAPES);

  /** @param patterns those without a regular expression are tried at every token */
  constructor(private readonly patterns: readonly Pattern[]) {
    this.tests = patterns.map(({ regex }) => (regex === undefined ? undefined : shapeTest(regex)));
  }

  /** The patterns that can match at `position`, in their order; some of them may not. */
  at(text: string, position: number): readonly Pattern[] {
    const shape = shapeAt(text, position);
    return (this.known[shape] ??= this.patterns.filter((_, index) => this.tests[index]?.(shape) !== false));
  }
}
