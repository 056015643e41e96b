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
/** Maximum number of bytes of stored JSON per query for records. A tail keeps that much in memory while its client does not read. */
const RECORD_BYTES = 1024 * 1024;
/** Frames are joined up to this length: below 128 KiB, because V8 keeps a larger text until a full garbage collection. */
const TEXT_LENGTH = 32 * 1024;

/** The part of the log's reader that a tail uses. */
export type TailReader = Pick<EventReader, 'idsAfter' | 'firstOf'>;

/**
 * Yields frames until `signal` is aborted or the token becomes invalid. Events come in the order in which they are found. The `id` of a
 * frame is the position to continue from: the highest id so far, so that an event stored late does not move it back.
 *
 * @param after the id of the last event received; absent: the stream starts now
 * @param allowed checked before every query: a deleted token must not continue to read
 */
export async function* tailEvents(
  reader: TailReader,
  filters: EventFilters,
  after: string | undefined,
  allowed: () => Promise<boolean>,
  signal: AbortSignal,
  options: TailOptions,
): AsyncGenerator<string> {
  try {
    yield* framesOf(reader, filters, after, allowed, signal, options);
  } catch (error) {
    // A tail that is ended while it waits for its turn to read ends like any other.
    if (!signal.aborted) throw error;
  }
}

async function* framesOf(
  ...[reader, filters, after, allowed, signal, options]: Parameters<typeof tailEvents>
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
    const { ids, reached, isComplete } = await reader.idsAfter(filters, from, LOOK);
    const fresh = ids.filter((id) => !sent.has(id));
    let text = '';
    for await (const event of recordsOf(reader, filters, fresh)) {
      sent.add(event.id);
      position = later(position, event.id);
      text += frame(event, position);
      if (text.length < TEXT_LENGTH) continue;
      yield text;
      text = '';
      quietSinceMs = options.nowMs();
    }
    if (text !== '') {
      yield text;
      quietSinceMs = options.nowMs();
    }
    const nearId = later(firstEventIdAt(nowMs - options.lateMs), startId);
    const lostId = firstEventIdAt(nowMs - options.lostMs);
    const next = isComplete ? nearId : reached;
    sent.forgetBefore(next < lostId ? next : lostId);
    sent.trim(next < nearId ? next : nearId);
    from = next;
    if (options.nowMs() - quietSinceMs >= options.keepAliveMs) {
      quietSinceMs = options.nowMs();
      yield ': keep-alive\n\n';
    }
    if (!isComplete) continue;
    if (nowMs - sweptMs >= options.sweepMs) {
      sweptMs = nowMs;
      from = sent.from;
    }
    await sleep(options.pollMs, undefined, { signal }).catch(() => undefined);
  }
}

/** The events with these ids, in their order. Only as many as fit into `RECORD_BYTES` are in memory at once. */
async function* recordsOf(
  reader: TailReader,
  { manager }: EventFilters,
  ids: readonly string[],
): AsyncGenerator<EventRecord> {
  for (let rest = ids; rest.length > 0;) {
    const asked = rest.slice(0, MAX_LIMIT);
    const events = await reader.firstOf(manager, asked, RECORD_BYTES);
    yield* events;
    const last = events.at(-1);
    // Without any, none of them exists any more.
    rest = rest.slice(last === undefined ? asked.length : rest.indexOf(last.id) + 1);
  }
}

function later(a: string, b: string): string {
  return a > b ? a : b;
}

function frame(event: EventRecord, position: string): string {
  return `id: ${position}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
