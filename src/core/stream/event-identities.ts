import { hash } from '../decision/answer-key.js';
import { JsonSyntaxError } from '../json/json-parser.js';
import type { EventHead, NamedItem, Scope } from '../providers/stream-family.js';

/**
 * Refuses a stream whose clients would disagree about which of its events continue a text: some select events by the type in the data, others
 * by the name in the `event:` line, and each joins the texts of the events that it selects. Likewise, some find the item of a text by its
 * place, others by its id.
 */
export class EventIdentities {
  private readonly known = new Map<string, string>();
  private readonly items = new Map<Scope['index'], ItemNames>();
  /** The index of each item that has not ended, by its id; events without an id have one for each index. */
  private readonly indexOfIds = new Map<string, Scope['index']>();
  private readonly kinds = new Set<string>();

  /**
   * @param event an event with a text that continues
   * @throws JsonSyntaxError if it differs from an earlier event in what clients select or group events by
   */
  note(event: EventHead, { family, ...scope }: Scope): void {
    for (const [key, value] of family.fixedIn(event, scope)) {
      const before = this.known.get(key);
      if (before === undefined) this.known.set(key, value);
      else if (before !== value) throw inTwoWays();
    }
    const item = family.itemOf?.(event, scope);
    if (item !== undefined) this.noteItem(item);
  }

  /**
   * Called when an item has ended: its id may occur again.
   * @param id the id in the event that ends it, which may have no index
   */
  ended(index: Scope['index'], id: NamedItem['id']): void {
    if (index !== undefined) {
      for (const key of this.items.get(index)?.ids ?? [])
        if (this.indexOfIds.get(key) === index) this.indexOfIds.delete(key);
      this.items.delete(index);
    }
    if (id === undefined || this.kinds.size > MOST_KINDS) return;
    for (const kind of this.kinds) {
      const name = nameOf({ kind, index, id });
      const key = keyOf(name);
      if (!this.indexOfIds.has(key)) continue;
      const last = this.items.get(this.indexOfIds.get(key))?.last;
      if (last?.get(kind) === name) last.delete(kind);
      this.indexOfIds.delete(key);
    }
  }

  /**
   * An id may replace another one, as GitHub Copilot does with each event, but it may not return: the texts before and after the other one
   * are joined only by clients that go by the id. Neither may it move to another place while its item goes on.
   */
  private noteItem(named: NamedItem): void {
    const { kind, index } = named;
    const name = nameOf(named);
    const item = this.items.get(index) ?? { last: new Map<string, string>(), ids: [] };
    if (item.last.get(kind) === name) return;
    // Of two ids with one hash, the second one is refused.
    const key = keyOf(name);
    const isKnown = this.indexOfIds.has(key);
    if (isKnown && (index !== undefined || this.indexOfIds.get(key) !== undefined)) throw inTwoWays();
    item.last.set(kind, name);
    this.kinds.add(kind);
    this.items.set(index, item);
    if (isKnown) return;
    item.ids.push(key);
    this.indexOfIds.set(key, index);
  }
}

/** Of longer names, a hash is kept: a stream may have many. */
const LONGEST_KEPT = 96;
/** Of more kinds of texts than any provider has, ids without an index do not occur again: each end would have to go through all kinds. */
const MOST_KINDS = 64;

/** The names under which the texts of an item have arrived. */
interface ItemNames {
  /** The last one, by the kind of text. */
  readonly last: Map<string, string>;
  readonly ids: string[];
}

function nameOf({ kind, index, id }: NamedItem): string {
  return JSON.stringify(id === undefined ? [kind, index ?? ''] : [kind, id, 'id']);
}

function keyOf(name: string): string {
  return name.length > LONGEST_KEPT ? hash(name) : name;
}

function inTwoWays(): JsonSyntaxError {
  return new JsonSyntaxError('events of one text that are named in two ways', '', 0, true);
}
