import type { CallContents } from '../call/call.js';
import type { FactSet, Stage } from '../facts/fact.js';
import type { CompiledPolicy } from '../policy/compiled.js';
import { decide } from './decide.js';
import type { Decision } from './decision.js';
import { runtimeOf } from './policy-runtime.js';
import { runRules } from './run-rules.js';

export interface EvaluateInput {
  readonly stage: Stage;
  /** The time of the call, milliseconds since the epoch: exceptions end by it. */
  readonly nowMs: number;
  readonly facts: FactSet;
  /** Whether the caller asked for judging without enforcement; it counts where the policy honours that. */
  readonly clientMonitor: boolean;
  /** What of the call is no text, where there is such: the policy's `unread` and `media` judge it. */
  readonly contents?: CallContents;
}

/**
 * Judges one call at one stage. The decision depends on the policy and the input alone: no clock, no randomness, no
 * state between evaluations, and any number may overlap. Facts never reject: what could not be had is an `Unknown`.
 *
 * The rules run once as written. Only when a fact was unknown do they run again with the unknown as false, which tells
 * what certainly matches from what is refused because something did not answer.
 */
export async function evaluate(policy: CompiledPolicy, input: EvaluateInput): Promise<Decision> {
  const runtime = runtimeOf(policy);
  const stage = runtime.stages[input.stage];
  const asWritten = await runRules(policy, runtime, stage, 'first', input.facts);
  const isSomethingUnknown = [...asWritten.values()].some(({ leaves }) =>
    leaves.some(({ truth }) => truth === 'unknown'),
  );
  const certain = isSomethingUnknown ? await runRules(policy, runtime, stage, 'certain', input.facts) : asWritten;
  return decide({ policy, asWritten, certain, ...input });
}
