/** New events as they arrive, as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
import { setTimeout as sleep } from 'node:timers/promises';
import { firstEventIdAt } from '../event-id.js';
import type { EventFilters } from './event-filters.js';
import { MAX_LIMIT, type EventReader } from './event-reader.js';
import type { EventRecord } from './event-record.js';
import { SentIds } from './sent-ids.js';

export interface TailOptions {
  readonly pollMs: number;
  /** How far back each query looks: an event is stored shortly after its id was created, and several replicas create ids. */
  readonly lateMs: number;
  /**
   * Interval of the sweeps, which look for events stored later than `lateMs`, because the database was unavailable or the call took
   * long.
   */
  readonly sweepMs: number;
  /** How far back a sweep looks, at most as far as the sent ids are remembered (`SentIds`). */
  readonly lostMs: number;
  readonly keepAliveMs: number;
  /** The time of the database's clock, which ids contain. */
  nowMs(): number;
}

export const TAIL_DEFAULTS: Omit<TailOptions, 'nowMs'> = {
  pollMs: 500,
  lateMs: 15_000,
  sweepMs: 5_000,
  lostMs: 600_000,
  keepAliveMs: 15_000,
};

/** Maximum number of ids per query; the next query returns the rest. */
const LOOK = 5_000;

/**
 * Yields frames until `signal` is aborted or the token becomes invalid. Events come in the order in which they are found. The `id` of a
 * frame is the position to continue from: the highest id so far, so that an event stored late does not move it back.
 *
 * @param after the id of the last event received; absent: the stream starts now
 * @param allowed checked before every query: a deleted token must not continue to read
 */
export async function* tailEvents(
  reader: Pick<EventReader, 'idsFrom' | 'byIds'>,
  filters: EventFilters,
  after: string | undefined,
  allowed: () => Promise<boolean>,
  signal: AbortSignal,
  options: TailOptions,
): AsyncGenerator<string> {
  const startId = after ?? firstEventIdAt(options.nowMs());
  let from = startId;
  let position = startId;
  const sent = new SentIds(startId, after === undefined ? [] : [after]);
  let quietSinceMs = options.nowMs();
  let sweptMs = quietSinceMs;
  yield ': connected\n\n';
  while (!signal.aborted && (await allowed())) {
    const nowMs = options.nowMs();
    const ids = await reader.idsFrom(filters, from, LOOK);
    const fresh = ids.filter((id) => !sent.has(id));
    for (let start = 0; start < fresh.length; start += MAX_LIMIT) {
      const events = await reader.byIds(filters.manager, fresh.slice(start, start + MAX_LIMIT));
      for (const { id } of events) sent.add(id);
      quietSinceMs = options.nowMs();
      const frames = events.map((event) => {
        position = later(position, event.id);
        return frame(event, position);
      });
      yield frames.join('');
    }
    const isMore = ids.length === LOOK;
    const nearId = later(firstEventIdAt(nowMs - options.lateMs), startId);
    const lostId = firstEventIdAt(nowMs - options.lostMs);
    const next = isMore ? ids.at(-1)! : nearId;
    sent.forgetBefore(next < lostId ? next : lostId);
    sent.trim(next < nearId ? next : nearId);
    from = next;
    if (isMore) continue;
    if (nowMs - sweptMs >= options.sweepMs) {
      sweptMs = nowMs;
      from = sent.from;
    }
    if (options.nowMs() - quietSinceMs >= options.keepAliveMs) {
      quietSinceMs = options.nowMs();
      yield ': keep-alive\n\n';
    }
    await sleep(options.pollMs, undefined, { signal }).catch(() => undefined);
  }
}

function later(a: string, b: string): string {
  return a > b ? a : b;
}

function frame(event: EventRecord, position: string): string {
  return `id: ${position}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
