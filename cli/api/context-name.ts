import { usageError, type CliError } from '../exit-code.js';

/** The argument for the name of a saved server. */
export const CONTEXT_ARGUMENT = {
  name: { type: 'string', demandOption: true, describe: 'Name shown by `weir context list`' },
} as const;

export function unknownContext(): CliError {
  return usageError('there is no context of this name. See: weir context list');
}
