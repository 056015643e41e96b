import { CliError, EXIT } from '../exit-code.js';

/**
 * Adds the id of the work to the error of a command that waits for work of the server, because the work continues after the command has
 * ended. Errors of wrong usage are unchanged, because no work has begun, and so are errors that already contain the id.
 *
 * @param next the end of the message: the state of the work, and the command that shows it
 */
export function namingWork(error: unknown, id: string, next: string): Error {
  if (!(error instanceof CliError)) return error instanceof Error ? error : new Error(String(error));
  if (error.exit === EXIT.usage || error.message.includes(id)) return error;
  return new CliError(error.exit, `${error.message}; ${next}`);
}
