/** The maximum time for which the first collected event waits for the others. */
const LONGEST_WAIT_MS = 50;

/** One sender of many events at once, until it has sent all of them. */
export interface Gathering {
  /** Called when some of the expected events have ended without being stored. */
  changed(): void;
  /** Called when no more events follow. */
  end(): void;
}

/** The gatherings of one key, from all its senders. */
interface Gathered {
  readonly name: string;
  readonly openOf: Set<() => number>;
  waiting: number;
}

/**
 * Tracks senders of many events at once, each of which is stored when it has been judged. Per event, a statement for two or three
 * events costs the database five times as much as one for a hundred events. So while no other request waits and more events are
 * expected, those that have arrived are held back briefly and stored together.
 */
export class Gatherings {
  private readonly byKey = new Map<string, Gathered>();
  private waiting = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param pump checks again whether a batch can be stored now */
  constructor(private readonly pump: () => void) {}

  /**
   * @param name the name of the sender's key
   * @param open the number of its events that are expected or wait to be stored
   */
  begin(name: string, open: () => number): Gathering {
    const known = this.byKey.get(name) ?? { name, openOf: new Set<() => number>(), waiting: 0 };
    this.byKey.set(name, known);
    known.openOf.add(open);
    return {
      changed: this.pump,
      end: () => {
        known.openOf.delete(open);
        if (known.openOf.size === 0 && this.byKey.get(name) === known) this.byKey.delete(name);
        this.pump();
      },
    };
  }

  /**
   * Registers a request that waits to be stored.
   * @param name the name of its key
   * @returns a function to call when it no longer waits; undefined if its key has no gathering
   */
  came(name: string): (() => void) | undefined {
    const gathered = this.byKey.get(name);
    if (gathered === undefined) return undefined;
    gathered.waiting += 1;
    this.waiting += 1;
    return () => {
      gathered.waiting -= 1;
      this.waiting -= 1;
    };
  }

  /**
   * Whether the waiting requests should wait for more.
   * @param length number of waiting requests
   * @param waitedMs how long the first of them has waited
   */
  holdsBack(length: number, waitedMs: number): boolean {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.waiting < length || waitedMs >= LONGEST_WAIT_MS) return false;
    let gathering = 0;
    for (const { openOf, waiting } of this.byKey.values()) {
      gathering += waiting;
      const open = [...openOf].reduce((sum, count) => sum + count(), 0);
      if (waiting > 0 && open <= waiting) return false;
    }
    // Senders that have ended send nothing more.
    if (gathering < length) return false;
    this.timer = setTimeout(this.pump, LONGEST_WAIT_MS - waitedMs);
    return true;
  }
}
