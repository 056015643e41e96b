import { LRUCache } from 'lru-cache';
import type { AdmittedCall } from '../calls/index.js';

/** The time for which an open call is kept in memory; afterwards, its end is judged with the data in the log. */
const KEPT_MS = 10 * 60_000;
const MOST_CALLS = 20_000;
const MOST_CHARACTERS = 64 * 1024 * 1024;
/** The assumed size of a call without its body, in characters. */
const CHARACTERS_OF_CALL = 4 * 1024;

/** The calls that this process admitted, with the data that only it has: their original texts. */
export class OpenCalls {
  private readonly calls = new LRUCache<string, AdmittedCall>({
    max: MOST_CALLS,
    maxSize: MOST_CHARACTERS,
    sizeCalculation: ({ doc }) => CHARACTERS_OF_CALL + (doc?.text.length ?? 0),
    ttl: KEPT_MS,
  });

  add(call: AdmittedCall): void {
    this.calls.set(call.id, call);
  }

  /** @returns undefined for a call of another process, an ended call, and an evicted one */
  find(id: string): AdmittedCall | undefined {
    return this.calls.get(id);
  }

  delete(id: string): void {
    this.calls.delete(id);
  }
}
