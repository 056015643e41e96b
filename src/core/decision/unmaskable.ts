import { masksTexts, refuses } from '../model/actions.js';
import type { DecodedCall, Segment } from '../model/call.js';
import type { LocatedFinding } from '../model/finding.js';
import type { CompiledPolicy } from '../model/compiled-policy.js';
import type { Edit } from '../redaction/index.js';
import { atOnce, filtered, THINGS_BETWEEN_STOPS, type Steps } from '../steps/steps.js';
import type { Decision, FiredRule } from '../model/decision.js';

/** The part of a decision that depends on which texts can be masked. */
type Masking = Pick<Decision, 'action' | 'reason' | 'fired'>;
type Spared = ReadonlySet<LocatedFinding>;
type Kind = Pick<LocatedFinding, 'detector' | 'code'>;

export const NOTHING_SPARED: Spared = new Set();

/** Turns rules that would mask signed content into blocks: content signed by a provider can only be forwarded unchanged. */
export function* refusingSigned<Merged extends Masking>(
  merged: Merged,
  masked: readonly LocatedFinding[],
  spared: Spared,
  { segments }: Pick<DecodedCall, 'segments'>,
): Steps<Merged> {
  if (!masksTexts(merged.action)) return merged;
  const inSigned = yield* filtered(
    masked,
    (finding) => segments[finding.segment]!.signed === true && !spared.has(finding),
  );
  if (inSigned.length === 0) return merged;
  const kinds = (yield* countedKinds(inSigned, NOTHING_SPARED)).map(({ kind }) => kind);
  const reason = 'content_policy_violation';
  const fired = merged.fired.map((rule) =>
    rule.action === 'redact' && rule.enforced && kinds.some((kind) => speaksOf(rule, kind))
      ? { ...rule, action: 'block' as const, reason }
      : rule,
  ) as readonly FiredRule[];
  return { ...merged, action: 'block', reason, fired };
}

/** The findings that rules would mask, but that the policy forwards because they cannot be masked. */
export function* sparedOf(
  { unmaskable }: CompiledPolicy,
  masked: readonly LocatedFinding[],
  { segments }: Pick<DecodedCall, 'segments'>,
): Steps<Spared> {
  if (unmaskable.documents === 'refuse' && unmaskable.signed === 'refuse') return NOTHING_SPARED;
  return new Set(
    yield* filtered(masked, ({ segment }) => {
      const { document, signed } = segments[segment]!;
      if (document === true) return unmaskable.documents === 'flag';
      return signed === true && unmaskable.signed === 'flag';
    }),
  );
}

/**
 * Adds an unenforced report for each masking rule with spared findings; if all findings of the rule are spared, the report replaces the
 * rule.
 */
export function* sparing<Merged extends Masking>(
  merged: Merged,
  masked: readonly LocatedFinding[],
  spared: Spared,
): Steps<Merged> {
  if (spared.size === 0 || refuses(merged.action)) return merged;
  const kinds = yield* countedKinds(masked, spared);
  const fired = merged.fired.flatMap((rule): FiredRule[] => {
    if (rule.action !== 'redact' || !rule.enforced) return [rule];
    const own = kinds.filter(({ kind }) => speaksOf(rule, kind));
    if (own.every((counts) => counts.spared === 0)) return [rule];
    const report: FiredRule = { ...rule, enforced: false, softenedBy: 'policy', isSpared: true };
    return own.every((counts) => counts.left === 0) ? [report] : [rule, report];
  });
  return { ...merged, action: masked.length > spared.size ? merged.action : 'allow', fired };
}

/** Whether an edit is in a text that cannot be changed; if so, the call must be refused. */
export function masksFixed(edits: readonly Edit[], segments: readonly Segment[]): boolean {
  return edits.some(({ segment }) => segments[segment]?.fixed === true);
}

export const UNMASKABLE_REFUSAL = { action: 'block', reason: 'content_policy_violation' } as const;

/** A decision after the policy's `unmaskable` setting was applied, and the findings still to be masked. */
export interface Unmasked<Merged> {
  readonly decision: Merged;
  /** The findings that the decision's rules mask, without the spared ones. */
  readonly masked: readonly LocatedFinding[];
}

/**
 * Applies `sparedOf`, `refusingSigned` and `sparing` synchronously, for commands and tests.
 * @param covered the findings that the decision's rules would mask
 */
export function withUnmaskable<Merged extends Masking>(
  policy: CompiledPolicy,
  decision: Merged,
  covered: readonly LocatedFinding[],
  call: Pick<DecodedCall, 'segments'>,
): Unmasked<Merged> {
  const spared = atOnce(sparedOf(policy, covered, call));
  const signed = atOnce(refusingSigned(decision, covered, spared, call));
  return {
    decision: atOnce(sparing(signed, covered, spared)),
    masked: covered.filter((finding) => !spared.has(finding)),
  };
}

/** The number of findings of one detector and code. */
interface Counts {
  readonly kind: Kind;
  spared: number;
  left: number;
}

/** Counts findings once by detector and code, because a call may have one per word and a policy thousands of rules. */
function* countedKinds(findings: readonly LocatedFinding[], spared: Spared): Steps<readonly Counts[]> {
  const byDetector = new Map<string, Map<string, Counts>>();
  for (const [index, finding] of findings.entries()) {
    if (index % THINGS_BETWEEN_STOPS === 0) yield;
    const { detector, code } = finding;
    const codes = byDetector.get(detector) ?? new Map<string, Counts>();
    byDetector.set(detector, codes);
    const counts = codes.get(code) ?? { kind: { detector, code }, spared: 0, left: 0 };
    codes.set(code, counts);
    counts[spared.has(finding) ? 'spared' : 'left']++;
  }
  return [...byDetector.values()].flatMap((codes) => [...codes.values()]);
}

function speaksOf({ evidence }: FiredRule, { detector, code }: Kind): boolean {
  return evidence.some((one) => one.detector === detector && (one.codes === 'all' || one.codes.includes(code)));
}
