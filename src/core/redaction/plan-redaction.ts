import type { Segment } from '../model/call.js';
import { compareText } from '../model/compare-text.js';
import type { RedactionCount, RedactSpec } from '../model/decision.js';
import type { LocatedFinding } from '../model/finding.js';
import type { Edit } from '../text/edit.js';
import { atOnce, type Steps } from '../steps/steps.js';
import { visitingSpans } from './merge-spans.js';
import { Numbering } from './numbering.js';
import { stableToken, type KeyedHash } from './stable-token.js';

export interface RedactionInput {
  /** The redactions of the decision in its order: if two of them mask one finding, the first applies. */
  readonly specs: readonly RedactSpec[];
  /** All findings of the call; findings that no spec names are not masked. */
  readonly findings: readonly LocatedFinding[];
  readonly segments: readonly Segment[];
  /** The numbers for `{n}` given so far in other parts of the same call. New numbers are added to it. */
  readonly numbering?: Numbering;
  /** The hash for stable tokens, with the key of the call's account. Required if a spec uses stable tokens. */
  readonly hash?: KeyedHash;
}

export interface RedactionPlan {
  /** Ordered by segment and start, never overlapping. */
  readonly edits: Edit[];
  /** Masked spans per label (or code, without a label), ordered by type. */
  readonly redactions: RedactionCount[];
  /**
   * The value of each token that a rule restores in the answer; if a value has several spellings, the first. It contains redacted data,
   * so it is used only for this call and never stored or logged.
   */
  readonly restorable: ReadonlyMap<string, string>;
}

/**
 * Computes the replacements after which no character of a named finding remains. `{type}` becomes the code that names the span; `{n}`
 * counts the different values of that code through the whole call, in reading order, so equal values get equal numbers in every
 * segment. The order of findings, and of the detectors that made them, makes no difference.
 * @throws Error for a spec with stable tokens when there is no key
 */
export function planRedaction(input: RedactionInput): RedactionPlan {
  return atOnce(planningRedaction(input));
}

/** Like `planRedaction`, but in steps. */
export function* planningRedaction(input: RedactionInput): Steps<RedactionPlan> {
  const specByTarget = indexSpecs(input.specs);
  const filler = new Filler();
  const numbers = input.numbering ?? new Numbering();
  const counts = new Map<string, number>();
  const restorable = new Map<string, string>();
  const edits: Edit[] = [];
  const { findings, segments } = input;
  const isWanted = ({ detector, code }: LocatedFinding): boolean => specByTarget.get(detector)?.has(code) === true;
  yield* visitingSpans({ findings, segments, isWanted }, (segment, start, end, namedBy) => {
    const spec = specByTarget.get(namedBy.detector)!.get(namedBy.code)!;
    const { text } = segments[segment]!;
    const replacement =
      spec.tokens === 'stable'
        ? stableToken(namedBy.code, text.slice(start, end), keyed(input))
        : filler.fill(spec.with, namedBy.code, numbers.of(namedBy.code, text, start, end));
    edits.push({ segment, start, end, replacement });
    if (spec.restore === true && !restorable.has(replacement)) restorable.set(replacement, text.slice(start, end));
    const type = spec.label ?? namedBy.code;
    counts.set(type, (counts.get(type) ?? 0) + 1);
  });
  const redactions = [...counts].map(([type, count]) => ({ type, count }));
  return { edits, redactions: redactions.sort((a, b) => compareText(a.type, b.type)), restorable };
}

function keyed({ hash }: RedactionInput): KeyedHash {
  if (hash === undefined) throw new Error('stable redaction tokens need the key of the account');
  return hash;
}

/** An edit with the code of the data that it masks. */
export interface Mask extends Edit {
  /** The code of the masked finding, or the reason why a whole text is masked. */
  readonly code: string;
  /** Key of the detector that found it; absent if a whole text is masked because it could not be checked. */
  readonly detector?: string;
}

/** Masks every finding as `[CODE]`, regardless of the rules. Texts are stored in this form. */
export function maskAll(findings: readonly LocatedFinding[], segments: readonly Segment[]): Mask[] {
  return atOnce(maskingAll(findings, segments));
}

/** Like `maskAll`, but in steps. */
export function* maskingAll(findings: readonly LocatedFinding[], segments: readonly Segment[]): Steps<Mask[]> {
  const masks: Mask[] = [];
  const replacements = new Map<string, string>();
  yield* visitingSpans({ findings, segments }, (segment, start, end, { code, detector }) => {
    let replacement = replacements.get(code);
    if (replacement === undefined) replacements.set(code, (replacement = `[${code}]`));
    masks.push({ segment, start, end, replacement, code, detector });
  });
  return masks;
}

/** Indexes the specs by detector and code. */
function indexSpecs(specs: readonly RedactSpec[]): ReadonlyMap<string, ReadonlyMap<string, RedactSpec>> {
  const index = new Map<string, Map<string, RedactSpec>>();
  for (const spec of specs) {
    for (const { detector, code } of spec.targets) {
      const codes = index.get(detector) ?? new Map<string, RedactSpec>();
      index.set(detector, codes);
      if (!codes.has(code)) codes.set(code, spec);
    }
  }
  return index;
}

const PLACEHOLDERS = /(\{(?:type|n)\})/;

/** Writes replacement texts from patterns such as `[{type}-{n}]`. A name that itself contains `{n}` is inserted as it is. */
class Filler {
  /** The split patterns, cached: there are few patterns, but a call may have a finding in every word. */
  private readonly parts = new Map<string, readonly string[]>();

  fill(pattern: string, type: string, n: number): string {
    let parts = this.parts.get(pattern);
    if (parts === undefined) this.parts.set(pattern, (parts = pattern.split(PLACEHOLDERS)));
    let filled = '';
    for (const part of parts) filled += part === '{type}' ? type : part === '{n}' ? String(n) : part;
    return filled;
  }
}
