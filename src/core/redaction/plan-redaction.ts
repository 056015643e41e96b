import type { Segment } from '../call/call.js';
import type { RedactionCount, RedactSpec } from '../decision/decision.js';
import type { LocatedFinding } from '../detection/scan.js';
import type { Edit } from './edit.js';
import { compareText, mergeSpans } from './merge-spans.js';
import { Numbering } from './numbering.js';
import { stableToken, type KeyedHash } from './stable-token.js';

export interface RedactionInput {
  /** The specs of the decision, in its order: where two of them mask one finding, the first says how. */
  readonly specs: readonly RedactSpec[];
  /** All findings of the call; those that no spec names are left alone. */
  readonly findings: readonly LocatedFinding[];
  readonly segments: readonly Segment[];
  /** Goes on counting `{n}` where another part of the same call left off; it is added to. */
  readonly numbering?: Numbering;
  /** Keyed by the account that the call belongs to: what stable tokens are made with. Needed where a spec has them. */
  readonly hash?: KeyedHash;
}

export interface RedactionPlan {
  /** Ordered by segment and start, never overlapping. */
  readonly edits: Edit[];
  /** Masked spans per label (or code, without a label), ordered by type. */
  readonly redactions: RedactionCount[];
  /**
   * From token to the value it stands for, where a rule wants it restored in the answer; of several spellings the first.
   * It holds what was redacted: it is for this call alone, never stored or logged.
   */
  readonly restorable: ReadonlyMap<string, string>;
}

/**
 * What is to be replaced so that no character of a named finding survives. `{type}` becomes the code that names the
 * span; `{n}` counts the different values of that code through the whole call, in reading order, so equal values get
 * equal numbers in every segment. The order of findings, and of the detectors that made them, makes no difference.
 * @throws Error for a spec with stable tokens when there is no key
 */
export function planRedaction(input: RedactionInput): RedactionPlan {
  const specByTarget = indexSpecs(input.specs);
  const named = input.findings.filter((finding) => specByTarget.has(targetKey(finding.detector, finding.code)));
  const numbers = input.numbering ?? new Numbering();
  const counts = new Map<string, number>();
  const restorable = new Map<string, string>();
  const edits: Edit[] = [];
  for (const { segment, start, end, namedBy } of mergeSpans(named, input.segments)) {
    const spec = specByTarget.get(targetKey(namedBy.detector, namedBy.code));
    const text = input.segments[segment]?.text;
    if (spec === undefined || text === undefined) continue;
    const value = text.slice(start, end);
    const replacement =
      spec.tokens === 'stable'
        ? stableToken(namedBy.code, value, keyed(input))
        : fill(spec.with, namedBy.code, numbers.of(namedBy.code, value));
    edits.push({ segment, start, end, replacement });
    if (spec.restore === true && !restorable.has(replacement)) restorable.set(replacement, value);
    const type = spec.label ?? namedBy.code;
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  const redactions = [...counts].map(([type, count]) => ({ type, count }));
  return { edits, redactions: redactions.sort((a, b) => compareText(a.type, b.type)), restorable };
}

function keyed({ hash }: RedactionInput): KeyedHash {
  if (hash === undefined) throw new Error('stable tokens need the key of the account');
  return hash;
}

/** Every finding masked as `[CODE]`, whatever the rules say: the form in which texts are stored. */
export function maskAll(findings: readonly LocatedFinding[], segments: readonly Segment[]): Edit[] {
  return mergeSpans(findings, segments).map(({ segment, start, end, namedBy }) => ({
    segment,
    start,
    end,
    replacement: `[${namedBy.code}]`,
  }));
}

function indexSpecs(specs: readonly RedactSpec[]): Map<string, RedactSpec> {
  const index = new Map<string, RedactSpec>();
  for (const spec of specs) {
    for (const target of spec.targets) {
      const key = targetKey(target.detector, target.code);
      if (!index.has(key)) index.set(key, spec);
    }
  }
  return index;
}

function targetKey(detector: string, code: string): string {
  return `${detector}/${code}`;
}

/** One pass, so that a filled-in part is never read as a placeholder. */
function fill(pattern: string, type: string, n: number): string {
  return pattern.replace(/\{(type|n)\}/g, (_, name: string) => (name === 'type' ? type : String(n)));
}
