/**
 * What stands between a caller and the log besides the rules, in the order in which it is asked. The lists are put together
 * in `src/composition.ts` of the features that know about limits, subscriptions and money; the pipelines of REST and
 * proxy walk through them.
 *
 *   authenticate → limits → replay → standing → decode → judge → spending → append → answer
 */
import type { Caller } from '../access/index.js';
import type { EventSource } from './event.js';

export interface AdmissionContext {
  readonly caller: Caller;
  readonly source: EventSource;
  readonly receivedAt: Date;
  /** Of a batch: how many events it holds. */
  readonly events?: number;
  /** Adds a header to whatever answer is given, such as `RateLimit`. */
  setHeader(name: string, value: string): void;
}

/** Takes back what a step counted for a call of which nothing came: one that was refused for another reason. */
export type Rollback = () => void;

/** Lets a call pass, or throws the `WeirError` that is the answer. */
export interface AdmissionStep {
  /** For logs and tests. */
  readonly name: string;
  admit(context: AdmissionContext): Promise<Rollback | undefined>;
  /** Before a call's body is read: throws what `admit` would surely throw behind it, and counts nothing. */
  refuse?(context: Omit<AdmissionContext, 'receivedAt' | 'events'>): Promise<void>;
}

/** The steps of admission; `src/composition.ts` binds the implementations. */
export abstract class AdmissionSteps {
  /** Rate limits: right after the key, replays included. */
  abstract readonly limits: readonly AdmissionStep[];
  /** Subscription and trial: not asked for a replay. */
  abstract readonly standing: readonly AdmissionStep[];
}

/**
 * Asks one list in its order. When a step refuses, what the earlier ones counted is taken back.
 *
 * @returns what takes back everything that was counted
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
