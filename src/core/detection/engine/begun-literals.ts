/**
 * The building blocks of detectors: patterns, keywords, tokens, and copies of a text without disguises. All of them work on streams and on
 * whole texts.
 */

interface Node {
  readonly next: Map<number, Node>;
  /** Patterns with a literal that continues after this node, grouped by their guard (an expression for the text left of the literal). */
  readonly owners: Map<RegExp | undefined, Set<number>>;
}

/** Finds incomplete literals at the end of a growing text. Case is ignored. */
export class BegunLiterals {
  private readonly root: Node = newNode();
  private longest = 0;

  /**
   * Adds the literals of a pattern.
   * @param guard a sticky expression that must match where a literal begins; patterns should share guard objects
   */
  add(literals: readonly string[], owner: number, guard: RegExp | undefined): void {
    for (const literal of literals) {
      const name = literal.toLowerCase();
      this.longest = Math.max(this.longest, literal.length);
      let node = this.root;
      for (let at = 0; at < name.length; at++) {
        if (at > 0 && at < literal.length) listOf(node, guard).add(owner);
        const unit = name.charCodeAt(at);
        let child = node.next.get(unit);
        if (child === undefined) {
          child = newNode();
          node.next.set(unit, child);
        }
        node = child;
      }
    }
  }

  /** For each pattern, the positions at or after `from` where one of its literals has begun. */
  in(text: string, from: number): ReadonlyMap<number, readonly number[]> {
    const begun = new Map<number, number[]>();
    const tail = text.slice(Math.max(from, text.length - this.longest + 1)).toLowerCase();
    const first = text.length - tail.length;
    for (let at = 0; at < tail.length; at++) {
      let node: Node | undefined = this.root;
      for (let index = at; index < tail.length && node !== undefined; index++)
        node = node.next.get(tail.charCodeAt(index));
      if (node === undefined) continue;
      for (const [guard, owners] of node.owners) if (mayBegin(guard, text, first + at)) note(owners, first + at, begun);
    }
    return begun;
  }
}

function newNode(): Node {
  return { next: new Map(), owners: new Map() };
}

function listOf({ owners }: Node, guard: RegExp | undefined): Set<number> {
  const known = owners.get(guard) ?? new Set();
  owners.set(guard, known);
  return known;
}

function mayBegin(guard: RegExp | undefined, text: string, place: number): boolean {
  if (guard === undefined) return true;
  guard.lastIndex = place;
  return guard.test(text);
}

function note(owners: Iterable<number>, place: number, begun: Map<number, number[]>): void {
  for (const owner of owners) {
    const places = begun.get(owner);
    if (places === undefined) begun.set(owner, [place]);
    else places.push(place);
  }
}
