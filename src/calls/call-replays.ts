/**
 * Repeated calls receive the first answer, whether the first call is in the log, running in this process, or running on
 * another replica.
 */
import { timingSafeEqual } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../access/index.js';
import { EventLog, type StoredAnswer } from '../events/index.js';
import { forgottenAnswer, WeirError } from '../http/index.js';

/** How long a duplicate waits for the first one before it is told to try again. */
const DUPLICATE_WAIT_MS = 2_000;

/** How an event that was in flight ended: with an answer that holds for retries, or with none. */
type Settled = StoredAnswer | undefined;

/** The same event was stored before, and nothing was stored now. */
export class StoredBefore extends Error {
  override readonly name = 'StoredBefore';

  constructor(readonly stored: StoredAnswer) {
    super('the same call was stored before');
  }
}

/** The id is being worked on for longer than a duplicate waits. */
export class DuplicateInFlight extends Error {
  override readonly name = 'DuplicateInFlight';
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
   * @throws DuplicateInFlight after `waitMs`
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
        if (settled === 'late') throw new DuplicateInFlight();
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
  /** The field that holds the id. */
  readonly path: string;
  /** What the id was used before for, in the words of an error. */
  readonly usedBefore: 'with another body' | 'for another request';
}

/** Ensures that each call is handled once, whatever interface it uses. */
@Injectable()
export class CallReplays {
  private readonly inFlight = new InFlightEvents(DUPLICATE_WAIT_MS);

  constructor(@Inject(EventLog) private readonly log: Pick<EventLog, 'remembered'>) {}

  /**
   * @param work is told how to leave the answer that holds for those who ask meanwhile; StoredBefore says that another
   * replica was the first
   * @throws WeirError `in_progress` when the first one takes too long; whatever the work throws
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
   * Whether the first answer can be given again.
   * @throws WeirError `event_id_conflict` when it was given to another call, or when it was forgotten
   */
  check(stored: StoredAnswer, { fingerprint, path, usedBefore }: Identity): void {
    if (!timingSafeEqual(stored.fingerprint, fingerprint)) {
      throw new WeirError('event_id_conflict', {
        details: [{ path, message: `was used before, ${usedBefore}` }],
      });
    }
    if (stored.body === '') throw forgottenAnswer(path);
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
