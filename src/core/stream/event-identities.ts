import { JsonSyntaxError } from '../json/json-parser.js';
import type { EventHead, Scope } from '../providers/stream-family.js';

/**
 * Refuses a stream whose clients would disagree about which of its events continue a text: some select events by the type in the data, others
 * by the name in the `event:` line, and each joins the texts of the events that it selects.
 */
export class EventIdentities {
  private readonly known = new Map<string, string>();

  /**
   * @param event an event with a text that continues
   * @throws JsonSyntaxError if it differs from an earlier event in what clients select or group events by
   */
  note(event: EventHead, { family, ...scope }: Scope): void {
    for (const [key, value] of family.fixedIn(event, scope)) {
      const before = this.known.get(key);
      if (before === undefined) this.known.set(key, value);
      else if (before !== value)
        throw new JsonSyntaxError('events of one text that are named in two ways', '', 0, true);
    }
  }
}
