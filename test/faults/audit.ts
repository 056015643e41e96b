import { setTimeout as delay } from 'node:timers/promises';
import type { Observations } from './callers.js';

/** Differences between the log and the answers to callers. */
export interface Audit {
  /** The number of events and calls that were answered with 200, and are not completely in the log. */
  readonly lost: number;
  /** The number of records that are in the log more than once, whatever answer the caller got. */
  readonly twice: number;
  /** The number of calls in the log that have no end. */
  readonly withoutEnd: number;
}

interface StoredEvent {
  readonly type: string;
  readonly event_id: string | null;
  readonly request_id: string | null;
}

/** The types of requests and of end-of-call records; violations are not counted. */
const TYPES = new Set(['ai.request', 'ai.response', 'ai.error']);
/** The time limit until end-of-call records are stored: they may wait in a journal. */
const PATIENCE_MS = 20_000;
const ASK_EVERY_MS = 500;

/** Compares the log with the answers to callers, until nothing is missing or the time limit expires. */
export async function audit(url: string, token: string, observed: Observations): Promise<Audit> {
  const untilMs = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = compare(await storedOf(url, token), observed);
    if ((found.lost === 0 && found.withoutEnd === 0) || Date.now() > untilMs) return found;
    await delay(ASK_EVERY_MS);
  }
}

/** Counts missing and duplicate records. */
export function compare(stored: readonly StoredEvent[], observed: Observations): Audit {
  const counts = new Map<string, number>();
  const count = (name: string): number => counts.get(name) ?? 0;
  for (const { type, request_id: id } of stored) {
    if (!TYPES.has(type)) continue;
    const name = `${type === 'ai.request' ? 'begin' : 'end'} ${id}`;
    counts.set(name, count(name) + 1);
  }
  const lostEvents = [...observed.events].filter((id) => count(`begin ${id}`) === 0);
  const lostCalls = [...observed.calls].filter((id) => count(`begin ${id}`) === 0 || count(`end ${id}`) === 0);
  const proxied = [...counts.keys()]
    .filter((name) => name.startsWith('begin p'))
    .map((name) => name.slice('begin '.length));
  return {
    lost: lostEvents.length + lostCalls.length,
    twice: [...counts.values()].filter((each) => each > 1).length,
    withoutEnd: proxied.filter((id) => count(`end ${id}`) === 0).length,
  };
}

async function storedOf(url: string, token: string): Promise<StoredEvent[]> {
  const found: StoredEvent[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ limit: '200', ...(cursor === null ? {} : { cursor }) });
    const response = await fetch(`${url}/v1/events?${query}`, { headers: { authorization: `Bearer ${token}` } });
    if (!response.ok) throw new Error(`reading the log was answered ${response.status}`);
    const page = (await response.json()) as { data: StoredEvent[]; next_cursor: string | null };
    found.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return found;
}
