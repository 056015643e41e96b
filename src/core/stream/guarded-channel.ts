import type { Segment } from '../call/call.js';
import type { BoundDetector } from '../detection/bind.js';
import type { ScanStream, Settled } from '../detection/detector.js';
import type { LocatedFinding } from '../detection/scan.js';
import type { TextEdit } from '../redaction/edit.js';
import { TokenScanner } from '../redaction/restore.js';
import type { Channel } from './channels.js';

interface Scanner {
  readonly key: string;
  readonly stream: ScanStream;
  /** No finding that has not been told yet touches the text before this. */
  upTo: number;
}

/** So much of what is decided is kept that no range is cut inside a character. */
const KEPT_UNITS = 2;

/** One text of an answer that is being streamed: what has come of it, and how much of it may leave. */
export class GuardedChannel {
  closed = false;
  /** What is replaced before `limit`; sorted, without overlaps. */
  edits: TextEdit[] = [];
  /** Those that rules may mask and that are not decided; by start. */
  findings: LocatedFinding[] = [];
  private own = 0;
  private repeated: GuardedChannel | undefined;
  private pending: string[] = [];
  private readonly scanners: Scanner[];
  private readonly restorer: TokenScanner | undefined;
  private restoredUpTo = 0;
  private restoring: TextEdit[] = [];

  /**
   * @param detectors with the codes that matter; none for a text that is judged as a whole
   * @param index of its segment in the judged call
   * @param failed detectors that have failed: they say nothing more, and their rules say what that means. Added to here
   */
  constructor(
    readonly channel: Channel,
    readonly index: number,
    detectors: readonly { readonly detector: BoundDetector; readonly codes: ReadonlySet<string> }[],
    tokens: ReadonlyMap<string, string>,
    private readonly failed: Set<string>,
  ) {
    const hint = { role: channel.role, ...(channel.key === undefined ? {} : { key: channel.key }) };
    this.scanners = detectors.flatMap(({ detector, codes }) => {
      const stream = detector.stream?.(hint, codes);
      return stream === undefined ? [] : [{ key: detector.binding.key, stream, upTo: 0 }];
    });
    this.restorer = tokens.size === 0 ? undefined : new TokenScanner(tokens, 'answer');
  }

  get length(): number {
    return this.channel.content.length;
  }

  /** Up to here everything is decided and `edits` are complete. */
  get limit(): number {
    return this.repeated?.limit ?? this.own;
  }

  /** What is replaced in it, as far as it is decided. */
  get decidedEdits(): readonly TextEdit[] {
    return this.repeated?.decidedEdits ?? this.edits;
  }

  /** What is not decided yet, and a little more, as a segment; and where that begins in the text. */
  get window(): { readonly segment: Segment; readonly from: number } {
    const { path, role, key } = this.channel;
    const { text, from } = this.channel.content.known;
    return { segment: { path, role, text, ref: 0, ...(key === undefined ? {} : { key }) }, from };
  }

  /** The channel has grown. */
  add(text: string): void {
    if (text !== '' && this.scanners.length > 0) this.pending.push(text);
  }

  /** Reads what has been added. @returns findings that are sure now */
  read(): LocatedFinding[] {
    if (this.pending.length === 0) return [];
    const text = this.pending.length === 1 ? this.pending[0]! : this.pending.join('');
    this.pending = [];
    return this.take((stream) => stream.push(text));
  }

  /** The text is complete. */
  close(): LocatedFinding[] {
    if (this.closed) return [];
    const found = this.read();
    this.closed = true;
    return [...found, ...this.take((stream) => stream.end())];
  }

  /** It turned out to be a part of another text: what is decided about that holds for it. */
  becomes(channel: GuardedChannel): void {
    this.closed = true;
    this.repeated = channel;
    this.findings = [];
  }

  /** How far the text is known: what detectors still wait for, and tokens that may be complete soon, lie behind it. */
  settledUpTo(): number {
    let scanned = this.length;
    for (const { key, upTo } of this.scanners) if (upTo < scanned && !this.failed.has(key)) scanned = upTo;
    if (this.restorer === undefined) return scanned;
    const { text, from } = this.channel.content.known;
    const { edits, end } = this.restorer.scan(text.slice(this.restoredUpTo - from), this.closed);
    for (const edit of edits) {
      this.restoring.push({ ...edit, start: edit.start + this.restoredUpTo, end: edit.end + this.restoredUpTo });
    }
    this.restoredUpTo += end;
    return Math.min(scanned, this.restoredUpTo);
  }

  /**
   * Everything before `limit` is decided.
   * @param masks what rules replace there, sorted; a token that one of them touches is not put back
   */
  settle(limit: number, masks: readonly TextEdit[]): void {
    if (masks.length > 0 || this.restoring.length > 0) {
      const restored = this.restoring.filter(
        ({ start, end }) => end <= limit && masks.every((mask) => mask.end <= start || mask.start >= end),
      );
      this.restoring = this.restoring.filter(({ end }) => end > limit);
      this.edits.push(...[...masks, ...restored].sort((a, b) => a.start - b.start));
    }
    if (this.findings.length > 0) this.findings = this.findings.filter(({ start }) => start >= limit);
    this.own = Math.max(this.own, limit);
    if (this.channel.role !== 'tool_call') this.channel.content.forget(this.own - KEPT_UNITS);
  }

  /** Whether nothing is left to decide. */
  get isDone(): boolean {
    return this.closed && this.limit >= this.length;
  }

  /** A token that would be cut by a limit. */
  firstRestoredAcross(limit: number): number {
    return this.restoring.find(({ start, end }) => start < limit && end > limit)?.start ?? limit;
  }

  private take(read: (stream: ScanStream) => Settled): LocatedFinding[] {
    const found: LocatedFinding[] = [];
    for (const scanner of this.scanners) {
      if (this.failed.has(scanner.key)) continue;
      try {
        const { findings, upTo } = read(scanner.stream);
        scanner.upTo = upTo;
        for (const finding of findings) found.push({ ...finding, detector: scanner.key, segment: this.index });
      } catch {
        // The error's message may quote the text: it is dropped, the outcome says which detector failed.
        this.failed.add(scanner.key);
      }
    }
    if (found.length > 0) this.findings = [...this.findings, ...found].sort((a, b) => a.start - b.start);
    return found;
  }
}
