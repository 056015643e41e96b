import { createInterface } from 'node:readline/promises';
import { CliError, EXIT } from '../exit-code.js';
import type { Io } from '../io.js';

/** Whether there is somebody to ask. */
export function canAsk({ stdin, stderr }: Io): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/**
 * Asks for a word on the terminal.
 *
 * @throws CliError (exit 1) for any other answer, so that nothing happens by a slip; 130 when it is interrupted
 */
export async function askForWord(question: string, word: string, io: Io): Promise<void> {
  const lines = createInterface({ input: io.stdin, output: io.stderr });
  try {
    const answer = await lines.question(`${question} Type "${word}": `, { signal: io.signal });
    if (answer.trim() !== word) throw new CliError(EXIT.findings, 'not confirmed; nothing was changed');
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(EXIT.interrupted, 'interrupted; nothing was changed');
  } finally {
    lines.close();
  }
}
