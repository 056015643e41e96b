import { CliError, EXIT } from '../exit-code.js';

/**
 * The error of a command that waits for work of the server, with the id of the work: the command ends, and the work does not. Errors of
 * wrong usage began no work, and errors that already name it stay.
 *
 * @param next says what becomes of the work, and which command shows it
 */
export function namingWork(error: unknown, id: string, next: string): Error {
  if (!(error instanceof CliError)) return error instanceof Error ? error : new Error(String(error));
  if (error.exit === EXIT.usage || error.message.includes(id)) return error;
  return new CliError(error.exit, `${error.message}; ${next}`);
}
