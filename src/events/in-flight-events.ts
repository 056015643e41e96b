import { setTimeout as delay } from 'node:timers/promises';
import type { StoredAnswer } from './event.js';

/** How an event that was in flight ended: with an answer that holds for retries, or with none. */
export type Settled = StoredAnswer | undefined;

/** The id is being worked on for longer than a duplicate waits. */
export class StillInFlight extends Error {
  override readonly name = 'StillInFlight';
}

/**
 * Event ids that this process is working on. A duplicate waits for the first one instead of doing the work again;
 * duplicates on different replicas meet in the database.
 */
export class InFlightEvents {
  private readonly running = new Map<string, Promise<Settled>>();

  constructor(private readonly waitMs: number) {}

  /**
   * Does the work, unless the same identity is being worked on: then waits for it. A duplicate whose first one ended
   * without an answer to remember takes its place.
   *
   * @returns what `work` gave, or the answer that somebody else's work left
   * @throws StillInFlight after `waitMs`
   */
  async run<T>(
    identity: string,
    work: (settle: (answer: StoredAnswer) => void) => Promise<T>,
  ): Promise<{ readonly own: true; readonly result: T } | { readonly own: false; readonly answer: StoredAnswer }> {
    const patience = new AbortController();
    const timeout = delay(this.waitMs, 'late' as const, { signal: patience.signal, ref: false }).catch(
      () => 'late' as const,
    );
    try {
      for (let first = this.running.get(identity); first !== undefined; first = this.running.get(identity)) {
        const settled = await Promise.race([first, timeout]);
        if (settled === 'late') throw new StillInFlight();
        if (settled !== undefined) return { own: false, answer: settled };
      }
    } finally {
      patience.abort();
    }
    return { own: true, result: await this.lead(identity, work) };
  }

  /** Identities being worked on, for metrics and tests. */
  get size(): number {
    return this.running.size;
  }

  private async lead<T>(identity: string, work: (settle: (answer: StoredAnswer) => void) => Promise<T>): Promise<T> {
    let settled: Settled;
    const { promise, resolve } = Promise.withResolvers<Settled>();
    this.running.set(identity, promise);
    try {
      return await work((answer) => (settled = answer));
    } finally {
      this.running.delete(identity);
      resolve(settled);
    }
  }
}
