import type { Readable, Writable } from 'node:stream';

/** Represents a single `-` among the file arguments. */
export const STDIN = 'weir:stdin';

/** A stream that may be a terminal. */
export type MaybeTerminal<Stream> = Stream & { readonly isTTY?: boolean };

/** Everything outside that a command may touch. Tests pass their own. */
export interface Io {
  readonly stdin: MaybeTerminal<Readable>;
  readonly stdout: MaybeTerminal<Writable>;
  readonly stderr: MaybeTerminal<Writable>;
  /** Read by name only; nothing is taken from it by prefix. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** `--config`: the project file, where it is not `weir.config.yaml` in the policies folder. */
  readonly projectFile?: string | undefined;
  /** Monotonic milliseconds. */
  nowMs(): number;
  /** Aborted by Ctrl-C and by SIGTERM. */
  readonly signal: AbortSignal;
}

/** The reader of our output went away, as `| head` does. Not an error of anybody. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}

/**
 * Writes and waits until the stream wants more, so that a slow reader costs no memory.
 *
 * @throws OutputClosed when the other end is closed.
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
