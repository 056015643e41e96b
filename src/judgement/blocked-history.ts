import {
  applyEdits,
  BLOCKED_HISTORY,
  conversationOf,
  decodeRequest,
  documentEdits,
  mergeEdits,
  parseJson,
  removalsOf,
  repairHistory,
  type Edit,
  type HistoryRepair,
  type JsonDocument,
  type TextEdit,
} from '../core/index.js';
import type { JudgeInput, Judgement } from './judgement.js';

/**
 * A request that is blocked for earlier turns alone, without them: where the policy says so, and where what is left
 * passes when it is judged like any other request.
 *
 * @param blocked the verdict on the request as it came
 * @param judge judges what is left
 * @returns undefined where the block stands
 */
export async function withoutBlockedHistory(
  input: JudgeInput,
  blocked: Judgement,
  judge: (input: JudgeInput) => Promise<Judgement>,
): Promise<Judgement | undefined> {
  const mode = input.policy.policy.onBlockedHistory;
  if (mode === 'refuse' || input.doc === undefined || input.kind !== 'request' || blocked.unavailable) return undefined;
  const conversation = conversationOf(input.doc);
  if (conversation === undefined) return undefined;
  const repair = repairHistory(mode, input.call, conversation, blocked.fired, blocked.findings);
  if (repair === undefined) return undefined;
  const removals = removalsOf(input.doc, repair.dropped);
  if (!isWhatGoesOn(input, input.doc, repair, removals)) return undefined;
  const { doc: _doc, ...rest } = input;
  const left = await judge({ ...rest, call: repair.call });
  return left.action === 'block' ? undefined : joined(blocked, left, repair, removals);
}

/** Whether the body without those turns reads as the call that is judged: nothing may go on that nobody looked at. */
function isWhatGoesOn(
  { call }: JudgeInput,
  doc: JsonDocument,
  repair: HistoryRepair,
  removals: readonly TextEdit[],
): boolean {
  const edits = mergeEdits([...documentEdits(doc, call.segments, repair.edits), ...removals]);
  const read = decodeRequest(call.dialect, parseJson(applyEdits(doc.text, edits)));
  // What stands beside the body stays what it was.
  const segments = repair.call.segments.filter(({ ref }) => ref >= 0);
  return (
    read.segments.length === segments.length && read.segments.every(({ text }, index) => text === segments[index]!.text)
  );
}

/** One verdict: what was blocked, with what became of the rest. Places are those of the request as it came. */
function joined(blocked: Judgement, left: Judgement, repair: HistoryRepair, removals: readonly TextEdit[]): Judgement {
  const { mode, dropped, call, count } = repair;
  const snapshot = { ...(JSON.parse(left.snapshot) as object), repair: { mode, dropped, count } };
  const blocking = blocked.fired.filter((rule) => rule.action === 'block' && rule.enforced && !rule.unavailable);
  const rules = new Set(blocking.map(({ rule }) => rule));
  return {
    ...left,
    action: 'redact',
    fired: [...blocking, ...left.fired.filter(({ rule }) => !rules.has(rule))],
    violations: [
      ...blocked.violations.filter(({ rule }) => rules.has(rule)),
      ...left.violations.filter(({ rule }) => !rules.has(rule)),
    ],
    redactions: [...left.redactions, { type: BLOCKED_HISTORY, count }],
    edits: [...repair.edits, ...originalEdits(left.edits, repair)],
    outcomes: blocked.outcomes,
    findings: blocked.findings,
    snapshot: JSON.stringify(snapshot),
    repair: { mode, dropped, removals, call, outcomes: left.outcomes },
    tookMs: blocked.tookMs + left.tookMs,
  };
}

/** What was replaced as a whole is not edited once more. */
function originalEdits(edits: readonly Edit[], { segments, edits: own }: HistoryRepair): Edit[] {
  const replaced = new Set(own.map(({ segment }) => segment));
  return edits
    .map((edit) => ({ ...edit, segment: segments[edit.segment]! }))
    .filter(({ segment }) => !replaced.has(segment));
}
