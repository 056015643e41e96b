import {
  makersOf,
  SNAPSHOT_VERSION,
  stageSnapshot,
  type CompiledPolicy,
  type DecodedCall,
  type DetectorOutcome,
  type JudgedStage,
  type LocatedFinding,
  type StageSnapshot,
} from '../core/index.js';

/** A model's name in which something was found is text that somebody wrote. */
function withoutFoundModel(
  stage: StageSnapshot,
  call: DecodedCall,
  findings: readonly LocatedFinding[],
  hidden: boolean,
): StageSnapshot {
  const isFound = hidden || findings.some(({ segment }) => call.segments[segment]?.path === 'model');
  return isFound ? { ...stage, facts: { ...stage.facts, model: { name: '[MASKED]' } } } : stage;
}

const MAX_FINDINGS = 1_000;

export type { JudgedStage };

export interface SnapshotInput {
  readonly policy: CompiledPolicy;
  /** The instant that the rules saw, milliseconds since the epoch. */
  readonly nowMs: number;
  /** Whether the caller asked for judging without enforcement and the policy honours that. */
  readonly clientMonitor: boolean;
  readonly stages: readonly JudgedStage[];
  readonly call: DecodedCall;
  readonly outcomes: readonly DetectorOutcome[];
  readonly hidesModel?: boolean;
}

/**
 * The fact snapshot that is stored with a decision: every fact the rules could read, every leaf's truth, what made the
 * findings and every finding's place. It recomputes decisions later; it never holds matched text, arguments or metadata
 * values.
 */
export function snapshotOf(input: SnapshotInput): string {
  const { policy, nowMs, clientMonitor, stages, call, outcomes, hidesModel = false } = input;
  const findings = outcomes.flatMap((outcome) => (outcome.status === 'scanned' ? outcome.findings : []));
  return JSON.stringify({
    v: SNAPSHOT_VERSION,
    clock: new Date(nowMs).toISOString(),
    ...(clientMonitor ? { client_monitor: true } : {}),
    makers: makersOf(policy),
    texts: { count: call.segments.length, chars: call.segments.reduce((sum, segment) => sum + segment.text.length, 0) },
    stages: stages.map((judged) => withoutFoundModel(stageSnapshot(policy, judged), call, findings, hidesModel)),
    findings: findings.slice(0, MAX_FINDINGS).map(({ detector, code, segment, start, end, score }) => ({
      detector,
      code,
      path: call.segments[segment]!.path,
      start,
      end,
      score,
    })),
    ...(findings.length > MAX_FINDINGS ? { findings_left_out: findings.length - MAX_FINDINGS } : {}),
  });
}
