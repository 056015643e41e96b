import type { DecodedCall, Dialect } from '../../model/call.js';
import { evaluate } from '../../decision/evaluate.js';
import type { RedactSpec } from '../../model/decision.js';
import { SILENT_LEDGER } from '../../detection/ledger.js';
import { runScan } from '../../detection/run-scan.js';
import type { LocatedFinding } from '../../model/finding.js';
import { buildFacts, outcomesForToolCall, type CallContext } from '../../facts/build-facts.js';
import { planRedaction } from '../../redaction/plan-redaction.js';
import { withRestored } from '../../redaction/restore.js';
import type { Turns } from '../../steps/steps.js';
import { planAnswer } from '../answer-plan.js';
import { answerCall, assembleStream } from '../assemble-stream.js';
import { GuardedStream } from '../guarded-stream.js';
import { isMasked } from '../rule-watch.js';
import type { guardedPolicy } from './guarded-policy.js';

const NOW_MS = Date.parse('2026-01-01T00:00:00Z');
const CONTEXT: CallContext = {
  environment: 'production',
  declaredEnvironment: 'production',
  app: { id: 'a', name: 'app' },
  key: { id: 'k', name: 'key' },
};
const REQUEST: DecodedCall = answerCall('generic', [], []);
export const LIMITS = { nowMs: () => 0, deadlineMs: 1_000 };
export type Guarded = ReturnType<typeof guardedPolicy>;

/** The forwarded output. */
export interface Outcome {
  /** The output that was forwarded with each piece, and at the end. */
  readonly steps: readonly string[];
  readonly text: string;
  readonly blocked: boolean;
  readonly heldUnits: readonly number[];
}

/** Sends a stream through a guard, piece by piece. */
export async function guard(
  { policy, detectors }: Guarded,
  dialect: Dialect,
  pieces: readonly string[],
  tokens: ReadonlyMap<string, string> = new Map(),
  turns?: Turns,
): Promise<Outcome> {
  const plan = planAnswer(policy, detectors);
  const stream = new GuardedStream({
    dialect,
    policy,
    plan,
    detectors,
    facts: { context: CONTEXT, structures: [], ledger: SILENT_LEDGER, request: REQUEST },
    requestOutcomes: [],
    nowMs: NOW_MS,
    tokens,
    digest: (text) => text,
    ...(turns === undefined ? {} : { turns }),
    scan: (segments) => runScan(detectors, segments, LIMITS),
  });
  const steps: string[] = [];
  const heldUnits: number[] = [];
  let blocked = false;
  for (const piece of [...pieces, undefined]) {
    const step = piece === undefined ? await stream.end() : await stream.push(piece);
    steps.push(step.text);
    heldUnits.push(step.heldUnits);
    blocked = step.blocked;
    if (blocked) break;
  }
  return { steps, text: steps.join(''), blocked, heldUnits };
}

/** Judges an answer when it is complete. */
export async function whole(
  { policy, detectors }: Guarded,
  dialect: Dialect,
  text: string,
  tokens: ReadonlyMap<string, string> = new Map(),
): Promise<{ text: string; blocked: boolean }> {
  const stream = assembleStream(dialect, text);
  const { segments, newToolCalls } = stream.call;
  const outcomes = await runScan(detectors, segments, LIMITS);
  const base = { context: CONTEXT, structures: [], ledger: SILENT_LEDGER, request: REQUEST, call: stream.call };
  const judged = [
    {
      scope: undefined as readonly number[] | undefined,
      decision: await evaluate(policy, {
        stage: 'post',
        nowMs: NOW_MS,
        facts: buildFacts({ ...base, outcomes }),
        clientMonitor: false,
      }),
    },
  ];
  for (const toolCall of newToolCalls) {
    const facts = buildFacts({ ...base, toolCall, outcomes: outcomesForToolCall(toolCall, outcomes, []) });
    const decision = await evaluate(policy, { stage: 'tool', nowMs: NOW_MS, facts, clientMonitor: false });
    judged.push({ scope: [...toolCall.segments, ...(toolCall.repeats ?? [])], decision });
  }
  const findings = outcomes.flatMap((outcome) => (outcome.status === 'scanned' ? outcome.findings : []));
  const wanted = (finding: LocatedFinding): boolean =>
    judged.some(
      ({ scope, decision }) => (scope?.includes(finding.segment) ?? true) && isMasked(finding, decision.redact),
    );
  const specs: RedactSpec[] = judged.flatMap(({ decision }) => [...decision.redact]);
  const { edits } = planRedaction({ specs, findings: findings.filter(wanted), segments });
  const restored = withRestored(segments, tokens, edits);
  return { text: stream.edited(restored), blocked: judged.some(({ decision }) => decision.action === 'block') };
}

/** The texts that a client assembles, in the order of their places. */
export function texts(dialect: Dialect, text: string): string[] {
  return assembleStream(dialect, text)
    .call.segments.filter(({ key }) => key !== undefined)
    .map(({ path, text: value }) => `${path}: ${value}`)
    .sort();
}

/** Cuts a text into pieces at these positions, each taken modulo the length of the text plus one. */
export function cut(text: string, places: readonly number[]): string[] {
  const at = [...new Set([0, ...places.map((place) => place % (text.length + 1)), text.length])].sort((a, b) => a - b);
  return at.slice(1).map((end, index) => text.slice(at[index], end));
}
