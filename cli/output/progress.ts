import type { Io } from '../io.js';

const FIRST_AFTER_MS = 2_000;
const EVERY_MS = 500;

/** A progress line on stderr that is overwritten. It is silent in pipes, under `--quiet`, and for work of less than two seconds. */
export class Progress {
  private readonly startedMs: number;
  private shownMs: number | undefined;
  private texts = 0;
  private bytes = 0;
  private readonly enabled: boolean;

  constructor(
    private readonly io: Io,
    quiet: boolean,
  ) {
    this.startedMs = io.nowMs();
    this.enabled = io.stderr.isTTY === true && !quiet;
  }

  /** Counts one more finished text of this size in UTF-8 bytes. */
  tick(bytes: number): void {
    this.texts++;
    this.bytes += bytes;
    if (!this.enabled) return;
    const nowMs = this.io.nowMs();
    if (nowMs - this.startedMs < FIRST_AFTER_MS || nowMs - (this.shownMs ?? 0) < EVERY_MS) return;
    this.shownMs = nowMs;
    const megabytes = this.bytes / 1e6;
    const perSecond = megabytes / ((nowMs - this.startedMs) / 1_000);
    this.io.stderr.write(
      `\r\u001b[K${this.texts.toLocaleString('en')} texts, ${megabytes.toFixed(1)} MB, ${perSecond.toFixed(1)} MB/s`,
    );
  }

  /** Clears the line. */
  done(): void {
    if (this.shownMs !== undefined) this.io.stderr.write('\r\u001b[K');
  }
}
