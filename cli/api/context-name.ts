import type { Argv } from 'yargs';
import { usageError, type CliError } from '../exit-code.js';
import type { GlobalArgs } from '../command.js';

/** What commands about one context take. */
export interface ContextNameArgs extends GlobalArgs {
  readonly name: string;
}

export function contextName(parser: Argv<GlobalArgs>): Argv<ContextNameArgs> {
  return parser.positional('name', {
    type: 'string',
    demandOption: true,
    describe: 'Name shown by `weir context list`',
  }) as unknown as Argv<ContextNameArgs>;
}

export function unknownContext(): CliError {
  return usageError('there is no context of this name. See: weir context list');
}
