import type { BoundDetector } from '../detection/bind.js';
import type { ScanStream, Settled, TextHint } from '../detection/detector.js';
import type { Finding } from '../model/finding.js';
import type { TextEdit } from '../text/edit.js';
import { TokenScanner, type RestoreContext } from '../redaction/restore.js';

/** Detectors of a stream, with the codes that its rules ask about. */
export type StreamDetectors = readonly { readonly detector: BoundDetector; readonly codes: ReadonlySet<string> }[];

/** What a detector found, by the detector's key in the policy. */
export type DetectorFinding = Finding & { readonly detector: string };

interface Scanner {
  readonly key: string;
  readonly stream: ScanStream;
  upTo: number;
}

/** Reads one growing text by several detectors. */
export class TextScan {
  private readonly scanners: Scanner[];
  private length = 0;

  /** @param failed detectors that have failed: they say nothing more. Added to here */
  constructor(
    detectors: StreamDetectors,
    hint: TextHint,
    private readonly failed: Set<string>,
  ) {
    this.scanners = detectors.flatMap(({ detector, codes }) => {
      const stream = detector.stream?.(hint, codes);
      return stream === undefined ? [] : [{ key: detector.binding.key, stream, upTo: 0 }];
    });
  }

  /** No finding that has not been told yet touches the text before this. */
  get upTo(): number {
    let upTo = this.length;
    for (const scanner of this.scanners) {
      if (scanner.upTo < upTo && !this.failed.has(scanner.key)) ({ upTo } = scanner);
    }
    return upTo;
  }

  /** @returns findings that are sure now */
  push(text: string): DetectorFinding[] {
    this.length += text.length;
    return this.take((stream) => stream.push(text));
  }

  /** The text is complete. */
  end(): DetectorFinding[] {
    return this.take((stream) => stream.end());
  }

  private take(read: (stream: ScanStream) => Settled): DetectorFinding[] {
    const found: DetectorFinding[] = [];
    for (const scanner of this.scanners) {
      if (this.failed.has(scanner.key)) continue;
      try {
        const { findings, upTo } = read(scanner.stream);
        scanner.upTo = upTo;
        for (const finding of findings) found.push({ ...finding, detector: scanner.key });
      } catch {
        // The error's message may quote the text: it is dropped, the outcome says which detector failed.
        this.failed.add(scanner.key);
      }
    }
    return found;
  }
}

/** Finds the tokens in one growing text whose values are put back. */
export class TextRestore {
  /** Up to here it is known what is a token. */
  upTo = 0;
  private pending = '';
  private scanner: TokenScanner | undefined;

  /** @param context `call`: a text of a tool call, which is JSON text if it begins with a bracket, as `withRestored` has it */
  constructor(
    private readonly tokens: ReadonlyMap<string, string>,
    private readonly context: RestoreContext | 'call',
  ) {}

  /** @returns replacements that are sure now, counted from the beginning of the text */
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

function contextOfCall(beginning: string, isLast: boolean): RestoreContext | undefined {
  const first = /\S/.exec(beginning)?.[0];
  if (first === undefined) return isLast ? 'answer' : undefined;
  return first === '{' || first === '[' ? 'json' : 'answer';
}
