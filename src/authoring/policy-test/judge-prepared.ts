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
  /** What a client of the server would be told. */
  readonly violations: readonly Violation[];
  /** Each stage at which the call was judged. */
  readonly stages: readonly JudgedStage[];
  /** The texts of the call, without turns that were taken out. */
  readonly segments: readonly Segment[];
  /** The findings in them that the decision's redact specs name. */
  readonly covered: readonly LocatedFinding[];
  readonly edits: readonly Edit[];
  readonly redactions: readonly RedactionCount[];
}

/** Judges a test's call by the judge of the server, by the test's own policy or another version with the same detectors. */
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

/** The texts that leave, and what is masked in them. */
function leaving({ segments }: DecodedCall, { repair, edits, masked }: CallJudgement) {
  if (repair === undefined) return { segments, edits, covered: masked };
  const places = new Map(repair.segments.map((segment, place) => [segment, place]));
  const moved = <Placed extends { readonly segment: number }>(all: readonly Placed[]): Placed[] =>
    all.map((one) => ({ ...one, segment: places.get(one.segment)! }));
  return { segments: repair.segments.map((at) => segments[at]!), edits: moved(edits), covered: moved(masked) };
}
