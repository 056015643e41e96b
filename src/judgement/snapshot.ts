import type { Decision, DecodedCall, DetectorOutcome, FactSet, FactValue, JsonValue, Stage } from '../core/index.js';
import { Unknown } from '../core/index.js';

const MAX_FINDINGS = 1_000;
/** Facts whose values are what a caller or a model wrote: only their shape is kept. Names of tools are kept. */
const CONTENT_ROOTS: ReadonlySet<string> = new Set(['metadata', 'context', 'session', 'flow', 'history']);

export interface JudgedStage {
  readonly stage: Stage;
  readonly toolCall?: number;
  readonly facts: FactSet;
  readonly decision: Decision;
}

/**
 * The fact snapshot that is stored with a decision: every fact the rules could read, every leaf's truth, every
 * finding's place. It recomputes decisions later; it never holds matched text, arguments or metadata values.
 */
export function snapshotOf(
  nowMs: number,
  stages: readonly JudgedStage[],
  call: DecodedCall,
  outcomes: readonly DetectorOutcome[],
): string {
  const findings = outcomes.flatMap((outcome) => (outcome.status === 'scanned' ? outcome.findings : []));
  return JSON.stringify({
    v: 1,
    clock: new Date(nowMs).toISOString(),
    texts: { count: call.segments.length, chars: call.segments.reduce((sum, segment) => sum + segment.text.length, 0) },
    stages: stages.map(({ stage, toolCall, facts, decision }) => ({
      stage,
      ...(toolCall === undefined ? {} : { tool_call: toolCall }),
      facts: snapshotFacts(facts),
      leaves: decision.leaves,
      fired: decision.fired.map((rule) => ({
        rule: rule.rule,
        action: rule.action,
        enforced: rule.enforced,
        ...(rule.softenedBy === undefined ? {} : { softened_by: rule.softenedBy }),
        ...(rule.exception === undefined ? {} : { exception: rule.exception }),
        ...(rule.unavailable ? { unavailable: true } : {}),
      })),
    })),
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

function snapshotFacts(facts: FactSet): JsonValue {
  const kept: Record<string, JsonValue> = {};
  for (const [root, value] of Object.entries(facts)) {
    if (CONTENT_ROOTS.has(root)) kept[root] = shapeOf(value);
    else if (root === 'tool') kept[root] = toolFacts(value);
    else if (root === 'tool_calls') kept[root] = toolCallNames(value);
    else kept[root] = plain(value);
  }
  return kept;
}

function plain(value: FactValue): JsonValue {
  if (value instanceof Unknown) return { unknown: value.reason, source: value.source };
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
  }
  return value as JsonValue;
}

/** Type and size of a value instead of the value: `string(12)`, `number`, `[3]`. */
function shapeOf(value: FactValue): JsonValue {
  if (value instanceof Unknown) return plain(value);
  if (typeof value === 'string') return `string(${value.length})`;
  if (Array.isArray(value)) return `list(${value.length})`;
  if (typeof value === 'object' && value !== null) return `object(${Object.keys(value).length})`;
  return value === null ? null : typeof value;
}

function toolFacts(value: FactValue): JsonValue {
  if (value instanceof Unknown || typeof value !== 'object' || value === null || Array.isArray(value))
    return shapeOf(value);
  const entries = Object.entries(value).map(([key, inner]) => [key, key === 'args' ? argShapes(inner) : plain(inner)]);
  return Object.fromEntries(entries) as JsonValue;
}

function argShapes(value: FactValue): JsonValue {
  if (value instanceof Unknown || typeof value !== 'object' || value === null || Array.isArray(value))
    return shapeOf(value);
  return `object(${Object.keys(value).length})`;
}

function toolCallNames(value: FactValue): JsonValue {
  if (!Array.isArray(value)) return shapeOf(value);
  return value.map((call: FactValue) =>
    typeof call === 'object' && call !== null && 'name' in call ? plain(call.name as FactValue) : null,
  );
}
