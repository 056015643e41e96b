import type { OpenStream, Reach, Scan, ScanStream, Settled, TextHint } from './detector.js';
import type { Finding } from '../model/finding.js';
import { ownCopy } from './engine/own-copy.js';

/** The text is read again after it has grown by this share of the reach, so that the total work is proportional to its length. */
const GROWTH = 1 / 8;

/**
 * Derives a streamed scan from a scan and its detector's reach: a finding is final once so much text follows its start that further
 * text cannot change it. Undefined for a detector that needs the whole text.
 */
export function streamByReach(scan: Scan, reach: Reach): OpenStream | undefined {
  if (reach === 'whole_text') return undefined;
  return (hint, codes) => new ReachStream(scan, reach, hint, codes);
}

class ReachStream implements ScanStream {
  private window = '';
  private offset = 0;
  private upTo = 0;
  private readLength = 0;

  constructor(
    private readonly scan: Scan,
    private readonly reach: Exclude<Reach, 'whole_text'>,
    private readonly hint: TextHint | undefined,
    private readonly codes: ReadonlySet<string>,
  ) {}

  push(piece: string): Settled {
    this.window += piece;
    const total = this.offset + this.window.length;
    if (total - this.readLength < this.reach.ahead * GROWTH) return { findings: [], upTo: this.upTo };
    return this.look(total - this.reach.ahead);
  }

  end(): Settled {
    return this.look(this.offset + this.window.length);
  }

  private look(upTo: number): Settled {
    const { offset, window } = this;
    this.readLength = offset + window.length;
    if (upTo <= this.upTo) return { findings: [], upTo: this.upTo };
    const findings = this.scan(window, this.hint)
      .filter(({ code }) => this.codes.has(code))
      .map(({ start, end, ...rest }): Finding => ({ ...rest, start: start + offset, end: end + offset }))
      .filter(({ start }) => start >= this.upTo && start < upTo);
    this.upTo = upTo;
    const excess = upTo - offset - this.reach.behind;
    if (excess > this.reach.behind) {
      this.window = ownCopy(window.slice(excess));
      this.offset += excess;
    }
    return { findings, upTo };
  }
}
