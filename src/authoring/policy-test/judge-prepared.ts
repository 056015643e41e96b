import { decisionOf, judgeCall, type CallJudgement, type JudgedStage } from '../../core/judge/index.js';
import type { DecodedCall, Segment } from '../../core/model/call.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import type { Decision, RedactionCount, Violation } from '../../core/model/decision.js';
import type { LocatedFinding } from '../../core/model/finding.js';
import type { Edit } from '../../core/redaction/index.js';
import { hostOf } from './gather-facts.js';
import type { PreparedTest } from './prepared-test.js';

/** The outcome of a test's call. */
export interface JudgedTest {
  readonly decision: Decision;
  /** The violations that the server would report to a client. */
  readonly violations: readonly Violation[];
  /** Each stage at which the call was judged. */
  readonly stages: readonly JudgedStage[];
  /** The texts of the call, without removed turns. */
  readonly segments: readonly Segment[];
  /** The findings in them that the decision's redactions cover. */
  readonly covered: readonly LocatedFinding[];
  readonly edits: readonly Edit[];
  readonly redactions: readonly RedactionCount[];
}

/** Judges a test's call with the server's judge, under the test's own policy or another version with the same detectors. */
export async function judgePrepared(
  { gathered: { toJudge, scan, reading } }: PreparedTest,
  policy: CompiledPolicy,
  nowMs: number,
): Promise<JudgedTest> {
  const call = { ...toJudge, policy: { ...toJudge.policy, policy } };
  const judgement = await judgeCall(call, hostOf(scan, nowMs), reading);
  const { violations, stages, redactions } = judgement;
  return { decision: decisionOf(judgement), violations, stages, redactions, ...leaving(call.call, judgement) };
}

/** The texts that are sent, with their edits and covered findings. */
function leaving({ segments }: DecodedCall, { repair, edits, masked }: CallJudgement) {
  if (repair === undefined) return { segments, edits, covered: masked };
  const places = new Map(repair.segments.map((segment, place) => [segment, place]));
  const moved = <Placed extends { readonly segment: number }>(all: readonly Placed[]): Placed[] =>
    all.map((one) => ({ ...one, segment: places.get(one.segment)! }));
  return { segments: repair.segments.map((at) => segments[at]!), edits: moved(edits), covered: moved(masked) };
}
