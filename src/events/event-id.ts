/**
 * Ids of events: UUIDv7 (RFC 9562, section 5.7), so that they sort by time. The event log is partitioned by these ids and paged in
 * their order.
 */
import { pooledUint32 } from '../http/index.js';

const COUNTER_MAX = 0xfff;
/** A new millisecond starts its counter in the lower half, which leaves room to count up. */
const COUNTER_SEED_MASK = 0x7ff;
const MAX_TIME_MS = 2 ** 48 - 1;

/**
 * The id of an answer may contain an earlier time than the id of its request, by this much at most: the server that stored the answer may
 * have had a clock that was behind.
 */
export const CLOCKS_APART_MS = 3_600_000;

let lastMs = -1;
let counter = 0;

/**
 * If the clock steps back further than this, ids follow it: an id out of order is better than one with the wrong week.
 */
const MAX_STEP_BACK_MS = 10_000;

/**
 * Makes an id for an event received at `now`. Ids of one process increase: within a millisecond, and if the clock steps back a little,
 * the 12 bits of `rand_a` are a counter (RFC 9562, section 6.2, method 1), and when it is used up, the time field advances by a
 * millisecond. The other 62 bits are random.
 */
export function newEventId(now: Date): string {
  const nowMs = now.getTime();
  if (nowMs > lastMs || nowMs < lastMs - MAX_STEP_BACK_MS) {
    lastMs = nowMs;
    counter = pooledUint32() & COUNTER_SEED_MASK;
  } else if (counter < COUNTER_MAX) {
    counter += 1;
  } else {
    lastMs += 1;
    counter = pooledUint32() & COUNTER_SEED_MASK;
  }
  const [first, second] = [pooledUint32(), pooledUint32()];
  const variant = hex(0x8000 | (first & 0x3fff), 4);
  const tail = hex(first >>> 16, 4) + hex(second >>> 16, 4) + hex(second & 0xffff, 4);
  return `${timeField(lastMs)}-7${hex(counter, 3)}-${variant}-${tail}`;
}

/** The lowest id that an event of this instant can have: a bound for ranges, which is never assigned to an event. */
export function firstEventIdAt(timeMs: number): string {
  return `${timeField(Math.min(Math.max(Math.floor(timeMs), 0), MAX_TIME_MS))}-0000-0000-000000000000`;
}

/** The time in an id of an event, in milliseconds. */
export function timeOfEventId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True for text in the usual form of a UUID, of any version. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** 48 bits of milliseconds as the first two groups of a UUID. */
function timeField(timeMs: number): string {
  return `${hex(Math.floor(timeMs / 0x1_0000), 8)}-${hex(timeMs % 0x1_0000, 4)}`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
