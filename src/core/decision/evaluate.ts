import type { CallContents } from '../model/call.js';
import type { Truth } from '../facts/withheld.js';
import { AtLeast, Unknown, type FactSet, type Stage } from '../model/fact.js';
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
  /** The time of the call in milliseconds since the epoch, for the expiry of exceptions and for rules about the time. */
  readonly nowMs: number;
  readonly facts: FactSet;
  /** Whether the caller asked for monitor mode; it applies only if the policy honours it. */
  readonly clientMonitor: boolean;
  /** The parts of the call that are not text, if any; the policy's `unread` and `media` settings apply to them. */
  readonly contents?: CallContents;
}

/**
 * Judges one call at one stage. The decision depends only on the policy and the input: no clock, no randomness, no state between
 * evaluations. Evaluations may overlap. Facts never reject: an unavailable fact is an `Unknown`.
 *
 * The rules run once as written. Only if a fact is unknown, they run again with unknown conditions as false, to distinguish certain
 * matches from refusals that are based only on missing facts.
 *
 * If a document's reader failed, the detectors saw only a part of the call: their findings count, and conditions that further findings
 * could change are unknown, including the condition that nothing was found (`count: { eq: 0 }`).
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

/** The result of one rule, or of an exception's condition, for a call. */
export interface RuleAnswer {
  readonly matched: boolean;
  /** Whether the rule or condition also matches with all unknown conditions taken as false. */
  readonly isCertain: boolean;
  readonly leaves: readonly LeafOutcome[];
}

/**
 * Evaluates only one rule, or the condition of one exception, with the same result as in an evaluation of all.
 *
 * @param name a rule id, or `exception:<id>`
 * @returns undefined if the stage has no such rule
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
 * The results of a stage's distinct comparisons for a call: if these are equal for two calls, the same rules match both, in either
 * reading.
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
  { stage, nowMs, facts: given, contents }: Pick<EvaluateInput, 'stage' | 'nowMs' | 'facts' | 'contents'>,
): FactSet {
  const facts = factsAt(policy, stage, given, nowMs);
  return hasOutage(contents) ? foundSoFar(policy, facts) : facts;
}

interface Runs {
  readonly asWritten: Map<string, RuleOutcome>;
  readonly certain: Map<string, RuleOutcome>;
}

/** @param only the id of the only rule to run; if undefined, all rules run */
async function runs(policy: CompiledPolicy, stage: StageRuntime, answers: StageAnswers, only?: string): Promise<Runs> {
  const asWritten = await runRules(policy, stage, 'first', answers, only);
  return {
    asWritten,
    certain: answers.isSomethingUnknown ? await runRules(policy, stage, 'certain', answers, only) : asWritten,
  };
}

/** Marks the detectors' facts as minimums, because the unread document may contain more findings. */
function foundSoFar(policy: CompiledPolicy, facts: FactSet): FactSet {
  const partly = policy.detectors.flatMap(({ key }) => {
    const found = facts[key];
    return found === undefined || found instanceof Unknown ? [] : [[key, new AtLeast(DOCUMENTS, found)] as const];
  });
  return { ...facts, ...Object.fromEntries(partly) };
}
