import type { Segment } from '../model/call.js';
import type { TextHint } from '../detection/detector.js';
import type { LocatedFinding } from '../model/finding.js';
import { append, atOnce, isHeavyStop, type Steps } from '../steps/steps.js';
import type { KnownTokens } from '../redaction/restore.js';
import type { TextEdit } from '../text/edit.js';
import type { Channel, HeldPiece } from './channels.js';
import { StreamOrderError } from './stream-order-error.js';
import { TextRestore, TextScan, type DetectorFinding, type StreamDetectors } from './text-scan.js';

/** Number of decided units to keep, so that no range is cut inside a character. */
const KEPT_UNITS = 2;

/** The part of a long text that is read before other work runs. */
const UNITS_AT_ONCE = 16_384;
const NO_FINDINGS: readonly LocatedFinding[] = [];

/** The part of a text that a client may read as a text of its own, up to the end so far. */
interface Run {
  readonly scan: TextScan;
  readonly from: number;
}

/** One text of a streamed answer: the part received so far, and how much of it may be forwarded. */
export class GuardedChannel {
  closed = false;
  /** Replacements before `limit`; sorted, without overlaps. */
  edits: TextEdit[] = [];
  /** Undecided findings that rules may mask, sorted by start. */
  findings: LocatedFinding[] = [];
  /** Where the first mask begins; for a tool call, the first replacement of any kind. */
  private maskedFrom = Number.POSITIVE_INFINITY;
  private own = 0;
  private repeated: GuardedChannel | undefined;
  private pending: string[] = [];
  private readonly scan: TextScan | undefined;
  private readonly restore: TextRestore | undefined;
  private restoring: TextEdit[] = [];
  /** Findings in single pieces and in runs of pieces; these findings are not reported yet. */
  private foundAlone: DetectorFinding[] = [];
  /** The reported findings of a text that is read in several ways. */
  private readonly reported = new Set<string>();
  /** The last run of pieces; undefined for a text that is read only as a whole and in single pieces. */
  private run: Run | undefined;
  /** Where runs begin in the unread text. */
  private breaks: number[] = [];
  /** The number of units that were read. */
  private readUnits = 0;

  /**
   * @param detectors the detectors with the codes that matter; none for a text that is judged as a whole
   * @param index the index of the text's segment in the judged call
   * @param failed detectors that have failed: they report no more findings, and the rules that test them define the consequence. This class
   * adds detectors that fail
   */
  constructor(
    readonly channel: Channel,
    readonly index: number,
    private readonly detectors: StreamDetectors,
    tokens: KnownTokens,
    private readonly failed: Set<string>,
  ) {
    if (detectors.length > 0) this.scan = new TextScan(detectors, hintOf(channel), failed);
    if (detectors.length > 0 && channel.mayBreak) this.run = this.runFrom(0);
    if (tokens.size > 0) this.restore = new TextRestore(tokens, 'answer');
  }

  get length(): number {
    return this.channel.content.length;
  }

  /** The position up to which everything is decided and `edits` are complete. */
  get limit(): number {
    return this.repeated?.limit ?? this.own;
  }

  /** The text that determines how much of this one is decided: this text itself, or the text that contains it. */
  get decidedBy(): GuardedChannel {
    return this.repeated?.decidedBy ?? this;
  }

  /** The decided replacements in this text. */
  get decidedEdits(): readonly TextEdit[] {
    return this.repeated?.decidedEdits ?? this.edits;
  }

  /** Whether a mask is decided that begins before this position. Restored values are not masks. */
  isMaskedBefore(position: number): boolean {
    return this.repeated?.isMaskedBefore(position) ?? this.maskedFrom < position;
  }

  /** A segment that contains the undecided part and a few characters before it, and the segment's position in the text. */
  get window(): { readonly segment: Segment; readonly from: number } {
    const { path, role, key } = this.channel;
    const { text, from } = this.channel.content.known;
    return { segment: { path, role, text, ref: 0, ...(key === undefined ? {} : { key }) }, from };
  }

  /**
   * Adds the text of a piece. The text of the channel may already extend beyond the piece, because all events of a block are read before
   * their pieces are added here.
   */
  add({ start, end, added, breaks }: HeldPiece): void {
    if (added === '') return;
    if (breaks && this.run !== undefined) this.breaks.push(start);
    else if (breaks && this.scan !== undefined)
      throw new StreamOrderError('the stream begins a text again before it is complete');
    // A piece that contains the text so far may still grow, so it is read as a run.
    if (this.channel.isLoose && !this.channel.isSoFar) this.readAlone(start, end);
    if (this.scan !== undefined) this.pending.push(added);
    if (this.restore !== undefined) append(this.restoring, this.restore.push(added, false));
  }

  /** Reads the added text in steps. @returns findings that are now certain */
  *reading(): Steps<readonly LocatedFinding[]> {
    if (this.pending.length === 0 || this.scan === undefined) return NO_FINDINGS;
    const text = this.pending.length === 1 ? this.pending[0]! : this.pending.join('');
    this.pending = [];
    if (this.run !== undefined) yield* this.readingRuns(this.run, text);
    if (text.length <= UNITS_AT_ONCE) return this.located(this.scan.push(text));
    const found: DetectorFinding[] = [];
    for (let from = 0; from < text.length; from += UNITS_AT_ONCE) {
      // Reading it in pieces yields the same findings.
      append(found, this.scan.push(text.slice(from, from + UNITS_AT_ONCE)));
      yield;
    }
    return this.located(found);
  }

  /** Called when the text is complete. A long text is read in steps. */
  *closing(): Steps<readonly LocatedFinding[]> {
    if (this.closed) return NO_FINDINGS;
    const units = this.pending.reduce((sum, { length }) => sum + length, 0);
    const isLong = units > UNITS_AT_ONCE || this.breaks.length > 0;
    const before = isLong ? yield* this.reading() : NO_FINDINGS;
    const last = this.close();
    return before.length === 0 ? last : [...before, ...last];
  }

  private close(): LocatedFinding[] {
    const found = this.readToEnd();
    this.closed = true;
    if (this.restore !== undefined) append(this.restoring, this.restore.push('', true));
    return found;
  }

  private readToEnd(): LocatedFinding[] {
    const { scan } = this;
    if (scan === undefined) return [];
    if (!scan.isUnread || this.breaks.length > 0) {
      const last = atOnce(this.reading());
      // A run that is the whole text has the findings of the whole text.
      if (this.run !== undefined && this.run.from > 0) this.endRun(this.run);
      return [...last, ...this.located(scan.end())];
    }
    const text = this.pending.join('');
    this.pending = [];
    return this.located(text === '' ? [] : scan.whole(text));
  }

  /** Makes this text a part of another one. The decisions about the other text then apply to this one. */
  becomes(channel: GuardedChannel): void {
    this.closed = true;
    this.repeated = channel;
    this.findings = [];
  }

  /**
   * The position before which nothing can change: matches that are not complete yet, and incomplete tokens, are after it.
   */
  settledUpTo(): number {
    const upTo = Math.min(this.length, this.scan?.upTo ?? this.length, this.restore?.upTo ?? this.length);
    return this.run === undefined || this.closed ? upTo : Math.min(upTo, this.run.from + this.run.scan.upTo);
  }

  /**
   * Marks everything before `limit` as decided.
   * @param masks the rules' replacements in this part, sorted; a token that overlaps one of them is not restored
   */
  settle(limit: number, masks: readonly TextEdit[]): void {
    this.maskedFrom = Math.min(this.maskedFrom, masks[0]?.start ?? Number.POSITIVE_INFINITY);
    if (masks.length > 0 || this.restoring.length > 0) {
      const restored = this.restoring.filter(
        ({ start, end }) =>
          !this.channel.isSigned && end <= limit && masks.every((mask) => mask.end <= start || mask.start >= end),
      );
      this.restoring = this.restoring.filter(({ end }) => end > limit);
      append(
        this.edits,
        [...masks, ...restored].sort((a, b) => a.start - b.start),
      );
    }
    const [first] = this.findings;
    if (first !== undefined && first.start < limit) this.findings = this.findings.filter(({ start }) => start >= limit);
    this.own = Math.max(this.own, limit);
    if (this.channel.role !== 'tool_call') this.channel.content.forget(this.own - KEPT_UNITS);
  }

  /**
   * Returns the replacements that are not decided yet.
   * @param edits all replacements in the whole text
   * @throws StreamOrderError if a part that is already forwarded would have to be masked differently
   */
  undecidedOf(edits: readonly TextEdit[]): TextEdit[] {
    const count = this.edits.length;
    const isSame = this.edits.every((edit, at) => isEqual(edit, edits[at]));
    if (!isSame || (edits[count] !== undefined && edits[count].start < this.limit))
      throw new StreamOrderError('the stream continues a text in a way that changes its released part');
    return edits.slice(count);
  }

  /** Whether everything is decided. */
  get isDone(): boolean {
    return this.closed && this.limit >= this.length;
  }

  /** The start of the token that a limit would cut; the limit itself if there is none. */
  firstRestoredAcross(limit: number): number {
    return this.restoring.find(({ start, end }) => start < limit && end > limit)?.start ?? limit;
  }

  private runFrom(from: number): Run {
    return { scan: new TextScan(this.detectors, hintOf(this.channel), this.failed), from };
  }

  /** Reads the added text as the continuation of the last run, and as new runs. */
  private *readingRuns(last: Run, text: string): Steps<void> {
    const first = this.readUnits;
    const { breaks } = this;
    this.breaks = [];
    this.readUnits += text.length;
    let run = last;
    let at = first;
    for (let index = 0; index <= breaks.length; index++) {
      const end = breaks[index] ?? this.readUnits;
      while (at < end) {
        const next = Math.min(end, at + UNITS_AT_ONCE);
        this.foundIn(run, run.scan.push(text.slice(at - first, next - first)));
        at = next;
        if (at < this.readUnits && at - first >= UNITS_AT_ONCE) yield;
      }
      if (isHeavyStop(index)) yield;
      if (index === breaks.length) break;
      this.endRun(run);
      run = this.runFrom(end);
      this.run = run;
    }
  }

  private endRun(run: Run): void {
    this.foundIn(run, run.scan.end());
  }

  private foundIn({ from }: Run, findings: readonly DetectorFinding[]): void {
    for (const each of findings) this.foundAlone.push({ ...each, start: each.start + from, end: each.end + from });
  }

  private readAlone(start: number, end: number): void {
    const { text: known, from: knownFrom } = this.channel.content.known;
    const from = Math.max(start, knownFrom);
    const text = known.slice(from - knownFrom, end - knownFrom);
    for (const { detector, codes } of this.detectors) {
      const { key } = detector.binding;
      if (this.failed.has(key)) continue;
      try {
        for (const finding of detector.scan(text, hintOf(this.channel))) {
          const { code, start, end } = finding;
          if (!codes.has(code)) continue;
          this.foundAlone.push({ ...finding, detector: key, start: start + from, end: end + from });
        }
      } catch {
        // The error's message may quote the text, so it is discarded.
        this.failed.add(key);
      }
    }
  }

  private located(inText: readonly DetectorFinding[]): LocatedFinding[] {
    const found = this.channel.isLoose ? this.unreported([...this.foundAlone, ...inText]) : inText;
    this.foundAlone = [];
    const located = found.map((finding) => ({ ...finding, segment: this.index }));
    this.addFindings(located);
    return located;
  }

  /** Adds undecided findings. Usually they follow all others, of which there may be very many. */
  private addFindings(found: readonly LocatedFinding[]): void {
    if (found.length === 0) return;
    const last = this.findings.at(-1)?.start ?? 0;
    append(this.findings, found);
    const isSorted = found.every(({ start }, at) => start >= (found[at - 1]?.start ?? last));
    if (!isSorted) this.findings.sort((a, b) => a.start - b.start);
  }

  /** The findings that were not reported before: several readings may have the same finding. */
  private unreported(findings: readonly DetectorFinding[]): DetectorFinding[] {
    return findings.filter((finding) => {
      const key = keyOf(finding);
      if (this.reported.has(key)) return false;
      this.reported.add(key);
      return true;
    });
  }
}

function keyOf({ detector, code, start, end }: DetectorFinding): string {
  return `${detector} ${code} ${start} ${end}`;
}

function isEqual(edit: TextEdit, other: TextEdit | undefined): boolean {
  return edit.start === other?.start && edit.end === other.end && edit.replacement === other.replacement;
}

/** The hint about a channel's text for detectors. */
export function hintOf({ role, key }: Channel): TextHint {
  return { role, ...(key === undefined ? {} : { key }) };
}
