import {
  explainedRules,
  messagesCallOf,
  shownTexts,
  testOfTrial,
  textCallOf,
  toolCallOf,
  type OfflineJudge,
  type ReadCall,
} from '../authoring/index.js';
import { refuses, stageSnapshot, type JsonValue, type PluginCatalog, type Stage } from '../core/index.js';
import type { EvaluateBody, EvaluatedBody } from './schemas.js';

type Evaluated = Omit<EvaluatedBody, 'deployment' | 'digest' | 'ms'>;

/** The id of a test generated from a call; people rename it when they save it. */
const TEST_ID = 'tried-in-the-playground';

/** Lets a policy decide on a hypothetical call. */
export async function evaluateCall(
  judge: OfflineJudge,
  body: EvaluateBody,
  nowMs: number,
  plugins: PluginCatalog,
): Promise<Evaluated> {
  const stage: Stage = body.tool === undefined ? (body.stage ?? 'pre') : 'tool';
  const clockMs = body.at === undefined ? nowMs : Date.parse(body.at);
  const judged = await judge.judge({
    stage,
    ...readCall(body, stage),
    app: body.app ?? 'playground',
    ...(body.model === undefined ? {} : { model: body.model }),
    ...(body.provider === undefined ? {} : { provider: body.provider }),
    metadata: (body.metadata ?? {}) as Record<string, JsonValue>,
    unavailable: body.unavailable ?? [],
    monitorMode: false,
    nowMs: clockMs,
    facts: new Map(),
  });
  const { decision, stages, redactions } = judged;
  const { texts, masks } = shownTexts(judged);
  const snapshots = stages.map((one) => stageSnapshot(judge.policy, one));
  const [snapshot] = snapshots;
  const test =
    body.as_test !== true || snapshot === undefined
      ? null
      : await testOfTrial(TEST_ID, { snapshot, redactions, given: givenBy(body), clockMs }, judge.policy, plugins);
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
    facts: { ...snapshot?.facts },
    missing: [...decision.missing],
    rules: snapshots
      .flatMap((snapshot) => explainedRules(snapshot, judge.policy, true))
      .map((rule) => ({ ...rule, conditions: [...rule.conditions] })),
    test: test && {
      path: `tests/${TEST_ID}.test.yaml`,
      yaml: test.text,
      passes: test.failures.length === 0,
      missing: [...test.failures],
    },
  };
}

/** The submitted call, with the names of the test format. */
function givenBy(body: EvaluateBody): Record<string, JsonValue> {
  const { provider, model, app, metadata, unavailable, text, messages, tool } = body;
  return {
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model: { name: model } }),
    ...(app === undefined ? {} : { app: { name: app } }),
    ...(metadata === undefined ? {} : { metadata: metadata as Record<string, JsonValue> }),
    ...(unavailable === undefined || unavailable.length === 0 ? {} : { unavailable: [...unavailable] }),
    ...(text === undefined ? {} : { text }),
    ...(messages === undefined ? {} : { messages: messages as Record<string, JsonValue>[] }),
    ...(tool === undefined ? {} : { tool: { name: tool.name, args: (tool.arguments ?? {}) as JsonValue } }),
  };
}

function readCall({ text, messages, tool }: EvaluateBody, stage: Stage): ReadCall {
  if (tool !== undefined) return toolCallOf(tool.name, (tool.arguments ?? {}) as JsonValue);
  return messages === undefined ? textCallOf(text ?? '', stage) : messagesCallOf(messages);
}
