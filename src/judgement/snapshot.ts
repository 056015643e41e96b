import {
  filtered,
  makersOf,
  SNAPSHOT_VERSION,
  stageSnapshot,
  type CompiledPolicy,
  type DecodedCall,
  type JudgedStage,
  type LocatedFinding,
  type StageSnapshot,
  type Steps,
} from '../core/index.js';

/** A model's name in which something was found is text that somebody wrote. */
function withoutModel(stage: StageSnapshot): StageSnapshot {
  return { ...stage, facts: { ...stage.facts, model: { name: '[MASKED]' } } };
}

function* isFoundInModel(call: DecodedCall, findings: readonly LocatedFinding[]): Steps<boolean> {
  const names = new Set([...call.segments.keys()].filter((segment) => call.segments[segment]!.path === 'model'));
  if (names.size === 0) return false;
  return (yield* filtered(findings, ({ segment }) => names.has(segment))).length > 0;
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
  readonly findings: readonly LocatedFinding[];
  readonly hidesModel?: boolean;
}

/**
 * The fact snapshot that is stored with a decision: every fact the rules could read, every leaf's truth, what made the
 * findings and every finding's place. It recomputes decisions later; it never holds matched text, arguments or metadata
 * values.
 */
export function* snapshotOf(input: SnapshotInput): Steps<string> {
  const { policy, nowMs, clientMonitor, stages, call, findings } = input;
  const hidesModel = input.hidesModel === true || (yield* isFoundInModel(call, findings));
  const recorded: StageSnapshot[] = [];
  for (const judged of stages) {
    const stage = stageSnapshot(policy, judged);
    recorded.push(hidesModel ? withoutModel(stage) : stage);
    yield;
  }
  return JSON.stringify({
    v: SNAPSHOT_VERSION,
    clock: new Date(nowMs).toISOString(),
    ...(clientMonitor ? { client_monitor: true } : {}),
    makers: makersOf(policy),
    texts: { count: call.segments.length, chars: call.segments.reduce((sum, segment) => sum + segment.text.length, 0) },
    stages: recorded,
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
