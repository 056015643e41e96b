import type { Readable, Writable } from 'node:stream';
import { cannotWrite } from './named-files.js';

/** A stream that may be a terminal. */
export type MaybeTerminal<Stream> = Stream & { readonly isTTY?: boolean };

/** All access of a command to its process: streams, environment, time and signal. Tests pass their own. */
export interface Io {
  readonly stdin: MaybeTerminal<Readable>;
  readonly stdout: MaybeTerminal<Writable>;
  readonly stderr: MaybeTerminal<Writable>;
  /** Variables are read by exact name only, never by prefix. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The value of `--config`: the project file, if it is not `weir.config.yaml` in the policies folder. */
  readonly projectFile?: string | undefined;
  /** The token of `--token-file -`: stdin can be read only once, but a command may open several connections. */
  readonly stdinToken?: { read?: Promise<string> };
  /** Monotonic milliseconds. */
  nowMs(): number;
  /** Aborted by Ctrl-C, SIGTERM and SIGHUP. */
  readonly signal: AbortSignal;
}

/** The reader of the output closed the pipe, as `| head` does. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}

/** Error codes of a pipe without a reader, and of a stream that was closed here. */
const CLOSED: ReadonlySet<string> = new Set(['EPIPE', 'ERR_STREAM_DESTROYED']);

/**
 * Writes and waits for the stream to drain, so that a slow reader does not fill the memory (backpressure).
 *
 * @throws OutputClosed if the reader has closed the stream; CliError (exit 2) if the output cannot be written, as on a full disk
 */
export async function write(stream: Writable, text: string | Uint8Array): Promise<void> {
  if (stream.destroyed || stream.errored !== null) throw notWritten(stream.errored);
  if (stream.write(text)) return;
  await new Promise<void>((resolve, reject) => {
    const failed = (error: Error): void => settle(() => reject(notWritten(error)));
    const closed = (): void => settle(() => reject(notWritten(stream.errored)));
    const drained = (): void => settle(resolve);
    const settle = (then: () => void): void => {
      stream.off('drain', drained).off('close', closed).off('error', failed);
      then();
    };
    stream.on('drain', drained).on('close', closed).on('error', failed);
  });
}

/**
 * Writes as `write` does, and waits until the text has left this process: for text that cannot be written a second time.
 *
 * @throws the errors of `write`
 */
export async function writeThrough(stream: Writable, text: string): Promise<void> {
  if (stream.destroyed || stream.errored !== null) throw notWritten(stream.errored);
  await new Promise<void>((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => reject(notWritten(error));
    // The error is also an event, which would crash a process without a listener.
    stream.once('error', failed);
    stream.write(text, (error) => {
      if (error instanceof Error) failed(error);
      else {
        stream.off('error', failed);
        resolve();
      }
    });
  });
}

function notWritten(error: NodeJS.ErrnoException | null): Error {
  return error === null || CLOSED.has(error.code ?? '') ? new OutputClosed() : cannotWrite('the output', error);
}
