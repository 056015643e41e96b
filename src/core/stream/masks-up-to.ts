import type { TextEdit } from '../text/edit.js';
import { mergeSpans } from '../redaction/merge-spans.js';
import type { Numbering } from '../redaction/numbering.js';
import { planRedaction } from '../redaction/plan-redaction.js';
import type { KeyedHash } from '../redaction/stable-token.js';
import type { GuardedChannel } from './guarded-channel.js';
import { isMasked } from './is-masked.js';
import type { RuleWatch } from './rule-watch.js';

/** How far a text is decided, and what is replaced between its last limit and there; sorted, without overlaps. */
export interface Masks {
  readonly limit: number;
  readonly edits: readonly TextEdit[];
  /** Something would have to be masked in what is signed. */
  readonly isRefused?: true;
}

/** What rules say of a text as far as it is known. A span is masked as one piece or waits. */
export function masksUpTo(
  channel: GuardedChannel,
  watch: RuleWatch,
  numbering: Numbering,
  hash: KeyedHash | undefined,
  sparesSigned = false,
): Masks {
  let limit = channel.settledUpTo();
  if (channel.findings.length === 0) return { limit: channel.firstRestoredAcross(limit), edits: [] };
  for (const { detector, code, start } of channel.findings) {
    if (start < limit && watch.isOpen(detector, code)) limit = start;
  }
  // What is signed goes on as it is where the policy says so: the verdict on the whole reports it.
  const specs = channel.channel.isSigned && sparesSigned ? [] : watch.redact;
  const { segment, from } = channel.window;
  const masked = channel.findings
    .filter((finding) => isMasked(finding, specs))
    .map((finding) => ({ ...finding, segment: 0, start: finding.start - from, end: finding.end - from }));
  for (const { start, end } of mergeSpans(masked, [segment])) {
    if (start + from < limit && end + from > limit) limit = start + from;
  }
  if (channel.channel.isSigned && masked.length > 0) return { limit: channel.limit, edits: [], isRefused: true };
  if (channel.channel.mayBeSigned && !channel.closed) {
    for (const { start } of masked) limit = Math.min(limit, start + from);
  }
  limit = channel.firstRestoredAcross(limit);
  const findings = masked.filter(({ start }) => start + from < limit);
  if (findings.length === 0) return { limit, edits: [] };
  const { edits } = planRedaction({ specs, findings, segments: [segment], numbering, ...(hash && { hash }) });
  return {
    limit,
    edits: edits.map(({ start, end, replacement }) => ({ start: start + from, end: end + from, replacement })),
  };
}
