import { setTimeout as delay } from 'node:timers/promises';
import type { Told } from './callers.js';

/** What the log holds of what callers were told. */
export interface Audit {
  /** Answered with 200, and not in the log with all that belongs to it. */
  readonly lost: number;
  /** In the log more than once, whatever the caller was told. */
  readonly twice: number;
  /** Calls in the log whose end is not there. */
  readonly withoutEnd: number;
}

interface StoredEvent {
  readonly type: string;
  readonly event_id: string | null;
  readonly request_id: string | null;
}

/** Requests and ends of calls; a violation stands beside either. */
const TYPES = new Set(['ai.request', 'ai.response', 'ai.error']);
/** Ends of calls may wait in a journal: they have this long to come. */
const PATIENCE_MS = 20_000;
const ASK_EVERY_MS = 500;

/** Compares the log with what callers were told, until nothing is missing or too much time has passed. */
export async function audit(url: string, token: string, told: Told): Promise<Audit> {
  const untilMs = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = compare(await storedOf(url, token), told);
    if ((found.lost === 0 && found.withoutEnd === 0) || Date.now() > untilMs) return found;
    await delay(ASK_EVERY_MS);
  }
}

/** What is missing and what is there too often. */
export function compare(stored: readonly StoredEvent[], told: Told): Audit {
  const counts = new Map<string, number>();
  const count = (name: string): number => counts.get(name) ?? 0;
  for (const { type, request_id: id } of stored) {
    if (!TYPES.has(type)) continue;
    const name = `${type === 'ai.request' ? 'begin' : 'end'} ${id}`;
    counts.set(name, count(name) + 1);
  }
  const lostEvents = [...told.events].filter((id) => count(`begin ${id}`) === 0);
  const lostCalls = [...told.calls].filter((id) => count(`begin ${id}`) === 0 || count(`end ${id}`) === 0);
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
