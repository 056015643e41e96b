import { usageError, type CliError } from '../exit-code.js';

/** The word that says which saved server a command is about. */
export const CONTEXT_ARGUMENT = {
  name: { type: 'string', demandOption: true, describe: 'Name shown by `weir context list`' },
} as const;

export function unknownContext(): CliError {
  return usageError('there is no context of this name. See: weir context list');
}
