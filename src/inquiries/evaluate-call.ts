import {
  explainedRules,
  messagesCallOf,
  shownTexts,
  textCallOf,
  toolCallOf,
  type OfflineJudge,
  type ReadCall,
} from '../authoring/index.js';
import { refuses, stageSnapshot, type JsonValue, type Stage } from '../core/index.js';
import type { EvaluateBody, EvaluatedBody } from './schemas.js';

type Evaluated = Omit<EvaluatedBody, 'deployment' | 'digest' | 'ms'>;

/** What a policy does with a call that nobody made. */
export async function evaluateCall(judge: OfflineJudge, body: EvaluateBody, nowMs: number): Promise<Evaluated> {
  const stage: Stage = body.tool === undefined ? (body.stage ?? 'pre') : 'tool';
  const judged = await judge.judge({
    stage,
    ...readCall(body, stage),
    app: body.app ?? 'playground',
    ...(body.model === undefined ? {} : { model: body.model }),
    ...(body.provider === undefined ? {} : { provider: body.provider }),
    metadata: (body.metadata ?? {}) as Record<string, JsonValue>,
    unavailable: body.unavailable ?? [],
    monitorMode: false,
    nowMs: body.at === undefined ? nowMs : Date.parse(body.at),
    facts: new Map(),
  });
  const { decision, stages, redactions } = judged;
  const { texts, masks } = shownTexts(judged);
  const snapshots = stages.map((one) => stageSnapshot(judge.policy, one));
  return {
    decision: refuses(decision.action) && decision.unavailable ? 'unavailable' : decision.action,
    reason: decision.reason ?? null,
    violations: decision.fired.map(({ rule, policy, category, severity, action, enforced, message }) => ({
      ...{ rule, policy, category, severity },
      ...{ action, enforced, message },
    })),
    redactions: redactions.map(({ type, count }) => ({ type, count })),
    masks: masks.map((mask) => ({ ...mask })),
    text: body.text === undefined ? null : (texts[0]?.text ?? null),
    texts: texts.map((one) => ({ ...one })),
    facts: { ...snapshots[0]?.facts },
    missing: [...decision.missing],
    rules: snapshots
      .flatMap((snapshot) => explainedRules(snapshot, judge.policy, true))
      .map((rule) => ({ ...rule, conditions: [...rule.conditions] })),
  };
}

function readCall({ text, messages, tool }: EvaluateBody, stage: Stage): ReadCall {
  if (tool !== undefined) return toolCallOf(tool.name, (tool.arguments ?? {}) as JsonValue);
  return messages === undefined ? textCallOf(text ?? '', stage) : messagesCallOf(messages);
}
