/** Which `{n}` a value of a type has. It holds what was redacted: it is for one call alone. */
export class Numbering {
  private readonly types = new Map<string, { count: number; readonly numbers: Map<string, number> }>();

  /** The number of a value, a new one for a value that has none. */
  of(type: string, value: string): number {
    const known = this.known(type, value);
    if (known !== undefined) return known;
    const own = this.types.get(type) ?? { count: 0, numbers: new Map<string, number>() };
    this.types.set(type, own);
    own.numbers.set(value, ++own.count);
    return own.count;
  }

  known(type: string, value: string): number | undefined {
    return this.types.get(type)?.numbers.get(value);
  }

  /** Another spelling of a value that has a number. */
  alias(type: string, value: string, spelling: string): void {
    const own = this.types.get(type);
    const number = own?.numbers.get(value);
    if (own !== undefined && number !== undefined) own.numbers.set(spelling, number);
  }

  /** A spelling that turned out not to be there; its number is not given again. */
  forget(type: string, spelling: string): void {
    this.types.get(type)?.numbers.delete(spelling);
  }
}
