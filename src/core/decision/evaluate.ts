import type { CallContents } from '../call/call.js';
import { Unknown, type FactSet, type Stage } from '../facts/fact.js';
import type { CompiledPolicy } from '../policy/compiled.js';
import { DOCUMENTS, hasOutage } from './contents-rules.js';
import { decide } from './decide.js';
import type { Decision } from './decision.js';
import { runtimeOf } from './policy-runtime.js';
import { runRules, type RuleOutcome } from './run-rules.js';

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
 *
 * Where a document could not be read because its reader failed, detectors have seen a part of the call only: what they
 * found counts, and whatever else a rule could have matched by them is unknown.
 */
export async function evaluate(policy: CompiledPolicy, input: EvaluateInput): Promise<Decision> {
  if (!hasOutage(input.contents))
    return decide({ policy, ...(await runs(policy, input.stage, input.facts)), ...input });
  const facts = withoutDetectors(policy, input.facts);
  const known = await runs(policy, input.stage, input.facts);
  const blind = await runs(policy, input.stage, facts);
  const asWritten = surely(policy, known.asWritten, blind.asWritten);
  const certain = surely(policy, known.certain, blind.certain);
  return decide({ policy, asWritten, certain, ...input, facts });
}

interface Runs {
  readonly asWritten: Map<string, RuleOutcome>;
  readonly certain: Map<string, RuleOutcome>;
}

async function runs(policy: CompiledPolicy, at: Stage, facts: FactSet): Promise<Runs> {
  const runtime = runtimeOf(policy);
  const stage = runtime.stages[at];
  const asWritten = await runRules(policy, runtime, stage, 'first', facts);
  const isSomethingUnknown = [...asWritten.values()].some(({ leaves }) =>
    leaves.some(({ truth }) => truth === 'unknown'),
  );
  return {
    asWritten,
    certain: isSomethingUnknown ? await runRules(policy, runtime, stage, 'certain', facts) : asWritten,
  };
}

/** What detectors say is not all that they would have said, had the document been read. */
function withoutDetectors(policy: CompiledPolicy, facts: FactSet): FactSet {
  const unread = new Unknown('unavailable', DOCUMENTS);
  return { ...facts, ...Object.fromEntries(policy.detectors.map(({ key }) => [key, unread])) };
}

/** What was found stays found, whatever a document would have added; nothing is allowed for having found nothing. */
function surely(
  policy: CompiledPolicy,
  known: ReadonlyMap<string, RuleOutcome>,
  blind: ReadonlyMap<string, RuleOutcome>,
): Map<string, RuleOutcome> {
  const joined = new Map(blind);
  for (const { id, action } of policy.rules) {
    const outcome = known.get(id);
    if (action !== 'allow' && outcome?.matched === true) joined.set(id, outcome);
  }
  return joined;
}
