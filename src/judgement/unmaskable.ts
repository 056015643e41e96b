import {
  filtered,
  THINGS_BETWEEN_STOPS,
  type CompiledPolicy,
  type DecodedCall,
  type FiredRule,
  type LocatedFinding,
  type Steps,
} from '../core/index.js';
import type { MergedDecision } from './merge-decisions.js';

type Spared = ReadonlySet<LocatedFinding>;
type Kind = Pick<LocatedFinding, 'detector' | 'code'>;

const NOTHING_SPARED: Spared = new Set();

/** What a provider has signed goes on as it is or not at all: rules that would mask something in it refuse the call. */
export function* refusingSigned(
  merged: MergedDecision,
  masked: readonly LocatedFinding[],
  spared: Spared,
  { segments }: DecodedCall,
): Steps<MergedDecision> {
  if (merged.action !== 'redact') return merged;
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

/** What rules would mask, but the policy lets go on where it cannot be masked. */
export function* sparedOf(
  { unmaskable }: CompiledPolicy,
  masked: readonly LocatedFinding[],
  { segments }: DecodedCall,
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

/** Rules that mask report once more, not enforced, what they spare, and are not said to mask where they spare all of it. */
export function* sparing(
  merged: MergedDecision,
  masked: readonly LocatedFinding[],
  spared: Spared,
): Steps<MergedDecision> {
  if (spared.size === 0 || merged.action === 'block') return merged;
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

/** How many findings of a detector and code there are. */
interface Counts {
  readonly kind: Kind;
  spared: number;
  left: number;
}

/** By detector and code: a call may have as many findings as words, and a policy thousands of rules. */
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
