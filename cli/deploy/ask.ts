/**
 * Deployments from the command line: bundles, plans, confirmation, and waiting for replicas. The service decides
 * whether a deployment is accepted.
 */
import { Writable } from 'node:stream';
import { createInterface } from 'node:readline/promises';
import type { ArgsOf } from '../command.js';
import { CliError, EXIT, usageError } from '../exit-code.js';
import type { Io } from '../io.js';

/** The flag of commands that ask for confirmation before they delete something. */
export const CONFIRM_OPTION = {
  yes: { alias: 'y', type: 'boolean', default: false, describe: 'Skip the confirmation' },
} as const;

type ConfirmArgs = ArgsOf<typeof CONFIRM_OPTION>;

/**
 * Asks for a typed word as confirmation, unless `--yes` is given.
 *
 * @param consequence the effect of the command, as a sentence without its full stop
 * @throws CliError exit 2 without a terminal; with one, the errors of `askForWord`
 */
export async function confirm({ yes }: ConfirmArgs, consequence: string, word: string, io: Io): Promise<void> {
  if (yes) return;
  if (!canAsk(io)) throw usageError(`${consequence}: use --yes to confirm`);
  await askForWord(`${consequence}.`, word, io);
}

/** Whether a terminal is available for questions. */
export function canAsk({ stdin, stderr }: Io): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/**
 * Asks for a password on the terminal, without echoing it.
 *
 * @throws CliError (130) when it is interrupted
 */
export async function askForPassword(question: string, io: Io): Promise<string> {
  io.stderr.write(question);
  const silent = new Writable({ write: (_part, _encoding, done) => done() });
  const lines = createInterface({ input: io.stdin, output: silent, terminal: true });
  try {
    return await lines.question('', { signal: io.signal });
  } catch {
    throw new CliError(EXIT.interrupted, 'interrupted');
  } finally {
    lines.close();
    io.stderr.write('\n');
  }
}

/**
 * Asks on the terminal to type a word, as a protection against mistakes.
 *
 * @throws CliError exit 1 for any other answer, 130 when it is interrupted
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
