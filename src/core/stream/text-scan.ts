import type { BoundDetector } from '../detection/bind.js';
import type { ScanStream, Settled, TextHint } from '../detection/detector.js';
import { SharedReading } from '../detection/engine/shared-reading.js';
import type { Finding } from '../model/finding.js';
import type { TextEdit } from '../text/edit.js';
import { contextOfCall, TokenScanner, type KnownTokens, type RestoreContext } from '../redaction/restore.js';

/** Detectors of a stream, with the codes that its rules read. */
export type StreamDetectors = readonly { readonly detector: BoundDetector; readonly codes: ReadonlySet<string> }[];

/** The findings of a detector, by the detector's key in the policy. */
export type DetectorFinding = Finding & { readonly detector: string };

interface Scanner {
  readonly key: string;
  readonly stream: ScanStream;
  upTo: number;
}

/** Reads one growing text by several detectors. */
export class TextScan {
  /** The scanners, created with the first piece: a text that arrives complete needs none. */
  private scanners: readonly Scanner[] = [];
  private length = 0;

  /** @param failed detectors that have failed: they report no more findings. This class adds to it */
  constructor(
    private readonly detectors: StreamDetectors,
    private readonly hint: TextHint,
    private readonly failed: Set<string>,
  ) {}

  /** Whether no part of the text has arrived. */
  get isUnread(): boolean {
    return this.length === 0;
  }

  /** Unreported findings do not touch the text before this position. */
  get upTo(): number {
    let upTo = this.length;
    for (const scanner of this.scanners) {
      if (scanner.upTo < upTo && !this.failed.has(scanner.key)) ({ upTo } = scanner);
    }
    return upTo;
  }

  /** @returns findings that are now certain */
  push(text: string): DetectorFinding[] {
    if (this.isUnread) this.scanners = this.begin();
    this.length += text.length;
    return this.take((stream) => stream.push(text));
  }

  /** Called when the text is complete. */
  end(): DetectorFinding[] {
    return this.take((stream) => stream.end());
  }

  /**
   * Scans an unread text that is complete. The findings are those of `push` and `end`, but possible continuations need not be determined.
   */
  whole(text: string): DetectorFinding[] {
    this.length = text.length;
    const found: DetectorFinding[] = [];
    const shared = new SharedReading(text);
    for (const { detector, codes } of this.detectors) {
      const { key } = detector.binding;
      if (detector.stream === undefined) continue;
      this.unlessFailed(key, () => {
        for (const finding of detector.scan(text, this.hint, shared))
          if (codes.has(finding.code)) found.push({ ...finding, detector: key });
      });
    }
    return found;
  }

  private begin(): Scanner[] {
    return this.detectors.flatMap(({ detector, codes }) => {
      const stream = detector.stream?.(this.hint, codes);
      return stream === undefined ? [] : [{ key: detector.binding.key, stream, upTo: 0 }];
    });
  }

  private take(read: (stream: ScanStream) => Settled): DetectorFinding[] {
    const found: DetectorFinding[] = [];
    for (const scanner of this.scanners) {
      this.unlessFailed(scanner.key, () => {
        const { findings, upTo } = read(scanner.stream);
        scanner.upTo = upTo;
        for (const finding of findings) found.push({ ...finding, detector: scanner.key });
      });
    }
    return found;
  }

  private unlessFailed(detector: string, read: () => void): void {
    if (this.failed.has(detector)) return;
    try {
      read();
    } catch {
      // The error's message may quote the text, so it is discarded. The outcome names the failed detector.
      this.failed.add(detector);
    }
  }
}

/** Finds the tokens in one growing text whose values are restored. */
export class TextRestore {
  /** The position before which all tokens are known. */
  upTo = 0;
  private pending = '';
  private scanner: TokenScanner | undefined;

  /** @param context `call` for a text of a tool call, which is JSON text if it begins with a bracket, as in `withRestored` */
  constructor(
    private readonly tokens: KnownTokens,
    private readonly context: RestoreContext | 'call',
  ) {}

  /** @returns replacements that are now certain, relative to the beginning of the text */
  push(text: string, isLast: boolean): TextEdit[] {
    this.pending += text;
    if (this.tokens.size === 0) return this.passOver();
    this.scanner ??= this.begin(isLast);
    if (this.scanner === undefined || this.pending === '') return [];
    const { edits, end } = this.scanner.scan(this.pending, isLast);
    const from = this.upTo;
    this.pending = this.pending.slice(end);
    this.upTo += end;
    return edits.map((edit) => ({ ...edit, start: edit.start + from, end: edit.end + from }));
  }

  private passOver(): TextEdit[] {
    this.upTo += this.pending.length;
    this.pending = '';
    return [];
  }

  private begin(isLast: boolean): TokenScanner | undefined {
    const context = this.context === 'call' ? contextOfCall(this.pending, isLast) : this.context;
    return context && new TokenScanner(this.tokens, context);
  }
}
