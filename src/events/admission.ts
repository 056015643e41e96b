/**
 * The checks in addition to the rules that a call must pass before it reaches the log, in this order. `src/composition.ts` assembles the
 * lists from the features for limits, subscriptions and money; the pipelines of REST and proxy run them.
 *
 * authenticate → limits → replay → standing → decode → judge → spending → append → answer
 */
import type { Caller } from '../access/index.js';
import type { EventSource } from './event.js';

export interface AdmissionContext {
  readonly caller: Caller;
  readonly source: EventSource;
  readonly receivedAt: Date;
  /** The number of events in a batch. */
  readonly events?: number;
  /** Adds a header, such as `RateLimit`, to the answer, whatever its status. */
  setHeader(name: string, value: string): void;
}

/** Reverses the count of a step for a call that was refused for another reason. */
export type Rollback = () => void;

/** Lets a call pass, or throws the `WeirError` that is the answer. */
export interface AdmissionStep {
  /** For logs and tests. */
  readonly name: string;
  admit(context: AdmissionContext): Promise<Rollback | undefined>;
  /**
   * Runs before a call's body is read: throws if `admit` would certainly throw later, and counts nothing.
   */
  refuse?(context: Omit<AdmissionContext, 'receivedAt' | 'events'>): Promise<void>;
  /** Reverses the count of one admitted call or event that was refused as overloaded. Never rejects. */
  giveBack?(context: AdmissionContext): Promise<void>;
}

/** The steps of admission; `src/composition.ts` binds the implementations. */
export abstract class AdmissionSteps {
  /** Rate limits: checked right after the key, also for replays. */
  abstract readonly limits: readonly AdmissionStep[];
  /** Subscription and trial: not checked for a replay. */
  abstract readonly standing: readonly AdmissionStep[];
}

/**
 * Runs the steps in order. If one refuses, the counts of the earlier ones are rolled back.
 *
 * @returns a function that rolls back all counts
 */
export async function admit(steps: readonly AdmissionStep[], context: AdmissionContext): Promise<Rollback> {
  const counted: Rollback[] = [];
  const rollback = (): void => counted.splice(0).forEach((each) => each());
  try {
    for (const step of steps) {
      const each = await step.admit(context);
      if (each !== undefined) counted.push(each);
    }
  } catch (error) {
    rollback();
    throw error;
  }
  return rollback;
}
