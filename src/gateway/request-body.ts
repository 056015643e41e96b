import { applyEdits, documentEdits, logprobEdits, mergeEdits } from '../core/index.js';
import type { AdmittedCall } from './proxied-call.js';

/**
 * The body that a judged request goes on with: the client's text with redacted ranges replaced and blocked turns taken
 * out, every other character as it was.
 * @returns undefined when nothing is changed: then the client's own bytes go on
 */
export function changedBody({ doc, request, judgement }: AdmittedCall): string | undefined {
  const { edits, repair } = judgement;
  if (doc === undefined || (edits.length === 0 && repair === undefined)) return undefined;
  const removals = repair?.removals ?? [];
  // Where something is masked, token texts beside it would show it again.
  return applyEdits(
    doc.text,
    mergeEdits([...documentEdits(doc, request.segments, edits), ...logprobEdits(doc), ...removals]),
  );
}
