import { refuses } from '../model/actions.js';
import { decodeRequest } from '../providers/decode-call.js';
import { conversationOf, removalsOf } from '../history/conversation.js';
import { BLOCKED_HISTORY, repairHistory, type HistoryRepair } from '../history/repair-history.js';
import { parseJson, type JsonDocument } from '../json/json-document.js';
import { documentEdits, mergeEdits } from '../json/splice.js';
import { applyEdits, type Edit, type TextEdit } from '../text/edit.js';
import type { CallJudgement, CallToJudge } from './judgement.js';

/**
 * If only earlier turns cause the block and the policy allows a repair, removes or replaces those turns and judges the rest like any
 * other request.
 *
 * @param blocked the judgement of the original request
 * @param judge judges the repaired request
 * @returns undefined if the request stays blocked
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

/** Whether decoding the repaired body yields the call that is judged: no unjudged text may be forwarded. */
function isWhatGoesOn(
  { call }: CallToJudge,
  doc: JsonDocument,
  repair: HistoryRepair,
  removals: readonly TextEdit[],
): boolean {
  const edits = mergeEdits([...documentEdits(doc, call.segments, repair.edits), ...removals]);
  const read = decodeRequest(call.dialect, parseJson(applyEdits(doc.text, edits)));
  // Texts outside the body are unchanged.
  const segments = repair.call.segments.filter(({ ref }) => ref >= 0);
  return (
    read.segments.length === segments.length && read.segments.every(({ text }, index) => text === segments[index]!.text)
  );
}

/** Joins both judgements into one. Paths and segment indices refer to the original request. */
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

/** Leaves out edits in texts that were already replaced as a whole. */
function originalEdits(edits: readonly Edit[], { segments, edits: own }: HistoryRepair): Edit[] {
  const replaced = new Set(own.map(({ segment }) => segment));
  return edits
    .map((edit) => ({ ...edit, segment: segments[edit.segment]! }))
    .filter(({ segment }) => !replaced.has(segment));
}
