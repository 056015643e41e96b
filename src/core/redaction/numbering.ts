/** Which `{n}` a value of a type has. It holds what was redacted: it is for one call alone. */
export class Numbering {
  private readonly types = new Map<string, { count: number; readonly numbers: Numbers }>();

  /** The number of a value, a new one for a value that has none. */
  of(type: string, value: string): number {
    let own = this.types.get(type);
    if (own === undefined) this.types.set(type, (own = { count: 0, numbers: new Numbers() }));
    const known = own.numbers.get(value);
    if (known !== undefined) return known;
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

const SHARDS = 64;

/** A map in parts: one of hundreds of thousands of values holds everything up while it doubles. */
class Numbers {
  private readonly shards = new Map<number, Map<string, number>>();

  get(value: string): number | undefined {
    return this.shardOf(value).get(value);
  }

  set(value: string, number: number): void {
    this.shardOf(value).set(value, number);
  }

  delete(value: string): void {
    this.shardOf(value).delete(value);
  }

  private shardOf(value: string): Map<string, number> {
    const { length } = value;
    let mixed = length;
    for (const at of [0, length >> 2, length >> 1, length - 1]) mixed = (mixed * 31 + (value.charCodeAt(at) || 0)) | 0;
    const place = mixed & (SHARDS - 1);
    let shard = this.shards.get(place);
    if (shard === undefined) this.shards.set(place, (shard = new Map()));
    return shard;
  }
}
