import { write, writeSync } from 'node:fs';
import pino, { type DestinationStream } from 'pino';

const STANDARD_OUTPUT = 1;
/** The maximum delay of a line. */
const LATEST_MS = 20;
/** The number of waiting bytes that are written at once. */
const PIECE_BYTES = 16_000;
/** The maximum size of the buffer; further lines are dropped and counted. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
/** pino's level from which on a line is written at once. */
const WARN = 40;
/** The end of the process waits this long for an output that accepts nothing, */
const UNREAD_MS = 1_000;
/** and this long for one that accepts everything slowly. */
const LONGEST_END_MS = 5_000;
const PAUSE_MS = 10;
const NOTHING = Buffer.alloc(0);
/** Nobody changes it: waiting for a change is a pause of the thread. */
const UNCHANGED = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

export interface LogWriterOptions {
  readonly latestMs?: number;
  readonly maxWaitingBytes?: number;
  /** Called with the number of dropped lines when there is space again. */
  readonly onLeftOut?: (lines: number) => void;
}

/** libuv's handle of a pipe or a socket. */
interface PipeHandle {
  setBlocking(isBlocking: boolean): number;
}

/**
 * Buffers log lines for standard output: a write per call would cost as much as evaluating its rules. Warnings and errors are written at
 * once; the exit of the process waits for all lines, as long as the output accepts them. A killed process loses its last lines.
 *
 * No write waits for a reader: writes to a pipe or a socket do not block, and those to a file run in a thread. So a stalled reader can
 * neither stop the service nor keep it from ending.
 */
export class LogWriter implements DestinationStream {
  /** Makes pino set `lastLevel` before each line is written. */
  readonly [pino.symbols.needsMetadataGsym] = true;
  lastLevel = 0;

  private readonly latestMs: number;
  private readonly maxWaitingBytes: number;
  private readonly onLeftOut: (lines: number) => void;
  private readonly pipe = pipeOfStandardOutput();
  /** The unwritten rest of earlier lines, which precedes `lines`. */
  private rest: Buffer = NOTHING;
  private lines = '';
  /** All bytes that are not written yet, including those of a write in progress. */
  private waitingBytes = 0;
  private leftOut = 0;
  private isWriting = false;
  /** The output did not accept everything: only the timer tries again. */
  private isFull = false;
  private isBroken = false;
  private timer: NodeJS.Timeout | undefined;

  constructor({
    latestMs = LATEST_MS,
    maxWaitingBytes = MAX_WAITING_BYTES,
    onLeftOut = () => undefined,
  }: LogWriterOptions = {}) {
    this.latestMs = latestMs;
    this.maxWaitingBytes = maxWaitingBytes;
    this.onLeftOut = onLeftOut;
  }

  write(line: string): void {
    if (this.isBroken) return;
    const bytes = Buffer.byteLength(line);
    if (this.waitingBytes + bytes > this.maxWaitingBytes) {
      this.leftOut += 1;
      return;
    }
    this.lines += line;
    this.waitingBytes += bytes;
    if (this.timer === undefined) {
      this.timer = setTimeout(this.writeWaiting, this.latestMs).unref();
      process.on('exit', this.writeAtExit);
    }
    const isUrgent = this.lastLevel >= WARN || this.waitingBytes >= PIECE_BYTES;
    if (isUrgent && !this.isFull) this.writeSome();
  }

  /**
   * Writes all lines before it returns, unless the output fails or is not read. Called by pino before a fatal error ends the process, and
   * when the process exits: then no callback of a write would be called any more.
   */
  flushSync(): void {
    const startedMs = performance.now();
    let acceptedMs = startedMs;
    for (let bytes = this.takeBytes(); bytes.length > 0; bytes = this.takeBytes()) {
      const { written, error } = this.writeNow(bytes);
      if (error !== null && error.code !== 'EAGAIN') return;
      const nowMs = performance.now();
      if (written > 0) acceptedMs = nowMs;
      else if (nowMs - acceptedMs < UNREAD_MS) Atomics.wait(UNCHANGED, 0, 0, PAUSE_MS);
      else return;
      if (nowMs - startedMs >= LONGEST_END_MS) return;
    }
  }

  private readonly writeAtExit = (): void => this.flushSync();

  private readonly writeWaiting = (): void => {
    this.timer = undefined;
    this.writeSome();
    if (this.waitingBytes > 0) {
      this.timer = setTimeout(this.writeWaiting, this.latestMs).unref();
      return;
    }
    process.off('exit', this.writeAtExit);
    this.reportLeftOut();
  };

  private writeSome(): void {
    if (this.isWriting) return;
    const bytes = this.takeBytes();
    if (bytes.length === 0) return;
    if (this.pipe !== undefined) {
      this.writeNow(bytes);
      return;
    }
    this.isWriting = true;
    write(STANDARD_OUTPUT, bytes, (error, written) => {
      this.isWriting = false;
      this.noteWritten(bytes, written, error);
    });
  }

  /** Writes what the output accepts at once. */
  private writeNow(bytes: Buffer): { readonly written: number; readonly error: NodeJS.ErrnoException | null } {
    let written = 0;
    let error: NodeJS.ErrnoException | null = null;
    try {
      // Processes that inherited the output share this property of it, and may have changed it: libuv makes the output blocking when it
      // starts a child process that inherits it, and Node when such a process exits.
      this.pipe?.setBlocking(false);
      written = writeSync(STANDARD_OUTPUT, bytes);
    } catch (thrown) {
      error = thrown as NodeJS.ErrnoException;
    }
    this.noteWritten(bytes, written, error);
    return { written, error };
  }

  /** The bytes to write next; `noteWritten` puts back those that were not written. */
  private takeBytes(): Buffer {
    const bytes = this.rest.length > 0 ? this.rest : Buffer.from(this.lines);
    if (this.rest.length === 0) this.lines = '';
    this.rest = NOTHING;
    return bytes;
  }

  private noteWritten(bytes: Buffer, written: number, error: NodeJS.ErrnoException | null): void {
    // After a full pipe or disk, the next attempt is a retry; a reader that is gone does not come back.
    this.isBroken ||= error?.code === 'EPIPE';
    if (this.isBroken) {
      this.rest = NOTHING;
      this.lines = '';
      this.waitingBytes = 0;
      return;
    }
    const left = bytes.subarray(written);
    if (left.length > 0) this.rest = this.rest.length === 0 ? left : Buffer.concat([left, this.rest]);
    this.waitingBytes -= written;
    this.isFull = left.length > 0;
  }

  private reportLeftOut(): void {
    const lines = this.leftOut;
    this.leftOut = 0;
    if (lines > 0) this.onLeftOut(lines);
  }
}

/** The handle of standard output if writes to it need not block: that of a pipe or a socket, except on Windows. */
function pipeOfStandardOutput(): PipeHandle | undefined {
  if (process.platform === 'win32') return undefined;
  const { _handle: handle } = process.stdout as unknown as { readonly _handle?: Partial<PipeHandle> | null };
  return typeof handle?.setBlocking === 'function' ? (handle as PipeHandle) : undefined;
}
