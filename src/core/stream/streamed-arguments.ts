import { append } from '../steps/steps.js';
import type { Segment } from '../model/call.js';
import { ownCopy } from '../detection/engine/own-copy.js';
import type { LocatedFinding } from '../model/finding.js';
import type { TextEdit } from '../text/edit.js';
import { mergeSpans, type Span } from '../redaction/merge-spans.js';
import type { Numbering } from '../redaction/numbering.js';
import { planRedaction } from '../redaction/plan-redaction.js';
import type { KeyedHash } from '../redaction/stable-token.js';
import { hintOf, type GuardedChannel } from './guarded-channel.js';
import { LeavesReading, type PlacedEdit, type PlacedFinding } from './leaves-reading.js';
import { isMasked, type Masks, type RuleWatch } from './rule-watch.js';
import type { KnownTokens } from '../redaction/restore.js';
import { TextRestore, TextScan, type DetectorFinding, type StreamDetectors } from './text-scan.js';

/** Determines how arguments are masked. */
export interface MaskingRules {
  readonly watch: RuleWatch;
  readonly numbering: Numbering;
  readonly hash: KeyedHash | undefined;
  /** By detector key, the codes whose findings wait for the verdict on the call. */
  readonly waiting: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A finding that both readings have. */
interface Common {
  readonly finding: LocatedFinding;
  /**
   * Whether the readings agree on the finding's certainty and length. These decide which of two overlapping findings names their common
   * span.
   */
  readonly isAlike: boolean;
}

const NO_OVERLAP = { first: 0, end: 0, areAlike: true };

/** Matches a text that begins with the second half of a surrogate pair, literal or as an escape. */
const BEGINS_INSIDE_PAIR = /^(?:[\udc00-\udfff]|\\u[dD][c-fC-F])/;
const ENDS_INSIDE_PAIR = /(?:[\ud800-\udbff]|\\u[dD][89abAB][0-9a-fA-F]{2})$/;
/** Decided characters are discarded in blocks of this size. */
const LEAST_FORGOTTEN = 4_096;
/** The number of decided units that are kept, so that no range is cut inside a character. */
const KEPT_UNITS = 2;

/**
 * The arguments of a tool call while they arrive. Only at their end is it known how the verdict reads them: the strings of JSON separately
 * and decoded; arguments that break off or are not JSON as one text. So the arguments are read in both ways, and a character may be
 * forwarded when both readings agree on everything before it: findings at the same positions, with the same replacements. From the first
 * difference, the arguments wait for their end. The bracket that completes the arguments waits in any case, and so does the last character
 * of text that is not JSON.
 */
export class StreamedArguments {
  /** The findings of every reading so far: a lower bound of the findings in the whole text. */
  readonly findings: LocatedFinding[] = [];
  private readonly failed = new Set<string>();
  private readonly scan: TextScan;
  private readonly restore: TextRestore;
  private readonly leaves: LeavesReading;
  private readonly segment: Omit<Segment, 'text'>;
  private pending: string[] = [];
  private length = 0;
  private window = '';
  private windowFrom = 0;
  /** The position from which everything waits for the end. */
  private heldFrom = Number.POSITIVE_INFINITY;
  private ofText: DetectorFinding[] = [];
  private ofLeaves: PlacedFinding[] = [];
  private restoredInText: TextEdit[] = [];
  private restoredInLeaves: PlacedEdit[] = [];
  private common: Common[] = [];
  /** The last findings that overlap: where they begin and end, and whether the readings agree on all of them. */
  private overlap = NO_OVERLAP;
  private restored: TextEdit[] = [];
  /** Numbered values that are written with escapes, in the spelling of the text and in the spelling of the leaves. */
  private readonly aliases: { readonly code: string; readonly value: string; readonly decoded: string }[] = [];

  constructor(
    private readonly guarded: GuardedChannel,
    detectors: StreamDetectors,
    tokens: KnownTokens,
  ) {
    const { channel } = guarded;
    this.scan = new TextScan(detectors, hintOf(channel), this.failed);
    this.restore = new TextRestore(tokens, 'call');
    this.leaves = new LeavesReading(detectors, tokens, this.failed);
    const { path, role, key } = channel;
    this.segment = { path, role, ref: 0, ...(key === undefined ? {} : { key }) };
  }

  /** Whether the arguments are an object or a list in JSON, with its last bracket. */
  get isClosed(): boolean {
    return this.closedAt !== undefined;
  }

  private get closedAt(): number | undefined {
    return this.leaves.json.isJson ? this.leaves.json.closedAt : undefined;
  }

  add(text: string): void {
    this.pending.push(text);
  }

  /** Reads the added text. @returns whether there are new findings that every reading has */
  read(): boolean {
    if (this.pending.length === 0) return false;
    const text = this.pending.join('');
    this.pending = [];
    this.length += text.length;
    if (this.heldFrom <= this.guarded.limit) {
      this.leaves.json.push(text);
      return false;
    }
    this.window += text;
    append(this.ofText, this.scan.push(text));
    append(this.restoredInText, this.restore.push(text, false));
    const { findings, restored } = this.leaves.push(text);
    append(this.ofLeaves, findings);
    append(this.restoredInLeaves, restored);
    if (this.leaves.withinFrom !== undefined) this.hold(this.leaves.withinFrom);
    if (this.failed.size > 0) this.hold(this.guarded.limit);
    return this.compare();
  }

  /** Called when the arguments are complete and their form is known. */
  close(numbering: Numbering): void {
    this.leaves.json.push(this.pending.join(''));
    this.decideAliases(numbering);
  }

  /** How far the arguments are decided, and the replacements between the last limit and that position. */
  settle(rules: MaskingRules): Masks {
    let { limit } = this.guarded;
    const edits: TextEdit[] = [];
    if (!this.leaves.json.isJson) this.decideAliases(rules.numbering);
    for (;;) {
      const next = this.undecidedFrom(limit, rules);
      if (next <= limit) return { limit, edits };
      const masks = this.masksUpTo(next, rules);
      const unlike = this.leaves.json.isJson && masks.find(({ replacement }) => isEscapedInJson(replacement));
      if (unlike) {
        this.hold(unlike.start);
        continue;
      }
      append(edits, this.withRestored(next, masks));
      this.forget(next);
      limit = next;
    }
  }

  private hold(from: number): void {
    this.heldFrom = Math.min(this.heldFrom, from);
  }

  private get upTo(): number {
    const inText = Math.min(this.scan.upTo, this.restore.upTo);
    return this.leaves.json.isJson ? Math.min(inText, this.leaves.upTo) : inText;
  }

  /** Determines the findings that the two readings have in common, up to the position before which both readings are certain. */
  private compare(): boolean {
    const { upTo } = this;
    const isSure = ({ start }: { readonly start: number }): boolean => start < upTo;
    const inText = this.ofText.filter(isSure);
    const inLeaves = this.ofLeaves.filter(isSure);
    const tokensInText = this.restoredInText.filter(isSure);
    const tokensInLeaves = this.restoredInLeaves.filter(isSure);
    this.ofText = this.ofText.filter((each) => !isSure(each));
    this.ofLeaves = this.ofLeaves.filter((each) => !isSure(each));
    this.restoredInText = this.restoredInText.filter((each) => !isSure(each));
    this.restoredInLeaves = this.restoredInLeaves.filter((each) => !isSure(each));
    if (inText.length + inLeaves.length + tokensInText.length + tokensInLeaves.length === 0) return false;
    const { isJson } = this.leaves.json;
    const tokens = matched(tokensInText, isJson ? tokensInLeaves : undefined, tokenKey, (start) => this.hold(start));
    append(
      this.restored,
      tokens.map(({ one }) => one),
    );
    const found = matched(inText, isJson ? inLeaves : undefined, findingKey, (start) => this.hold(start));
    this.holdOverlaps(found.map(({ one, other }) => this.commonOf(one, other)));
    return found.length > 0;
  }

  private commonOf(one: DetectorFinding, other: DetectorFinding): Common {
    const { start, end, score } = one;
    const finding = { ...one, score: Math.min(score, other.score), segment: this.guarded.index };
    this.findings.push(finding);
    const value = this.window.slice(start - this.windowFrom, end - this.windowFrom);
    if (BEGINS_INSIDE_PAIR.test(value) || ENDS_INSIDE_PAIR.test(value)) this.hold(start - 1);
    return { finding, isAlike: score === other.score && !value.includes('\\') };
  }

  /**
   * Adds findings, and holds the text from the first overlapping findings on which the readings do not agree. Usually the added findings
   * follow all others, of which very many may wait.
   */
  private holdOverlaps(added: readonly Common[]): void {
    let compared = added.toSorted(byStart);
    const last = this.common.at(-1);
    const follow = last === undefined || compared.every((each) => byStart(each, last) >= 0);
    append(this.common, compared);
    if (!follow) {
      this.common.sort(byStart);
      compared = this.common;
      this.overlap = NO_OVERLAP;
    }
    for (const { finding, isAlike } of compared) {
      const { first, end, areAlike } = this.overlap;
      const { start, end: own } = finding;
      this.overlap =
        start >= end
          ? { first: start, end: own, areAlike: isAlike }
          : { first, end: Math.max(end, own), areAlike: areAlike && isAlike };
      if (start < end && !this.overlap.areAlike) this.hold(first);
    }
  }

  private undecidedFrom(from: number, rules: MaskingRules): number {
    const { watch, waiting } = rules;
    // JSON is complete with its last bracket; any other text may be complete at any character.
    const { isJson } = this.leaves.json;
    let limit = Math.min(this.upTo, this.heldFrom, isJson ? (this.closedAt ?? this.length) : this.length - 1);
    for (const { finding } of this.common) {
      if (finding.start >= limit) break;
      if (watch.isOpen(finding.detector, finding.code)) limit = finding.start;
    }
    // While nothing is forwarded, nothing has to be checked, however often more of the arguments arrives.
    if (limit <= from) return limit;
    for (const { finding } of this.common) {
      if (finding.start >= limit) break;
      if (waiting.get(finding.detector)?.has(finding.code) !== true) continue;
      this.hold(finding.start);
      limit = finding.start;
    }
    if (limit <= from) return limit;
    if (isHighSurrogate(this.unit(limit - 1))) limit--;
    const spans = this.spans(watch);
    if (isJson) limit = this.upToEscaped(spans, limit, rules);
    const ranges = [...spans, ...this.restored];
    for (let before = -1; before !== limit;) {
      before = limit;
      for (const { start, end } of ranges) if (start < limit && end > limit) limit = start;
    }
    return limit;
  }

  private masked(watch: RuleWatch): LocatedFinding[] {
    return this.common
      .map(({ finding }) => finding)
      .filter((finding) => isMasked(finding, watch.redact))
      .map((finding) => ({
        ...finding,
        segment: 0,
        start: finding.start - this.windowFrom,
        end: finding.end - this.windowFrom,
      }));
  }

  private spans(watch: RuleWatch): Span<LocatedFinding>[] {
    if (this.common.length === 0) return [];
    return mergeSpans(this.masked(watch), [{ ...this.segment, text: this.window }]).map((span) => ({
      ...span,
      start: span.start + this.windowFrom,
      end: span.end + this.windowFrom,
    }));
  }

  /**
   * A value that is written with escapes has another spelling in each reading, so its replacements may differ: stable tokens
   * always do, and numbers do if one of the spellings already has a number. Each such value is decided separately.
   */
  private upToEscaped(spans: readonly Span<LocatedFinding>[], limit: number, rules: MaskingRules): number {
    const { watch, numbering } = rules;
    for (const [position, { start, end, namedBy }] of spans.entries()) {
      const spec = watch.redact.find((each) => isMasked(namedBy, [each]));
      if (end > limit || spec === undefined) continue;
      const value = this.window.slice(start - this.windowFrom, end - this.windowFrom);
      const isEscaped = value.includes('\\');
      const isNumbered = spec.with.includes('{n}');
      const isUnlike = isNumbered && !this.hasOneNumber(numbering, namedBy.code, value);
      if (isUnlike || (isEscaped && spec.tokens === 'stable')) this.hold(start);
      else if (!isEscaped || !isNumbered) continue;
      return position > 0 || this.heldFrom <= start ? start : end;
    }
    return limit;
  }

  private hasOneNumber(numbering: Numbering, code: string, value: string): boolean {
    const isOfLeaves = this.aliases.some((alias) => alias.code === code && alias.decoded === value);
    const inText = isOfLeaves ? undefined : numbering.known(code, value);
    return inText === numbering.known(code, decoded(value));
  }

  private masksUpTo(limit: number, { watch, numbering, hash }: MaskingRules): TextEdit[] {
    const findings = this.masked(watch).filter(({ start }) => start + this.windowFrom < limit);
    const segments = [{ ...this.segment, text: this.window }];
    const planned =
      findings.length === 0
        ? []
        : planRedaction({ specs: watch.redact, findings, segments, numbering, ...(hash && { hash }) }).edits;
    if (this.leaves.json.isJson) this.aliasNumbers(limit, watch, numbering);
    return planned.map(({ start, end, replacement }) => ({
      start: start + this.windowFrom,
      end: end + this.windowFrom,
      replacement,
    }));
  }

  /** Gives both spellings of a value that is written with escapes the same number, until it is known which reading is right. */
  private aliasNumbers(limit: number, watch: RuleWatch, numbering: Numbering): void {
    for (const { start, end, namedBy } of this.spans(watch)) {
      const value = this.window.slice(start - this.windowFrom, end - this.windowFrom);
      if (end > limit || !value.includes('\\')) continue;
      const alias = { code: namedBy.code, value, decoded: decoded(value) };
      if (numbering.known(alias.code, alias.decoded) !== undefined) continue;
      numbering.alias(alias.code, value, alias.decoded);
      this.aliases.push(alias);
    }
  }

  /** Removes the numbers of spellings from the reading that turned out to be wrong. */
  private decideAliases(numbering: Numbering): void {
    for (const { code, value, decoded: inLeaves } of this.aliases.splice(0)) {
      numbering.forget(code, this.isClosed ? value : inLeaves);
    }
  }

  /** The masks, and the restored tokens that no mask overlaps. */
  private withRestored(limit: number, masks: readonly TextEdit[]): TextEdit[] {
    const restored = this.restored.filter(
      ({ start, end }) => end <= limit && masks.every((mask) => mask.end <= start || mask.start >= end),
    );
    return [...masks, ...restored].sort((a, b) => a.start - b.start);
  }

  private forget(limit: number): void {
    if (this.common.length > 0) {
      const left = this.common.filter(({ finding }) => finding.start >= limit);
      this.common = [];
      this.overlap = NO_OVERLAP;
      this.holdOverlaps(left);
    }
    if (this.restored.length > 0) this.restored = this.restored.filter(({ start }) => start >= limit);
    const excess = limit - KEPT_UNITS - this.windowFrom;
    if (excess < LEAST_FORGOTTEN) return;
    this.window = ownCopy(this.window.slice(excess));
    this.windowFrom += excess;
  }

  private unit(at: number): number {
    return this.window.charCodeAt(at - this.windowFrom);
  }
}

function byStart(a: Common, b: Common): number {
  return a.finding.start - b.finding.start;
}

/** The findings that both readings have; `differs` is called with the position of each difference. */
function matched<T extends { readonly start: number }>(
  inText: readonly T[],
  inLeaves: readonly (T & { readonly isNumber: boolean })[] | undefined,
  keyOf: (each: T) => string,
  differs: (start: number) => void,
): { one: T; other: T }[] {
  if (inLeaves === undefined) return inText.map((one) => ({ one, other: one }));
  const others = new Map(inLeaves.map((each) => [keyOf(each), each]));
  const both: { one: T; other: T }[] = [];
  for (const one of inText) {
    const other = others.get(keyOf(one));
    others.delete(keyOf(one));
    if (other?.isNumber === false) both.push({ one, other });
    else differs(Math.min(one.start, other?.start ?? one.start));
  }
  for (const { start } of others.values()) differs(start);
  return both;
}

function findingKey({ detector, code, start, end }: DetectorFinding): string {
  return `${start} ${end} ${detector} ${code}`;
}

function tokenKey({ start, end, replacement }: TextEdit): string {
  return `${start} ${end} ${replacement}`;
}

function isEscapedInJson(text: string): boolean {
  return JSON.stringify(text).length !== text.length + 2;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Decodes a piece of a JSON string. The piece must not begin or end inside an escape. */
function decoded(piece: string): string {
  return JSON.parse(`"${piece}"`) as string;
}
