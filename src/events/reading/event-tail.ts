/** New events as they come in, as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
import { setTimeout as sleep } from 'node:timers/promises';
import { firstEventIdAt } from '../event-id.js';
import type { EventFilters } from './event-filters.js';
import { MAX_LIMIT, type EventReader } from './event-reader.js';
import type { EventRecord } from './event-record.js';

export interface TailOptions {
  readonly pollMs: number;
  /** An event is stored a moment after its id was made, and other replicas make ids too: so long one is waited for. */
  readonly lateMs: number;
  readonly keepAliveMs: number;
  nowMs(): number;
}

export const TAIL_DEFAULTS: TailOptions = { pollMs: 500, lateMs: 15_000, keepAliveMs: 15_000, nowMs: () => Date.now() };

/** So many ids are looked at in one go; when there are more, the rest comes with the next look. */
const LOOK = 5_000;

/**
 * Frames until `signal` is aborted or the token is no longer good.
 *
 * @param after the id of the last event that was had; else it starts now
 * @param allowed asked before every look: a token that was deleted must not go on reading
 */
export async function* tailEvents(
  reader: Pick<EventReader, 'idsFrom' | 'byIds'>,
  filters: EventFilters,
  after: string | undefined,
  allowed: () => Promise<boolean>,
  signal: AbortSignal,
  options: TailOptions = TAIL_DEFAULTS,
): AsyncGenerator<string> {
  const startId = after ?? firstEventIdAt(options.nowMs());
  let from = startId;
  /** Ids that were sent and will be looked at again. */
  const sent = new Set<string>(after === undefined ? [] : [after]);
  let quietSinceMs = options.nowMs();
  yield ': connected\n\n';
  while (!signal.aborted && (await allowed())) {
    const lateId = firstEventIdAt(options.nowMs() - options.lateMs);
    const ids = await reader.idsFrom(filters, from, LOOK);
    const fresh = ids.filter((id) => !sent.has(id));
    for (let start = 0; start < fresh.length; start += MAX_LIMIT) {
      const events = await reader.byIds(filters.manager, fresh.slice(start, start + MAX_LIMIT));
      for (const { id } of events) sent.add(id);
      quietSinceMs = options.nowMs();
      yield events.map(frame).join('');
    }
    const isMore = ids.length === LOOK;
    from = isMore ? ids.at(-1)! : lateId > startId ? lateId : startId;
    for (const id of sent) if (id < from) sent.delete(id);
    if (isMore) continue;
    if (options.nowMs() - quietSinceMs >= options.keepAliveMs) {
      quietSinceMs = options.nowMs();
      yield ': keep-alive\n\n';
    }
    await sleep(options.pollMs, undefined, { signal }).catch(() => undefined);
  }
}

function frame(event: EventRecord): string {
  return `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
