/** Number of hash tables that share the values, so that growing one of them is quick. */
const PARTS = 64;
const PART_BITS = 6;
const FIRST_ENTRIES = 32;
/**
 * Maximum probes per value; after that the value is refused. Otherwise chosen values with colliding hashes could slow down the search.
 */
const MOST_LOOKS = 32;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The result of a search in a part: the `entry` of the value, or -1 and the `slot` into which the value belongs. */
interface Found {
  entry: number;
  /** -1 if there is no free slot within the probe limit. */
  slot: number;
}

/** The entries of a part, stored by column: one object per entry would burden the garbage collector. */
class Part {
  count = 0;
  capacity = FIRST_ENTRIES;
  slots = new Int32Array(2 * FIRST_ENTRIES);
  hashes = new Int32Array(FIRST_ENTRIES);
  texts = new Int32Array(FIRST_ENTRIES);
  starts = new Int32Array(FIRST_ENTRIES);
  lengths = new Int32Array(FIRST_ENTRIES);
  /** 0 for a removed entry. */
  numbers = new Int32Array(FIRST_ENTRIES);

  /** Doubles the capacity. @returns the entries for which no slot was found */
  grow(): readonly number[] {
    this.capacity *= 2;
    const longer = (column: Int32Array): Int32Array<ArrayBuffer> => {
      const copy = new Int32Array(this.capacity);
      copy.set(column);
      return copy;
    };
    this.hashes = longer(this.hashes);
    this.texts = longer(this.texts);
    this.starts = longer(this.starts);
    this.lengths = longer(this.lengths);
    this.numbers = longer(this.numbers);
    this.slots = new Int32Array(2 * this.capacity);
    const lost: number[] = [];
    for (let entry = 0; entry < this.count; entry++) {
      const slot = this.freeSlot(this.hashes[entry]!);
      if (slot === -1) lost.push(entry);
      else this.slots[slot] = entry + 1;
    }
    return lost;
  }

  private freeSlot(hash: number): number {
    const mask = this.slots.length - 1;
    for (let look = 0; look < MOST_LOOKS; look++) {
      const slot = ((hash >>> PART_BITS) + look) & mask;
      if (this.slots[slot] === 0) return slot;
    }
    return -1;
  }
}

/**
 * Maps values to numbers without storing a string per value: a call may have a value in every third word. Values are stored as ranges
 * of their texts. A value can be refused or dropped; the caller has to keep those.
 */
export class NumberedRanges {
  private readonly parts: (Part | undefined)[] = new Array<Part | undefined>(PARTS);
  private readonly texts: string[] = [];
  private readonly found: Found = { entry: -1, slot: -1 };

  /** @param onLost called for a value that was dropped because no slot was found */
  constructor(private readonly onLost: (value: string, number: number) => void) {}

  /** The number of the value in this range of the text. */
  get(text: string, start: number, end: number): number | undefined {
    const hash = hashOf(text, start, end);
    const part = this.parts[hash & (PARTS - 1)];
    if (part === undefined || this.find(part, hash, text, start, end).entry === -1) return undefined;
    return part.numbers[this.found.entry]! || undefined;
  }

  /** Sets or replaces the number of a value. @returns false if no slot is free for it */
  set(text: string, start: number, end: number, number: number): boolean {
    const hash = hashOf(text, start, end);
    const part = (this.parts[hash & (PARTS - 1)] ??= new Part());
    const { entry, slot } = this.find(part, hash, text, start, end);
    if (entry !== -1) {
      part.numbers[entry] = number;
      return true;
    }
    if (slot === -1) return false;
    const added = part.count++;
    part.slots[slot] = added + 1;
    part.hashes[added] = hash;
    part.texts[added] = this.indexOf(text);
    part.starts[added] = start;
    part.lengths[added] = end - start;
    part.numbers[added] = number;
    if (part.count === part.capacity) for (const lost of part.grow()) this.lose(part, lost);
    return true;
  }

  private find(part: Part, hash: number, text: string, start: number, end: number): Found {
    const { slots, hashes } = part;
    const { found } = this;
    const mask = slots.length - 1;
    for (let look = 0; look < MOST_LOOKS; look++) {
      const slot = ((hash >>> PART_BITS) + look) & mask;
      const entry = slots[slot]! - 1;
      if (entry === -1) return ((found.entry = -1), (found.slot = slot), found);
      if (hashes[entry] === hash && this.isAt(part, entry, text, start, end))
        return ((found.entry = entry), (found.slot = slot), found);
    }
    return ((found.entry = -1), (found.slot = -1), found);
  }

  private isAt(part: Part, entry: number, text: string, start: number, end: number): boolean {
    if (part.lengths[entry] !== end - start) return false;
    const known = this.texts[part.texts[entry]!]!;
    const from = part.starts[entry]! - start;
    for (let at = start; at < end; at++) if (text.charCodeAt(at) !== known.charCodeAt(at + from)) return false;
    return true;
  }

  private lose(part: Part, entry: number): void {
    const number = part.numbers[entry]!;
    const start = part.starts[entry]!;
    const value = this.texts[part.texts[entry]!]!.slice(start, start + part.lengths[entry]!);
    part.numbers[entry] = 0;
    if (number !== 0) this.onLost(value, number);
  }

  /** Only the last text is compared, because values arrive text by text. */
  private indexOf(text: string): number {
    const last = this.texts.length - 1;
    return last >= 0 && this.texts[last] === text ? last : this.texts.push(text) - 1;
  }
}

function hashOf(text: string, start: number, end: number): number {
  let hash = FNV_OFFSET;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  hash ^= hash >>> 16;
  return Math.imul(hash, 0x45d9f3b) | 0;
}
