import { firstEventIdAt } from '../event-id.js';
import type { EventFilters } from './event-filters.js';
import type { FollowedIds } from './event-reader.js';
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
  /** The number of records per query, at most. */
  recordsAtOnce = Infinity;
  /** The number of ids in the window of a query, at most. */
  window = Infinity;
  /** Ids of events that were removed after they were found. */
  readonly removed = new Set<string>();
  /** The numbers of ids for which records were queried. */
  readonly asked: number[] = [];
  private readonly later: { readonly atMs: number; readonly id: string }[] = [];

  constructor(private readonly stepMs: number) {}

  /** Stores an event at a time that may differ from the time of its id. */
  store(id: string, atMs: number): void {
    this.later.push({ atMs: START_MS + atMs, id });
  }

  idsAfter(_filters: EventFilters, afterId: string, most: number): Promise<FollowedIds> {
    this.looks += 1;
    this.nowMs += this.stepMs;
    for (const one of this.later) {
      if (one.atMs <= this.nowMs && !this.stored.includes(one.id)) this.stored.push(one.id);
    }
    const matching = this.stored.filter((id) => id > afterId).sort();
    const ids = matching.slice(0, Math.min(most, this.window));
    const isComplete = ids.length === matching.length;
    return Promise.resolve({ ids, reached: ids.at(-1) ?? afterId, isComplete });
  }

  firstOf(_manager: unknown, ids: readonly string[]): Promise<EventRecord[]> {
    this.asked.push(ids.length);
    const events = ids.filter((id) => !this.removed.has(id)).slice(0, this.recordsAtOnce);
    return Promise.resolve(events.map((id) => ({ id, type: 'ai.request' }) as EventRecord));
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

describe('the records of a tail', () => {
  it('are all sent in their order if few of them fit into memory, without those that were removed', async () => {
    const log = new Log(1_000);
    for (let index = 0; index < 500; index++) log.stored.push(idAt(index - 1_000_000));
    log.recordsAtOnce = 7;
    for (const index of [1, 7, 8, 499]) log.removed.add(log.stored[index]!);
    const { events } = await tailOf(log, 3, idAt(-1_000_001));
    expect(events).toEqual(log.stored.filter((id) => !log.removed.has(id)));
    expect(Math.max(...log.asked)).toBe(200);
  });

  it('are sent in pieces, so that a client that does not read keeps only one of them in memory', async () => {
    const log = new Log(1_000);
    for (let index = 0; index < 2_000; index++) log.stored.push(idAt(index - 1_000_000));
    const filters = { manager: {} } as EventFilters;
    const options = { pollMs: 0, lateMs: 1, sweepMs: 1, lostMs: 1, keepAliveMs: Infinity, nowMs: () => log.nowMs };
    const { signal } = new AbortController();
    const tail = tailEvents(log, filters, idAt(-1_000_001), () => Promise.resolve(true), signal, options);
    expect((await tail.next()).value).toBe(': connected\n\n');
    const first = (await tail.next()).value as string;
    expect(first.length).toBeLessThan(33_000);
    expect(log.asked).toEqual(expect.arrayContaining([200]));
    expect(log.asked.length).toBeLessThan(5);
    await tail.return(undefined);
  });

  it('are found by several searches if one search ends before it has covered the log', async () => {
    const log = new Log(1_000);
    log.window = 3;
    for (let index = 0; index < 30; index++) log.stored.push(idAt(index - 1_000_000));
    expect((await tailOf(log, 20, idAt(-1_000_001))).events).toEqual(log.stored);
  });

  it('are not missed, and the client is told that it is connected, while searches find nothing for long', async () => {
    const log = new Log(1_000);
    let searches = 0;
    const found = log.idsAfter.bind(log);
    log.idsAfter = async (filters, afterId, most) => {
      if (++searches >= 40) return found(filters, afterId, most);
      return { ...(await found(filters, idAt(0), 0)), reached: afterId, isComplete: false };
    };
    log.stored.push(idAt(-500_000));
    const options = { pollMs: 0, lateMs: 1, sweepMs: 1, lostMs: 1, keepAliveMs: 15_000, nowMs: () => log.nowMs };
    const allowed = (): Promise<boolean> => Promise.resolve(searches < 41);
    const filters = { manager: {} } as EventFilters;
    let text = '';
    const { signal } = new AbortController();
    for await (const piece of tailEvents(log, filters, idAt(-1_000_000), allowed, signal, options)) text += piece;
    expect(text.match(/: keep-alive/g)).toHaveLength(2);
    expect(text).toContain(`"id":"${idAt(-500_000)}"`);
  });

  it('end without an error if the tail is ended while it waits for its turn to read', async () => {
    const gone = new AbortController();
    const reader = {
      idsAfter: () => {
        gone.abort();
        return Promise.reject(gone.signal.reason as Error);
      },
      firstOf: () => Promise.resolve([]),
    };
    const options = { pollMs: 0, lateMs: 1, sweepMs: 1, lostMs: 1, keepAliveMs: 1, nowMs: () => START_MS };
    const filters = { manager: {} } as EventFilters;
    const pieces: string[] = [];
    const tail = tailEvents(reader, filters, undefined, () => Promise.resolve(true), gone.signal, options);
    for await (const piece of tail) pieces.push(piece);
    expect(pieces).toEqual([': connected\n\n']);
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
