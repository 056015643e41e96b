import { indexIn, memberOf, stringOf, type JsonNode } from '../json/json-node.js';
import type { NamedItem, Scope } from '../providers/stream-family.js';

/**
 * Tells the items apart that have the same index, one after the other: a call that begins when another item has ended has texts of its own.
 * Other texts with one place in the answer stay one text on purpose: OpenAI's client for Node joins them, because it finds an item by its
 * index in the list of all items, whereas its client for Python and clients that go by ids begin a new text. Therefore `BlockRuns` also has
 * each of them read alone.
 */
export class ItemRounds {
  private readonly ended = new Set<Scope['index']>();
  private readonly rounds = new Map<Scope['index'], number>();

  /** @param ends called with the index and the id of an item that ends, of which an event may have only one */
  constructor(private readonly ends: (index: Scope['index'], id: NamedItem['id']) => void) {}

  /** The scope of the next event, with a key of its own for each of several items with the same index. */
  scoped(scope: Scope, root: JsonNode): Scope {
    const { family, type, index, key } = scope;
    if (family.beginsAtUsedIndex === undefined) return scope;
    const ends = family.endedBy(type, '', root) === 'block';
    if (ends) this.ends(index, idOfItem(root));
    if (index === undefined) return scope;
    if (ends) this.ended.add(index);
    else if (type === family.beginsAtUsedIndex && this.ended.delete(index))
      this.rounds.set(index, (this.rounds.get(index) ?? 0) + 1);
    const round = this.rounds.get(index);
    return round === undefined ? scope : { ...scope, key: JSON.stringify([key, round]) };
  }
}

function idOfItem(root: JsonNode): NamedItem['id'] {
  const item = memberOf(root, 'item');
  return indexIn(item, 'id') ?? stringOf(item, 'id');
}
