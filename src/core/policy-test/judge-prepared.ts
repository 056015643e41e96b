import type { CallContents, Segment, ToolCall } from '../model/call.js';
import type { Decision, RedactionCount } from '../model/decision.js';
import { evaluate } from '../decision/evaluate.js';
import { masksFixed, UNMASKABLE_REFUSAL, withUnmaskable } from '../decision/unmaskable.js';
import type { DetectorOutcome, LocatedFinding } from '../model/finding.js';
import type { Conversation } from '../history/conversation.js';
import { BLOCKED_HISTORY, repairHistory } from '../history/repair-history.js';
import type { CompiledPolicy } from '../model/compiled-policy.js';
import { planRedaction, type Edit } from '../redaction/index.js';
import { gatherFacts, type GatheredFacts } from './gather-facts.js';
import { Readings } from './readings.js';
import type { PluginCatalog } from '../detection/catalog.js';
import type { PreparedTest } from './prepared-test.js';
import { testHash } from './test-hash.js';

/** What became of a test's call. */
export interface JudgedTest {
  readonly decision: Decision;
  /** The texts as they were judged last, without turns that were taken out. */
  readonly segments: readonly Segment[];
  /** The findings that the decision's redact specs name. */
  readonly covered: readonly LocatedFinding[];
  readonly edits: readonly Edit[];
  readonly redactions: readonly RedactionCount[];
}

/** Judges a test's call as the server does, `on_blocked_history` included. */
export async function judgePrepared(
  one: PreparedTest,
  policy: CompiledPolicy,
  input: { readonly plugins: PluginCatalog },
  nowMs: number,
): Promise<JudgedTest> {
  const { call, gathered } = one;
  const blocked = await judge(one, policy, gathered, call.call.segments, nowMs);
  const repair = repairOf(one, policy, blocked.decision);
  if (repair === undefined) return blocked;
  const { plugins } = input;
  const left = { ...one, call: { ...call, call: repair.call } };
  const facts = await gatherFacts({ ...left, policy, plugins, readings: new Readings(plugins) });
  const judged = await judge(left, policy, facts, repair.call.segments, nowMs);
  if (judged.decision.action === 'block') return blocked;
  const blocking = blocked.decision.fired.filter((rule) => rule.action === 'block' && rule.enforced);
  const others = judged.decision.fired.filter(({ rule }) => !blocking.some((each) => each.rule === rule));
  return {
    ...judged,
    decision: {
      ...judged.decision,
      action: 'redact',
      fired: [...blocking, ...others],
      leaves: blocked.decision.leaves,
    },
    redactions: [...judged.redactions, { type: BLOCKED_HISTORY, count: repair.count }],
  };
}

async function judge(
  { test, stage, call }: PreparedTest,
  policy: CompiledPolicy,
  { facts, outcomes }: GatheredFacts,
  segments: readonly Segment[],
  nowMs: number,
): Promise<JudgedTest> {
  const clientMonitor = test.monitor_mode === true && policy.clientMonitorMode === 'honor';
  const contents = contentsOf(test);
  const decision = await evaluate(policy, {
    stage,
    nowMs,
    facts,
    clientMonitor,
    ...(contents === undefined ? {} : { contents }),
  });
  const named = coveredFindings(decision, outcomes, call.toolCall);
  const { decision: settled, masked: covered } = withUnmaskable(policy, decision, named, { segments });
  const plan =
    settled.action === 'redact'
      ? planRedaction({ specs: settled.redact, findings: covered, segments, hash: testHash })
      : NO_REDACTION;
  if (masksFixed(plan.edits, segments))
    return { decision: { ...settled, ...UNMASKABLE_REFUSAL }, segments, covered, ...NO_REDACTION };
  return { decision: settled, segments, covered, edits: plan.edits, redactions: plan.redactions };
}

const NO_REDACTION = { edits: [], redactions: [] } as const;

function contentsOf({ contents }: PreparedTest['test']): CallContents | undefined {
  if (contents === undefined) return undefined;
  const { governed = true, unread = [], media = [] } = contents;
  const placed = <One extends { path?: string | undefined; bytes?: number | undefined }>(one: One) => ({
    ...one,
    path: one.path ?? 'body',
    bytes: one.bytes ?? 0,
  });
  return { governed, unread: unread.map(placed), media: media.map(placed) };
}

function repairOf({ test, stage, call, gathered }: PreparedTest, policy: CompiledPolicy, decision: Decision) {
  const { onBlockedHistory: mode } = policy;
  if (mode === 'refuse' || stage !== 'pre' || decision.action !== 'block' || decision.unavailable) return undefined;
  const items = (test.messages ?? []).map(({ role }) => ({ role, startsTurn: role === 'user' }));
  const conversation: Conversation = { list: 'messages', items };
  const findings = gathered.outcomes.flatMap((outcome) => (outcome.status === 'scanned' ? outcome.findings : []));
  return repairHistory(mode, call.call, conversation, decision.fired, findings);
}

/** At stage tool a rule masks the call it was asked about, as in the server. */
function coveredFindings(
  decision: Decision,
  outcomes: readonly DetectorOutcome[],
  toolCall?: ToolCall,
): LocatedFinding[] {
  const targets = new Set(
    decision.redact.flatMap((spec) => spec.targets.map(({ detector, code }) => `${detector}/${code}`)),
  );
  const scope = toolCall === undefined ? undefined : new Set(toolCall.segments);
  return outcomes
    .flatMap((outcome) => (outcome.status === 'scanned' ? outcome.findings : []))
    .filter(({ detector, code }) => targets.has(`${detector}/${code}`))
    .filter(({ segment }) => scope === undefined || scope.has(segment));
}
