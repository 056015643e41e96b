import type { Truth } from '../facts/withheld.js';
import { evaluate, evaluateRule, truthsAt, type RuleAnswer } from '../decision/evaluate.js';
import type { CompiledPolicy } from '../model/compiled-policy.js';
import type { Decision, FiredRule } from '../model/decision.js';
import type { StageFacts } from './judgement.js';

/** One stage of a call with known facts, and its other inputs. */
export interface StageToJudge extends StageFacts {
  /** The time of the call in milliseconds since the epoch; decides whether an exception has expired. */
  readonly nowMs: number;
  /** Whether the caller asked for monitor mode and the policy honours it. */
  readonly clientMonitor: boolean;
}

/** Judges one stage of a call with given facts: recorded, modified for a comparison, or newly derived. */
export async function judgeStage(policy: CompiledPolicy, stage: StageToJudge): Promise<Decision> {
  const { toolCall } = stage;
  const decision = await evaluate(policy, stage);
  if (toolCall === undefined) return decision;
  return { ...decision, fired: decision.fired.map((rule): FiredRule => ({ ...rule, toolCall })) };
}

/**
 * The result of one rule, or of an exception's condition, for one stage of a call; undefined if the stage has no rule or exception with
 * that name.
 *
 * @param name a rule id, or `exception:<id>`
 */
export function askRule(
  policy: CompiledPolicy,
  stage: Omit<StageToJudge, 'clientMonitor'>,
  name: string,
): Promise<RuleAnswer | undefined> {
  return evaluateRule(policy, stage, name);
}

/**
 * The results of a stage's distinct comparisons for a call: if these are equal for two calls, every rule has the same result for both.
 */
export function answersAt(policy: CompiledPolicy, stage: Omit<StageToJudge, 'clientMonitor'>): readonly Truth[] {
  return truthsAt(policy, stage);
}
