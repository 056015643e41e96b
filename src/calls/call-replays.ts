/**
 * Repeated calls receive the first answer, whether the first call is in the log, running in this process, or running on
 * another replica.
 */
import { timingSafeEqual } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../access/index.js';
import { EventLog, type StoredAnswer } from '../events/index.js';
import { answerNoLongerStored, WeirError } from '../http/index.js';

/** How long a duplicate waits for the first call before it is refused with a request to retry. */
const DUPLICATE_WAIT_MS = 2_000;

/** The result of an event that was in flight: an answer for retries, or none. */
type Settled = StoredAnswer | undefined;

/** Thrown when the same event was stored before, so that nothing was stored now. */
export class StoredBefore extends Error {
  override readonly name = 'StoredBefore';

  constructor(readonly stored: StoredAnswer) {
    super('the same call was stored before');
  }
}

/** Thrown when the first event with an id takes longer than a duplicate waits. */
export class DuplicateInFlight extends Error {
  override readonly name = 'DuplicateInFlight';
}

/**
 * The ids of events that this process is handling. A duplicate waits for the first event instead of doing the work again;
 * duplicates on different replicas are detected by the database.
 */
export class InFlightEvents {
  private readonly running = new Map<string, Promise<Settled>>();

  constructor(private readonly waitMs: number) {}

  /**
   * Does the work, unless work for the same identity is running: then waits for its answer. If the first work ends without an
   * answer for retries, the duplicate does the work instead.
   *
   * @returns the result of `work`, or the answer of the work that ran before
   * @throws DuplicateInFlight after `waitMs`
   */
  async run<T>(
    identity: string,
    work: (settle: (answer: StoredAnswer) => void) => Promise<T>,
  ): Promise<{ readonly own: true; readonly result: T } | { readonly own: false; readonly answer: StoredAnswer }> {
    // Usually nothing is running: then there is no wait to limit.
    if (!this.running.has(identity)) return { own: true, result: await this.lead(identity, work) };
    const patience = new AbortController();
    const timeout = delay(this.waitMs, 'late' as const, { signal: patience.signal, ref: false }).catch(
      () => 'late' as const,
    );
    try {
      for (let first = this.running.get(identity); first !== undefined; first = this.running.get(identity)) {
        const settled = await Promise.race([first, timeout]);
        if (settled === 'late') throw new DuplicateInFlight();
        if (settled !== undefined) return { own: false, answer: settled };
      }
    } finally {
      patience.abort();
    }
    return { own: true, result: await this.lead(identity, work) };
  }

  /** The number of identities whose work is running, for metrics and tests. */
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

/** A call that may be repeated. */
export interface RepeatableCall {
  readonly caller: Pick<Caller, 'accountId' | 'appId' | 'environment'>;
  /** The id from its client; a call without one is never a repetition. */
  readonly eventId: string | undefined;
}

/** The result of a call: it was handled now, or it is a repetition. */
export type ReplayableResult<T> =
  { readonly replayed: false; readonly result: T } | { readonly replayed: true; readonly stored: StoredAnswer };

/** The identity of a call, and the error when another call has the same id. */
export interface Identity {
  readonly fingerprint: Buffer;
  /** The field that contains the id. */
  readonly path: string;
  /** The earlier use of the id, in the words of an error. */
  readonly usedBefore: 'with another body' | 'for another request';
}

/** Ensures that each call is handled once, whatever interface it uses. */
@Injectable()
export class CallReplays {
  private readonly inFlight = new InFlightEvents(DUPLICATE_WAIT_MS);

  constructor(@Inject(EventLog) private readonly log: Pick<EventLog, 'remembered'>) {}

  /**
   * @param work passes the answer for retries that arrive meanwhile to its parameter `settle`; it throws StoredBefore if another
   * replica stored the call first
   * @throws WeirError `in_progress` if the first attempt takes too long; all other errors of `work`
   */
  async once<T>(
    { caller, eventId }: RepeatableCall,
    work: (settle: (answer: StoredAnswer) => void) => Promise<T>,
  ): Promise<ReplayableResult<T>> {
    if (eventId === undefined) return worked(work, () => undefined);
    const { appId, environment, accountId } = caller;
    const run = await this.inFlight
      .run(`${appId} ${environment} ${eventId}`, async (settle): Promise<ReplayableResult<T>> => {
        const known = await this.log.remembered(appId, environment, eventId, accountId);
        if (known === null) return worked(work, settle);
        settle(known);
        return { replayed: true, stored: known };
      })
      .catch((error: unknown) => {
        throw error instanceof DuplicateInFlight ? new WeirError('in_progress', { retryAfterSeconds: 1 }) : error;
      });
    return run.own ? run.result : { replayed: true, stored: run.answer };
  }

  /**
   * Checks that the first answer can be sent again.
   * @throws WeirError `event_id_conflict` when the answer belongs to another call, or is no longer stored
   */
  check(stored: StoredAnswer, { fingerprint, path, usedBefore }: Identity): void {
    if (!timingSafeEqual(stored.fingerprint, fingerprint)) {
      throw new WeirError('event_id_conflict', {
        details: [{ path, message: `was used before, ${usedBefore}` }],
      });
    }
    if (stored.body === '') throw answerNoLongerStored(path);
  }
}

async function worked<T>(
  work: (settle: (answer: StoredAnswer) => void) => Promise<T>,
  settle: (answer: StoredAnswer) => void,
): Promise<ReplayableResult<T>> {
  try {
    return { replayed: false, result: await work(settle) };
  } catch (error) {
    if (!(error instanceof StoredBefore)) throw error;
    settle(error.stored);
    return { replayed: true, stored: error.stored };
  }
}
