import { append } from '../../steps/steps.js';
import type { Settled, TextHint } from '../detector.js';
import type { Finding } from '../../model/finding.js';
import { behindOf, type Candidate, type PatternSet } from './pattern-set.js';
import { normalise, type NormaliseOptions, type Shadow } from './normalise.js';
import { ownCopy } from './own-copy.js';
import { resolveOverlaps } from './resolve-overlaps.js';
import { stableLength, staysBeyondAscii } from './stable-text.js';
import type { Undecided } from './undecided-part.js';
import type { IslandStream } from './island-scan.js';
import { longestMatch, UndecidedPlaces, type PatternsOf } from './undecided.js';

/** The input of a streamed scan: a search for candidates, and a function that determines which part further text may change. */
export interface CandidateSource<Code extends string> {
  readonly normalisation: NormaliseOptions | false;
  /** Codes that the scan returns; candidates of other codes only take part in overlaps. */
  readonly codes: ReadonlySet<Code>;
  /**
   * Whether the patterns of these codes treat all non-ASCII letters alike; `undecided` then separates them from the others. Without this
   * function, text waits for a mark that may join its last letter.
   */
  readonly areOfAscii?: (codes: ReadonlySet<Code>) => boolean;
  /** Maximum distance that a pattern reads to the left of the position where it is tried, in units of normalised text. */
  readonly behind: number;
  /** The result of `longestMatch` for the patterns; by default 0: there are no long patterns. */
  readonly longest?: number;
  /** Reads a normalised text from an offset on. */
  read(text: string, hint: TextHint | undefined, from: number): CandidateReading<Code>;
}

export interface CandidateReading<Code extends string> {
  /** All candidates that are tried at or after the offset `from` of `read`. */
  candidates(): readonly Candidate<Code>[];
  /**
   * The part that further text may change, for all codes (`any`) and for the given ones (`ofCodes`).
   * @param of `ascii`: only patterns that treat all non-ASCII letters alike; `others`: the rest. Only used for a source with
   * `areOfAscii`. `long`: only patterns with long matches, for a source with `longest`
   */
  undecided(codes: ReadonlySet<Code>, of?: PatternsOf): { readonly any: Undecided; readonly ofCodes: Undecided };
}

/** Maximum distance to the left that normalising reads. */
const NORMALISE_LOOK = 64;
/** Maximum distance to the left that normalising reads when hidden letters are decoded. */
const HIDDEN_LOOK = 320;
/** A text is read again when it has grown by this share of its undecided part, so that the total work is proportional to its length. */
const GROWTH = 1 / 16;
/** An undecided part up to this length is read again after every piece. */
const SMALL = 128;

/**
 * The source of a streamed scan of compiled patterns: it holds back only text with which an expression of the patterns could still match.
 */
export function patternSource<Code extends string>(
  set: PatternSet<Code>,
  parts: Pick<CandidateSource<Code>, 'normalisation' | 'codes'>,
): CandidateSource<Code> {
  const places = new UndecidedPlaces(set.compiled);
  return {
    ...parts,
    behind: behindOf(set.compiled),
    longest: longestMatch(set.compiled),
    areOfAscii: (codes) => places.areOfAscii(codes),
    read(text, hint, from) {
      const reading = set.read(text, hint, from);
      return { candidates: () => set.collect(reading), undecided: (codes, of) => places.in(reading, codes, of) };
    },
  };
}

/** Creates a streamed scan from a source of candidates. */
export function streamCandidates<Code extends string>(
  source: CandidateSource<Code>,
  hint: TextHint | undefined,
  codes: ReadonlySet<Code>,
): IslandStream<Code> {
  return new CandidateStream(source, hint, codes);
}

/**
 * A pending candidate. Its own range refers to the normalised text, in which overlaps are resolved. All offsets count from the
 * beginning of the text.
 */
interface Waiting<Code extends string> extends Candidate<Code> {
  /** The candidate's range in the original text. */
  readonly original: { readonly start: number; readonly end: number };
}

/**
 * For each kind of last character: an example of the character that results from composing it with a following mark. It is neither an
 * ASCII letter nor a space.
 */
const JOINED: readonly (readonly [letters: RegExp, joined: string])[] = [
  [/[a-z]/, '\u00e9'],
  [/[A-Z]/, '\u00c9'],
  [/[<=>]/, '\u226e'],
];

class CandidateStream<Code extends string> implements IslandStream<Code> {
  /** The part of the text that is still needed; `offset` is its start in the whole text. */
  private window = '';
  private offset = 0;
  /** Offsets before which all patterns have their final result. */
  private decided = { original: 0, normalised: 0 };
  /** Final candidates whose overlaps are not resolved yet. */
  private open: Waiting<Code>[] = [];
  private upTo = 0;
  private readLength = 0;
  private readonly lookBehind: number;
  private readonly keepBehind: number;
  private readonly isOfAscii: boolean;

  constructor(
    private readonly source: CandidateSource<Code>,
    private readonly hint: TextHint | undefined,
    private readonly codes: ReadonlySet<Code>,
  ) {
    this.lookBehind =
      source.normalisation !== false && source.normalisation.disguises === true ? HIDDEN_LOOK : NORMALISE_LOOK;
    this.keepBehind = source.behind + this.lookBehind;
    this.isOfAscii = source.areOfAscii?.(codes) === true;
  }

  push(piece: string): Settled<Code> {
    this.window += piece;
    const total = this.offset + this.window.length;
    const open = total - this.decided.original;
    // After little growth, the text is read again later.
    if (open > SMALL && total - this.readLength < open * GROWTH) return { findings: [], upTo: this.upTo };
    return this.lookAhead() ?? this.look(false);
  }

  end(): Settled<Code> {
    return this.look(true);
  }

  get longest(): number {
    return this.source.longest ?? 0;
  }

  isOpenBefore(place: number): boolean {
    const { window, offset, source, hint } = this;
    const view = new View(
      source.normalisation === false ? undefined : normalise(window, source.normalisation),
      window,
      offset,
    );
    const reading = source.read(view.text, hint, view.first(this.decided.original));
    const { start } = reading.undecided(source.codes, 'long').any;
    return start < view.text.length && view.place(start) < place;
  }

  /**
   * Tries the last letter of the text with and without a mark that may still join it. If no pattern has begun in either case, the letter
   * need not wait. A letter beyond ASCII stays one, which the patterns do not distinguish from any other.
   * @returns undefined if the full check is necessary
   */
  private lookAhead(): Settled<Code> | undefined {
    const { window, offset, open, source } = this;
    const { normalisation } = source;
    if (!this.isOfAscii || normalisation === false || normalisation.disguises === true) return undefined;
    const stable = stableLength(window, normalisation);
    if (open.length > 0 || stable === window.length || this.decided.original - offset > stable) return undefined;
    const last = window.slice(stable);
    const joined = last.length === 1 ? JOINED.find(([letters]) => letters.test(last))?.[1] : undefined;
    if (joined === undefined && !staysBeyondAscii(last)) return undefined;
    const sure = window.slice(0, stable);
    // The first reading that finds something decides, so the others are not made.
    const asWritten = this.tryOut(window, 'ascii');
    const asJoined = joined === undefined ? asWritten : asWritten && this.tryOut(sure + joined, 'ascii');
    // Patterns that distinguish non-ASCII letters wait for the actual character.
    const others = asJoined && this.tryOut(sure, 'others');
    if (asWritten === undefined || asJoined === undefined || others === undefined) return undefined;
    const { view, base } = others;
    const all = [asWritten, asJoined, others];
    const attempt = Math.min(...all.map((each) => each.attempt));
    this.readLength = offset + window.length;
    this.upTo = Math.max(this.upTo, Math.min(...all.map(({ start }) => start)));
    this.decided = { original: attempt, normalised: base + view.first(attempt) };
    this.trim(view.place(view.first(attempt) - source.behind) - this.lookBehind);
    return { findings: [], upTo: this.upTo };
  }

  /** Determines the undecided part as if `text` were the text so far; undefined if ASCII patterns find something in it. */
  private tryOut(text: string, of: PatternsOf): Tried | undefined {
    const { normalisation } = this.source;
    const view = new View(normalisation === false ? undefined : normalise(text, normalisation), text, this.offset);
    const from = view.first(this.decided.original);
    const reading = this.source.read(view.text, this.hint, from);
    if (of === 'ascii' && reading.candidates().length > 0) return undefined;
    const { any, ofCodes } = reading.undecided(this.codes, of);
    // All patterns with a code that matters are ASCII patterns, so the others hold back no text.
    const start = of === 'ascii' ? view.place(ofCodes.start) : Infinity;
    return { view, base: this.decided.normalised - from, attempt: view.place(any.attempt), start };
  }

  private look(atEnd: boolean): Settled<Code> {
    const { normalisation } = this.source;
    const { window, offset } = this;
    this.readLength = offset + window.length;
    // A mark may join text that was already decided. Such a mark changes no finding, so the text stays decided.
    const text =
      atEnd || normalisation === false
        ? window
        : window.slice(0, Math.max(stableLength(window, normalisation), this.decided.original - offset));
    const shadow = normalisation === false ? undefined : normalise(text, normalisation);
    const view = new View(shadow, text, offset);
    const from = view.first(this.decided.original);
    // Normalising may differ slightly at the start of a window, so offsets count from the decided part.
    const base = this.decided.normalised - from;
    const reading = this.source.read(view.text, this.hint, from);
    const fresh = reading.candidates().map((candidate): Waiting<Code> => ({
      ...moved(candidate, base),
      original: view.range(candidate.start, candidate.end),
    }));
    const { any, ofCodes } = atEnd ? { any: view.nothing, ofCodes: view.nothing } : reading.undecided(this.codes);
    const candidates = [...this.open, ...fresh];
    const settled = this.settle(candidates, {
      any: atEnd ? Infinity : base + any.start,
      ofCodes: atEnd ? Infinity : base + ofCodes.start,
      upTo: view.place(ofCodes.start),
    });
    const original = view.place(any.attempt);
    const normalised = base + view.first(original);
    const kept = new Set(settled.unsettled);
    this.open = candidates.filter((candidate) => kept.has(candidate) && candidate.at < normalised);
    this.decided = { original, normalised };
    this.trim(view.place(view.first(original) - this.source.behind) - this.lookBehind);
    return { findings: settled.findings, upTo: this.upTo };
  }

  /**
   * Resolves the runs of overlapping candidates that no further candidate can join.
   * @param undecided the start of the undecided part: for all codes (`any`), for the codes that matter (`ofCodes`), and for the latter as
   * an offset of the original text (`upTo`)
   */
  private settle(
    candidates: readonly Waiting<Code>[],
    undecided: { readonly any: number; readonly ofCodes: number; readonly upTo: number },
  ): { findings: Finding<Code>[]; unsettled: Waiting<Code>[] } {
    const findings: Finding<Code>[] = [];
    const unsettled: Waiting<Code>[] = [];
    let blocked = undecided.ofCodes;
    let { upTo } = undecided;
    for (const run of runsOf(candidates)) {
      if (run.end <= undecided.any && run.start < blocked) {
        append(findings, this.resolved(run.list));
        continue;
      }
      append(unsettled, run.list);
      if (!run.list.some(({ code }) => this.codes.has(code))) continue;
      blocked = Math.min(blocked, run.start);
      for (const { original } of run.list) upTo = Math.min(upTo, original.start);
    }
    this.upTo = Math.max(this.upTo, upTo);
    return { findings, unsettled };
  }

  private resolved(run: readonly Waiting<Code>[]): Finding<Code>[] {
    return resolveOverlaps(run)
      .filter(({ code }) => this.codes.has(code) && this.source.codes.has(code))
      .map(({ code, score, original }) => ({ code, score, ...original }));
  }

  /** Drops the text before this offset, which no pattern reads any more; not with every piece, to avoid copying the text each time. */
  private trim(keepFrom: number): void {
    const excess = keepFrom - this.offset;
    if (excess < this.keepBehind) return;
    this.window = ownCopy(this.window.slice(excess));
    this.offset += excess;
  }
}

/** The result of a trial reading of a window, with the mapping to offsets in the whole text. */
interface Tried {
  readonly view: View;
  readonly base: number;
  readonly attempt: number;
  readonly start: number;
}

class View {
  readonly text: string;

  constructor(
    private readonly shadow: Shadow | undefined,
    private readonly original: string,
    private readonly offset: number,
  ) {
    this.text = shadow?.text ?? original;
  }

  /** The undecided part of a complete text: empty. */
  get nothing(): { readonly attempt: number; readonly start: number } {
    return { attempt: this.text.length, start: this.text.length };
  }

  /** Maps an offset of the view to the original text. */
  place(place: number): number {
    const inside = Math.max(0, place);
    if (inside >= this.text.length) return this.offset + this.original.length;
    return this.offset + (this.shadow?.original(inside, inside + 1).start ?? inside);
  }

  range(start: number, end: number): { readonly start: number; readonly end: number } {
    const range = this.shadow?.original(start, end) ?? { start, end };
    return { start: this.offset + range.start, end: this.offset + range.end };
  }

  /** The first offset of the view that corresponds to this or a later offset of the original text. */
  first(place: number): number {
    const wanted = Math.max(0, place - this.offset);
    if (this.shadow === undefined) return Math.min(wanted, this.text.length);
    let low = 0;
    let high = this.text.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.shadow.original(middle, middle + 1).start < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function moved<Code extends string>(candidate: Candidate<Code>, by: number): Candidate<Code> {
  const { start, end, at } = candidate;
  return { ...candidate, start: start + by, end: end + by, at: at + by };
}

interface Run<Code extends string> {
  readonly start: number;
  readonly end: number;
  readonly list: Waiting<Code>[];
}

/** Groups candidates into runs of overlapping ones, the same way as `resolveOverlaps`. */
function runsOf<Code extends string>(candidates: readonly Waiting<Code>[]): Run<Code>[] {
  const sorted = [...candidates].sort((a, b) => a.start - b.start || a.end - b.end);
  const runs: { start: number; end: number; list: Waiting<Code>[] }[] = [];
  for (const candidate of sorted) {
    const last = runs.at(-1);
    if (last !== undefined && candidate.start < last.end) {
      last.end = Math.max(last.end, candidate.end);
      last.list.push(candidate);
    } else {
      runs.push({ start: candidate.start, end: candidate.end, list: [candidate] });
    }
  }
  return runs;
}
