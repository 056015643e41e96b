/** The maximum time for which the first collected event waits for the others. */
const LONGEST_WAIT_MS = 50;

/** Somebody who sends many events at once, for as long as they do. */
export interface Gathering {
  /** Of those that are still to come, some have come to their end without being stored. */
  changed(): void;
  /** No more come. */
  end(): void;
}

/** What a key sends at once, of all who send with it. */
interface Gathered {
  readonly name: string;
  readonly openOf: Set<() => number>;
  waiting: number;
}

/**
 * Who sends many events at once, each of which is stored when it has been judged: a statement for two or three of them costs the
 * database five times as much for each as one for a hundred. While nobody else waits and more is to come, what has come is held
 * back a little, so that it is stored together.
 */
export class Gatherings {
  private readonly byKey = new Map<string, Gathered>();
  private waiting = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param pump looks again whether anything is to be stored now */
  constructor(private readonly pump: () => void) {}

  /** @param open how many of theirs are still to come or wait to be stored */
  begin(accountId: string, keyId: string, open: () => number): Gathering {
    const name = nameOf(accountId, keyId);
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

  /** A request waits to be stored. @returns to be called when it does not any more; undefined where nothing gathers */
  came(accountId: string, keyId: string): (() => void) | undefined {
    const gathered = this.byKey.get(nameOf(accountId, keyId));
    if (gathered === undefined) return undefined;
    gathered.waiting += 1;
    this.waiting += 1;
    return () => {
      gathered.waiting -= 1;
      this.waiting -= 1;
    };
  }

  /**
   * Whether what waits is to wait for more.
   * @param length of all that waits
   * @param waitedMs so long the first of it has waited
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
    // Of those that have ended nothing is to come.
    if (gathering < length) return false;
    this.timer = setTimeout(this.pump, LONGEST_WAIT_MS - waitedMs);
    return true;
  }
}

function nameOf(accountId: string, keyId: string): string {
  return `${accountId}/${keyId}`;
}
