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

/** One text of an answer that is being streamed: what has come of it, and how much of it may leave. */
export class GuardedChannel {
  text = '';
  closed = false;
  /** Up to here everything is decided and `edits` are complete. */
  limit = 0;
  /** What is replaced before `limit`; sorted, without overlaps. */
  edits: TextEdit[] = [];
  /** Those that rules may mask and that are not decided; by start. */
  findings: LocatedFinding[] = [];
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
    this.restorer = tokens.size === 0 ? undefined : new TokenScanner(tokens, 'text');
  }

  get segment(): Segment {
    const { path, role, key } = this.channel;
    return { path, role, text: this.text, ref: this.index, ...(key === undefined ? {} : { key }) };
  }

  /** @returns findings that are sure now */
  push(piece: string): LocatedFinding[] {
    this.text += piece;
    return this.take((stream) => stream.push(piece));
  }

  /** The text is complete. */
  close(): LocatedFinding[] {
    if (this.closed) return [];
    this.closed = true;
    return this.take((stream) => stream.end());
  }

  /** How far the text is known: what detectors still wait for, and tokens that may be complete soon, lie behind it. */
  settledUpTo(): number {
    const scanned = this.scanners
      .filter(({ key }) => !this.failed.has(key))
      .reduce((least, { upTo }) => Math.min(least, upTo), this.text.length);
    if (this.restorer === undefined) return scanned;
    const { edits, end } = this.restorer.scan(this.text.slice(this.restoredUpTo), this.closed);
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
    const restored = this.restoring.filter(
      ({ start, end }) => end <= limit && masks.every((mask) => mask.end <= start || mask.start >= end),
    );
    this.restoring = this.restoring.filter(({ end }) => end > limit);
    this.edits.push(...[...masks, ...restored].sort((a, b) => a.start - b.start));
    this.findings = this.findings.filter(({ start }) => start >= limit);
    this.limit = Math.max(this.limit, limit);
  }

  /** The text before this has left. */
  forget(left: number): void {
    if (this.edits.length > 0) this.edits = this.edits.filter(({ end }) => end > left);
  }

  /** Whether nothing is left to decide. */
  get isDone(): boolean {
    return this.closed && this.limit >= this.text.length;
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
        found.push(...findings.map((finding) => ({ ...finding, detector: scanner.key, segment: this.index })));
      } catch {
        // The error's message may quote the text: it is dropped, the outcome says which detector failed.
        this.failed.add(scanner.key);
      }
    }
    if (found.length > 0) this.findings = [...this.findings, ...found].sort((a, b) => a.start - b.start);
    return found;
  }
}
