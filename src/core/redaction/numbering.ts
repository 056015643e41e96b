import { NumberedRanges } from './numbered-ranges.js';

/** Assigns the number `{n}` to each value of a type. It contains redacted values, so an instance is used for one call only. */
export class Numbering {
  private readonly types = new Map<string, { count: number; readonly numbers: Numbers }>();

  /**
   * The number of a value; a new value gets the next number.
   * @param text the value, or a text that holds it from `start` to `end`
   */
  of(type: string, text: string, start = 0, end = text.length): number {
    let own = this.types.get(type);
    if (own === undefined) this.types.set(type, (own = { count: 0, numbers: new Numbers() }));
    const known = own.numbers.of(text, start, end, own.count + 1);
    if (known !== undefined) return known;
    return ++own.count;
  }

  known(type: string, value: string): number | undefined {
    return this.types.get(type)?.numbers.get(value);
  }

  /** Gives another spelling of a numbered value the same number. */
  alias(type: string, value: string, spelling: string): void {
    const own = this.types.get(type);
    const number = own?.numbers.get(value);
    if (own !== undefined && number !== undefined) own.numbers.set(spelling, number);
  }

  /** Removes a spelling that does not occur after all; its number is not reused. */
  forget(type: string, spelling: string): void {
    this.types.get(type)?.numbers.delete(spelling);
  }
}

/**
 * Above this number of values a table replaces the map: creating a string per value would take longer than all other work on the call.
 */
const MOST_IN_MAP = 1_024;

/** Numbers by value, in a map while there are few values. */
class Numbers {
  /** All values while there are few; later only the values that the table refused or dropped. */
  private readonly map = new Map<string, number>();
  private table: NumberedRanges | undefined;

  /** The number of a value; undefined for a new value, which now has the number `next`. */
  of(text: string, start: number, end: number, next: number): number | undefined {
    const { table } = this;
    if (table === undefined) {
      const value = text.slice(start, end);
      const known = this.map.get(value);
      if (known === undefined) this.set(value, next);
      return known;
    }
    const known =
      table.get(text, start, end) ?? (this.map.size === 0 ? undefined : this.map.get(text.slice(start, end)));
    if (known === undefined && !table.set(text, start, end, next)) this.map.set(text.slice(start, end), next);
    return known;
  }

  get(value: string): number | undefined {
    return this.table?.get(value, 0, value.length) ?? this.map.get(value);
  }

  set(value: string, number: number): void {
    if (this.map.has(value) || this.table?.set(value, 0, value.length, number) !== true) this.map.set(value, number);
    if (this.table === undefined && this.map.size > MOST_IN_MAP) this.moveToTable();
  }

  delete(value: string): void {
    this.map.delete(value);
    if (this.table?.get(value, 0, value.length) !== undefined) this.table.set(value, 0, value.length, 0);
  }

  private moveToTable(): void {
    const values = [...this.map];
    this.map.clear();
    this.table = new NumberedRanges((value, number) => this.map.set(value, number));
    for (const [value, number] of values) this.set(value, number);
  }
}
