import pino, { type DestinationStream } from 'pino';

/** The maximum delay of a line. */
const LATEST_MS = 20;
/** The buffer size that triggers a write at once: Docker's pipe accepts no more in one piece. */
const PIECE_BYTES = 16_000;
/** The maximum size of the buffer; further lines are dropped and counted. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
/** pino's level from which on a line is written at once. */
const WARN = 40;

export interface LateLinesOptions {
  /** A file descriptor or the path of a file. Default: standard output. */
  readonly dest?: number | string;
  readonly latestMs?: number;
  readonly maxWaitingBytes?: number;
  /** Called with the number of dropped lines when there is space again. */
  readonly onLeftOut?: (lines: number) => void;
}

/**
 * Buffers log lines and writes them asynchronously: a write per call would cost as much as evaluating its rules, and a stalled reader would
 * stop the service. Warnings and errors are written at once; the exit of the process waits for all lines. A killed process loses its last
 * lines; a process that ends because of an error may write its last two pieces in the wrong order.
 */
export class LateLines implements DestinationStream {
  /** Makes pino set `lastLevel` before each line is written. */
  readonly [pino.symbols.needsMetadataGsym] = true;
  lastLevel = 0;

  private readonly out: ReturnType<typeof pino.destination>;
  private readonly latestMs: number;
  private readonly onLeftOut: (lines: number) => void;
  private waitingBytes = 0;
  private leftOut = 0;
  private isBroken = false;
  private timer: NodeJS.Timeout | undefined;

  constructor({
    dest = 1,
    latestMs = LATEST_MS,
    maxWaitingBytes = MAX_WAITING_BYTES,
    onLeftOut = () => undefined,
  }: LateLinesOptions = {}) {
    this.latestMs = latestMs;
    this.onLeftOut = onLeftOut;
    // This destination writes the remaining lines when the process ends.
    this.out = pino.destination({ dest, sync: false, minLength: PIECE_BYTES, maxLength: maxWaitingBytes });
    this.out.on('write', (bytes: number) => void (this.waitingBytes -= bytes));
    this.out.on('drop', (line: string) => {
      this.waitingBytes -= Buffer.byteLength(line);
      this.leftOut += 1;
    });
    // After a full disk, the next lines are a retry; a reader that is gone (EPIPE) does not come back.
    this.out.on('error', ({ code }: NodeJS.ErrnoException) => void (this.isBroken ||= code === 'EPIPE'));
  }

  write(line: string): void {
    if (this.isBroken) return;
    this.waitingBytes += Buffer.byteLength(line);
    this.out.write(line);
    if (this.lastLevel >= WARN) this.out.flush();
    this.timer ??= setTimeout(this.writeWaiting, this.latestMs).unref();
  }

  /** Called by pino before a fatal error ends the process. */
  flushSync(): void {
    this.out.flushSync();
  }

  private readonly writeWaiting = (): void => {
    this.timer = undefined;
    if (this.isBroken) return;
    if (this.waitingBytes <= 0) return this.tellLeftOut();
    this.out.flush();
    // A write in flight does not include later lines, so the timer checks again.
    this.timer = setTimeout(this.writeWaiting, this.latestMs).unref();
  };

  private tellLeftOut(): void {
    const lines = this.leftOut;
    this.leftOut = 0;
    if (lines > 0) this.onLeftOut(lines);
  }
}
