import { refuses } from '../model/actions.js';
import { decodeRequest } from '../providers/decode-call.js';
import { conversationOf, removalsOf } from '../history/conversation.js';
import { BLOCKED_HISTORY, repairHistory, type HistoryRepair } from '../history/repair-history.js';
import { parseJson, type JsonDocument } from '../json/json-document.js';
import { documentEdits, mergeEdits } from '../json/splice.js';
import { applyEdits, type Edit, type TextEdit } from '../text/edit.js';
import type { CallJudgement, CallToJudge } from './judgement.js';

/**
 * A request that is blocked for earlier turns alone, without them: where the policy says so, and where what is left
 * passes when it is judged like any other request.
 *
 * @param blocked the verdict on the request as it came
 * @param judge judges what is left
 * @returns undefined where the block stands
 */
export async function withoutBlockedHistory(
  input: CallToJudge,
  blocked: CallJudgement,
  judge: (input: CallToJudge) => Promise<CallJudgement>,
): Promise<CallJudgement | undefined> {
  const { doc, call, kind } = input;
  const mode = input.policy.policy.onBlockedHistory;
  if (mode === 'refuse' || kind !== 'request' || blocked.unavailable) return undefined;
  const conversation = doc === undefined ? input.conversation : conversationOf(doc);
  if (conversation === undefined) return undefined;
  const repair = repairHistory(mode, call, conversation, blocked.fired, blocked.findings);
  if (repair === undefined) return undefined;
  const removals = doc === undefined ? [] : removalsOf(doc, repair.dropped);
  if (doc !== undefined && !isWhatGoesOn(input, doc, repair, removals)) return undefined;
  const { doc: _doc, conversation: _conversation, ...rest } = input;
  const left = await judge({ ...rest, call: repair.call });
  return refuses(left.action) ? undefined : joined(blocked, left, repair, removals);
}

/** Whether the body without those turns reads as the call that is judged: nothing may go on that nobody looked at. */
function isWhatGoesOn(
  { call }: CallToJudge,
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
function joined(
  blocked: CallJudgement,
  left: CallJudgement,
  repair: HistoryRepair,
  removals: readonly TextEdit[],
): CallJudgement {
  const { mode, dropped, call, count, segments } = repair;
  const blocking = blocked.fired.filter((rule) => refuses(rule.action) && rule.enforced && !rule.unavailable);
  const rules = new Set(blocking.map(({ rule }) => rule));
  const { outcomes, findings, stages } = blocked;
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
    masked: left.masked.map((finding) => ({ ...finding, segment: segments[finding.segment]! })),
    ...{ outcomes, findings, stages },
    repair: {
      ...{ mode, dropped, count, removals, call, segments },
      ...{ outcomes: left.outcomes, findings: left.findings, stages: left.stages },
    },
  };
}

/** What was replaced as a whole is not edited once more. */
function originalEdits(edits: readonly Edit[], { segments, edits: own }: HistoryRepair): Edit[] {
  const replaced = new Set(own.map(({ segment }) => segment));
  return edits
    .map((edit) => ({ ...edit, segment: segments[edit.segment]! }))
    .filter(({ segment }) => !replaced.has(segment));
}
