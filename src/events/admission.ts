/**
 * The checks in addition to the rules that a call must pass before it reaches the log, in this order. `src/composition.ts` assembles the
 * lists from the features for limits, subscriptions and money; the pipelines of REST and proxy run them.
 *
 * authenticate → limits → replay → subscription → decode → judge → spending → append → answer
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

/** Lets a call pass, or throws the `WeirError` that is the answer. Its checks return a promise only if they have to wait. */
export interface AdmissionStep {
  /** For logs and tests. */
  readonly name: string;
  admit(context: AdmissionContext): Rollback | undefined | Promise<Rollback | undefined>;
  /**
   * Runs before a call's body is read: throws if `admit` would certainly throw later, and counts nothing.
   */
  refuse?(context: Omit<AdmissionContext, 'receivedAt' | 'events'>): undefined | Promise<undefined>;
  /** Reverses the count of one admitted call or event that was refused as overloaded. Never rejects. */
  giveBack?(context: AdmissionContext): Promise<void>;
}

/** The steps of admission; `src/composition.ts` binds the implementations. */
export abstract class AdmissionSteps {
  /** Rate limits: checked right after the key, also for replays. */
  abstract readonly limits: readonly AdmissionStep[];
  /** Subscription and trial: not checked for a replay. */
  abstract readonly subscription: readonly AdmissionStep[];
}

/**
 * Runs the steps in order, without a promise if none of them has to wait. If one refuses, the counts of the earlier ones are rolled back.
 *
 * @returns a function that rolls back all counts
 */
export function admit(steps: readonly AdmissionStep[], context: AdmissionContext): Rollback | Promise<Rollback> {
  const counted: Rollback[] = [];
  const rollback = (): void => counted.splice(0).forEach((each) => each());
  const refused = (error: unknown): never => {
    rollback();
    throw error;
  };
  try {
    const admitted = admitBy(steps, context, counted);
    return admitted instanceof Promise ? admitted.then(() => rollback, refused) : rollback;
  } catch (error) {
    return refused(error);
  }
}

/** @param counted receives the rollbacks of the steps */
function admitBy(
  [step, ...others]: readonly AdmissionStep[],
  context: AdmissionContext,
  counted: Rollback[],
): undefined | Promise<undefined> {
  if (step === undefined) return undefined;
  const goOn = (rollback: Rollback | undefined): undefined | Promise<undefined> => {
    if (rollback !== undefined) counted.push(rollback);
    return admitBy(others, context, counted);
  };
  const admitted = step.admit(context);
  return admitted instanceof Promise ? admitted.then(goOn) : goOn(admitted);
}
