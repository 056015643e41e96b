import { CliError, EXIT } from '../exit-code.js';
import { write, type Io } from '../io.js';

/**
 * Runs work that would leave a part of a database on the disk if it were cut off. An interruption does not stop it: stderr then says that
 * it continues, and a second interruption ends the process. The command must have `endsInOrder`.
 *
 * @param what names the work, at the start of a sentence
 */
export async function runUninterruptible<Result>(what: string, io: Io, work: () => Promise<Result>): Promise<Result> {
  io.signal.throwIfAborted();
  const words = `${what} continues, so that no unfinished files are left; a second interruption ends it immediately\n`;
  const interrupted = (): void => void write(io.stderr, words).catch(() => undefined);
  io.signal.addEventListener('abort', interrupted, { once: true });
  try {
    return await work();
  } catch (error) {
    if (!io.signal.aborted || !(error instanceof CliError)) throw error;
    throw new CliError(EXIT.interrupted, `interrupted; ${error.message}`);
  } finally {
    io.signal.removeEventListener('abort', interrupted);
  }
}
