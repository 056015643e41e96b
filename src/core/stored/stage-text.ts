import { quietDecision } from '../decision/quiet-decision.js';
import type { JudgedStage } from '../judge/judgement.js';
import type { CompiledPolicy } from '../model/compiled-policy.js';
import type { Decision } from '../model/decision.js';
import { memoizeByObject } from '../model/memoize.js';
import { answersOf, firedSnapshot, makersOf } from './fact-snapshot.js';
import { storedFactsText } from './stored-facts.js';
import { maskedKinds } from './masked-kinds.js';

/**
 * `JSON.stringify(stageSnapshot(policy, judged))`, written directly: no snapshot object is built for the two stages of every call, and
 * the part that is constant for calls without findings is encoded once per policy.
 */
export function stageText(policy: CompiledPolicy, { stage, toolCall, facts, contents, decision }: JudgedStage): string {
  const answers = answersOf(policy, stage, facts, decision.leaves);
  const toolText = toolCall === undefined ? '' : `,"tool_call":${toolCall}`;
  const contentsText = contents === undefined ? '' : `,"contents":${JSON.stringify(contents)}`;
  const answersText = answers === undefined ? '' : `,"answers":${JSON.stringify(answers)}`;
  const decided = decision === quietDecision(policy, stage) ? quietText(decision) : decisionText(decision);
  const maskedText = decision.redact.length === 0 ? '' : `,"masked":${JSON.stringify(maskedKinds(decision, facts))}`;
  return `{"stage":"${stage}"${toolText},"facts":${storedFactsText(facts)}${contentsText}${answersText}${decided}${maskedText}}`;
}

/** `JSON.stringify(makersOf(policy))`. */
export const makersText = memoizeByObject((policy: CompiledPolicy): string => JSON.stringify(makersOf(policy)));

function decisionText(decision: Decision): string {
  const fired = decision.fired.length === 0 ? '[]' : JSON.stringify(firedSnapshot(decision));
  const unavailable = decision.unavailable ? ',"unavailable":true' : '';
  return `,"leaves":${JSON.stringify(decision.leaves)},"action":"${decision.action}"${unavailable},"fired":${fired}`;
}

const quietText = memoizeByObject(decisionText);
