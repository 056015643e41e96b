import type { Truth } from '../facts/withheld.js';
import { evaluate, evaluateRule, truthsAt, type RuleAnswer } from '../decision/evaluate.js';
import type { CompiledPolicy } from '../model/compiled-policy.js';
import type { Decision, FiredRule } from '../model/decision.js';
import type { StageFacts } from './judgement.js';

/** One stage of a call with known facts, and its other inputs. */
export interface StageToJudge extends StageFacts {
  /** The instant of the call, milliseconds since the epoch: exceptions end by it. */
  readonly nowMs: number;
  /** Whether the caller asked for judging without enforcement and the policy honours it. */
  readonly clientMonitor: boolean;
}

/** Judges one stage of a call whose facts are known already: recorded, made up for a comparison, or just read. */
export async function judgeStage(policy: CompiledPolicy, stage: StageToJudge): Promise<Decision> {
  const { toolCall } = stage;
  const decision = await evaluate(policy, stage);
  if (toolCall === undefined) return decision;
  return { ...decision, fired: decision.fired.map((rule): FiredRule => ({ ...rule, toolCall })) };
}

/**
 * What one rule, or the condition of an exception, says about one stage of a call; undefined where the stage has none of
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

/** What the questions of one stage find in a call, each once: where that is the same, a rule says the same. */
export function answersAt(policy: CompiledPolicy, stage: Omit<StageToJudge, 'clientMonitor'>): readonly Truth[] {
  return truthsAt(policy, stage);
}
