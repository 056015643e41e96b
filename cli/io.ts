import type { Readable, Writable } from 'node:stream';

/** Represents a single `-` among the file arguments. */
export const STDIN = 'weir:stdin';

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
  /** Monotonic milliseconds. */
  nowMs(): number;
  /** Aborted by Ctrl-C and by SIGTERM. */
  readonly signal: AbortSignal;
}

/** The reader of the output closed the pipe, as `| head` does. This is not a failure. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}

/**
 * Writes and waits for the stream to drain, so that a slow reader does not fill the memory (backpressure).
 *
 * @throws OutputClosed if the reader has closed the stream
 */
export async function write(stream: Writable, text: string | Uint8Array): Promise<void> {
  if (stream.destroyed || stream.errored !== null) throw new OutputClosed();
  if (stream.write(text)) return;
  await new Promise<void>((resolve, reject) => {
    const closed = (): void => settle(() => reject(new OutputClosed()));
    const drained = (): void => settle(resolve);
    const settle = (then: () => void): void => {
      stream.off('drain', drained).off('close', closed).off('error', closed);
      then();
    };
    stream.on('drain', drained).on('close', closed).on('error', closed);
  });
}
