import pino, { type DestinationStream } from 'pino';

/** The maximum delay of a line. */
const LATEST_MS = 20;
/** As much is written at once, whatever the time: a pipe of Docker's takes no more in one piece. */
const PIECE_BYTES = 16_000;
/** What waits for a reader at most; lines beyond are left out, and counted. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
/** pino's number of the level from which on a line goes out at once. */
const WARN = 40;

export interface LateLinesOptions {
  /** A file descriptor or the path of a file. Default: standard output. */
  readonly dest?: number | string;
  readonly latestMs?: number;
  readonly maxWaitingBytes?: number;
  /** Told how many lines were left out, when there is room again. */
  readonly onLeftOut?: (lines: number) => void;
}

/**
 * Log lines that are written together, beside the calls that they tell of: a write for each call costs as much as judging
 * it by the rules, and a reader that stalls would stop the service. Warnings and errors go out at once; the end of the
 * process waits for all of them. A process that is killed loses the lines of its last instant; one
 * that ends by an error may write its last two pieces in the wrong order.
 */
export class LateLines implements DestinationStream {
  /** Asks pino to say the level of each line before it is written. */
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
    // It writes what is left when the process ends.
    this.out = pino.destination({ dest, sync: false, minLength: PIECE_BYTES, maxLength: maxWaitingBytes });
    this.out.on('write', (bytes: number) => void (this.waitingBytes -= bytes));
    this.out.on('drop', (line: string) => {
      this.waitingBytes -= Buffer.byteLength(line);
      this.leftOut += 1;
    });
    // A full disk is tried again with the next lines; a reader that is gone does not come back.
    this.out.on('error', ({ code }: NodeJS.ErrnoException) => void (this.isBroken ||= code === 'EPIPE'));
  }

  write(line: string): void {
    if (this.isBroken) return;
    this.waitingBytes += Buffer.byteLength(line);
    this.out.write(line);
    if (this.lastLevel >= WARN) this.out.flush();
    this.timer ??= setTimeout(this.writeWaiting, this.latestMs).unref();
  }

  /** Asked by pino before a fatal error ends the process. */
  flushSync(): void {
    this.out.flushSync();
  }

  private readonly writeWaiting = (): void => {
    this.timer = undefined;
    if (this.isBroken) return;
    if (this.waitingBytes <= 0) return this.tellLeftOut();
    this.out.flush();
    // A write that is under way takes none of the later lines with it: they are looked for again.
    this.timer = setTimeout(this.writeWaiting, this.latestMs).unref();
  };

  private tellLeftOut(): void {
    const lines = this.leftOut;
    this.leftOut = 0;
    if (lines > 0) this.onLeftOut(lines);
  }
}
