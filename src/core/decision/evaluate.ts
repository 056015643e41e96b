import type { CallContents } from '../model/call.js';
import { AtLeast } from '../facts/at-least.js';
import type { Truth } from '../facts/withheld.js';
import { Unknown, type FactSet, type Stage } from '../model/fact.js';
import type { CompiledPolicy } from '../model/compiled-policy.js';
import { DOCUMENTS, hasOutage } from './contents-rules.js';
import { decide } from './decide.js';
import type { Decision } from '../model/decision.js';
import { factsAt, runtimeOf, type StageRuntime } from './policy-runtime.js';
import { quietDecision } from './quiet-decision.js';
import { answersOf, runRules, type RuleOutcome, type StageAnswers } from './run-rules.js';
import type { LeafOutcome } from './rule-tree.js';

export interface EvaluateInput {
  readonly stage: Stage;
  /** The time of the call in milliseconds since the epoch, for the ends of exceptions and for rules about the time. */
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
 * found counts, and what more findings would change is unknown: also that nothing was found (`count: { eq: 0 }`).
 */
export async function evaluate(policy: CompiledPolicy, input: EvaluateInput): Promise<Decision> {
  const { stage, nowMs, clientMonitor, contents } = input;
  const facts = knownFacts(policy, input);
  const runtime = runtimeOf(policy);
  const answers = answersOf(runtime, runtime.stages[stage], facts);
  const quiet = answers.isQuiet && contents === undefined ? quietDecision(policy, stage) : undefined;
  if (quiet !== undefined) return quiet;
  const ran = await runs(policy, runtime.stages[stage], answers);
  return decide({
    ...{ policy, stage, nowMs, facts, clientMonitor, ...ran },
    ...(contents === undefined ? {} : { contents }),
  });
}

/** What one rule, or the condition of an exception, says about a call. */
export interface RuleAnswer {
  readonly matched: boolean;
  /** Whether it matches even if all that is unknown is taken as false. */
  readonly isCertain: boolean;
  readonly leaves: readonly LeafOutcome[];
}

/**
 * The same for one rule alone, or for the condition of one exception: what it says where all are judged.
 *
 * @param name a rule id, or `exception:<id>`
 * @returns undefined where the stage has no such rule
 */
export async function evaluateRule(
  policy: CompiledPolicy,
  input: Pick<EvaluateInput, 'stage' | 'nowMs' | 'facts' | 'contents'>,
  name: string,
): Promise<RuleAnswer | undefined> {
  const runtime = runtimeOf(policy);
  const stage = runtime.stages[input.stage];
  const answers = answersOf(runtime, stage, knownFacts(policy, input));
  const { asWritten, certain } = await runs(policy, stage, answers, name);
  const written = asWritten.get(name);
  if (written === undefined) return undefined;
  return { matched: written.matched, isCertain: (certain.get(name) ?? written).matched, leaves: written.leaves };
}

/**
 * What the questions of a stage find in a call, each once: of two calls that find the same, the same rules match, in
 * either reading.
 */
export function truthsAt(
  policy: CompiledPolicy,
  input: Pick<EvaluateInput, 'stage' | 'nowMs' | 'facts' | 'contents'>,
): readonly Truth[] {
  const runtime = runtimeOf(policy);
  return answersOf(runtime, runtime.stages[input.stage], knownFacts(policy, input)).truths;
}

function knownFacts(
  policy: CompiledPolicy,
  { stage, nowMs, facts: told, contents }: Pick<EvaluateInput, 'stage' | 'nowMs' | 'facts' | 'contents'>,
): FactSet {
  const facts = factsAt(policy, stage, told, nowMs);
  return hasOutage(contents) ? foundSoFar(policy, facts) : facts;
}

interface Runs {
  readonly asWritten: Map<string, RuleOutcome>;
  readonly certain: Map<string, RuleOutcome>;
}

/** @param only the one rule to run, in place of all */
async function runs(policy: CompiledPolicy, stage: StageRuntime, answers: StageAnswers, only?: string): Promise<Runs> {
  const asWritten = await runRules(policy, stage, 'first', answers, only);
  return {
    asWritten,
    certain: answers.isSomethingUnknown ? await runRules(policy, stage, 'certain', answers, only) : asWritten,
  };
}

/** What detectors say is not all that they would have said, had the document been read. */
function foundSoFar(policy: CompiledPolicy, facts: FactSet): FactSet {
  const partly = policy.detectors.flatMap(({ key }) => {
    const found = facts[key];
    return found === undefined || found instanceof Unknown ? [] : [[key, new AtLeast(DOCUMENTS, found)] as const];
  });
  return { ...facts, ...Object.fromEntries(partly) };
}
