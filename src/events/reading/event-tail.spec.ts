import { firstEventIdAt } from '../event-id.js';
import type { EventFilters } from './event-filters.js';
import type { EventRecord } from './event-record.js';
import { tailEvents } from './event-tail.js';
import { SentIds } from './sent-ids.js';

const START_MS = Date.UTC(2026, 10, 21);
const MINUTE_MS = 60_000;

/** The id of an event received this number of milliseconds after the start. */
function idAt(ms: number): string {
  return firstEventIdAt(START_MS + ms);
}

/** A log that stores events at given times, with a clock that advances with every query. */
class Log {
  readonly stored: string[] = [];
  nowMs = START_MS;
  looks = 0;
  private readonly later: { readonly atMs: number; readonly id: string }[] = [];

  constructor(private readonly stepMs: number) {}

  /** Stores an event at a time that may differ from the time of its id. */
  store(id: string, atMs: number): void {
    this.later.push({ atMs: START_MS + atMs, id });
  }

  idsFrom(_filters: EventFilters, fromId: string, limit: number): Promise<string[]> {
    this.looks += 1;
    this.nowMs += this.stepMs;
    for (const one of this.later) {
      if (one.atMs <= this.nowMs && !this.stored.includes(one.id)) this.stored.push(one.id);
    }
    return Promise.resolve(
      this.stored
        .filter((id) => id >= fromId)
        .sort()
        .slice(0, limit),
    );
  }

  byIds(_manager: unknown, ids: readonly string[]): Promise<EventRecord[]> {
    return Promise.resolve(ids.map((id) => ({ id, type: 'ai.request' }) as EventRecord));
  }
}

/** The events that a tail sends in a number of queries, and the position of each message. */
async function tailOf(log: Log, looks: number, after?: string): Promise<{ events: string[]; positions: string[] }> {
  const options = {
    pollMs: 0,
    lateMs: 15_000,
    sweepMs: 5_000,
    lostMs: 10 * MINUTE_MS,
    keepAliveMs: Infinity,
    nowMs: () => log.nowMs,
  };
  const allowed = (): Promise<boolean> => Promise.resolve(log.looks < looks);
  let text = '';
  const filters = { manager: {} } as EventFilters;
  for await (const piece of tailEvents(log, filters, after, allowed, new AbortController().signal, options))
    text += piece;
  const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => (JSON.parse(data!) as EventRecord).id);
  return { events, positions: [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id!) };
}

describe('following the event log', () => {
  it('sends an event that is stored minutes after its id was created, and each event once', async () => {
    const log = new Log(1_000);
    log.store(idAt(2_000), 3_000);
    log.store(idAt(4_000), 5 * MINUTE_MS);
    log.store(idAt(2 * MINUTE_MS), 2 * MINUTE_MS);
    const { events, positions } = await tailOf(log, 800);
    expect(events).toEqual([idAt(2_000), idAt(2 * MINUTE_MS), idAt(4_000)]);
    expect(positions).toEqual([idAt(2_000), idAt(2 * MINUTE_MS), idAt(2 * MINUTE_MS)]);
  });

  it('does not look back further than its bound', async () => {
    const log = new Log(1_000);
    log.store(idAt(4_000), 11 * MINUTE_MS);
    expect((await tailOf(log, 800)).events).toEqual([]);
  });

  it('continues after the last received event, and does not send earlier ones', async () => {
    const log = new Log(1_000);
    for (const ms of [1_000, 2_000, 3_000]) log.store(idAt(ms), 0);
    expect((await tailOf(log, 100, idAt(2_000))).events).toEqual([idAt(3_000)]);
  });

  it('catches up with a log of many pages, each event once', async () => {
    const log = new Log(1_000);
    for (let index = 0; index < 12_000; index++) log.stored.push(idAt(index - 12_000_000));
    const { events } = await tailOf(log, 40, idAt(-12_000_000));
    expect(events).toEqual([...log.stored].sort().slice(1));
  });
});

describe('the ids of sent events', () => {
  it('are limited to the newest ids', () => {
    const sent = new SentIds(idAt(0), [], 100);
    for (let index = 0; index < 1_000; index++) {
      sent.add(idAt(index));
      sent.trim(idAt(index));
      expect(sent.size).toBeLessThanOrEqual(101);
    }
    expect(sent.has(idAt(999))).toBe(true);
    for (let index = 0; index < 1_000; index++) {
      expect(sent.has(idAt(index))).toBe(idAt(index) >= sent.from);
    }
  });

  it('are complete from the oldest needed id on', () => {
    const sent = new SentIds(idAt(0), [], 100);
    for (let index = 0; index < 1_000; index++) {
      sent.add(idAt(index));
      sent.trim(idAt(10));
    }
    expect(sent.from <= idAt(10)).toBe(true);
    expect(sent.size).toBeGreaterThanOrEqual(990);
  });
});
