import { ENVIRONMENTS, type Environment } from '../../src/core/index.js';
import type { SERVER_OPTIONS } from '../api/index.js';
import { textOption, type CommandArgs } from '../command.js';
import { usageError } from '../exit-code.js';
import type { POLICIES_OPTION } from '../input/compiled-project.js';
import { DEFAULT_WAIT_SECONDS } from './settle.js';

/** The word that names an environment. */
export const ENVIRONMENT_ARGUMENT = {
  environment: { type: 'string', demandOption: true, describe: ENVIRONMENTS.join(', ') },
} as const;

export type ProjectServerArgs = CommandArgs<
  typeof SERVER_OPTIONS & typeof POLICIES_OPTION,
  typeof ENVIRONMENT_ARGUMENT
>;

/** The flags of everything that deploys. */
export const DEPLOY_OPTIONS = {
  yes: { alias: 'y', type: 'boolean', default: false, describe: 'Skip the confirmation' },
  wait: {
    type: 'number',
    requiresArg: true,
    describe: `Seconds to wait for the replicas; default ${DEFAULT_WAIT_SECONDS}`,
  },
  because: textOption('Reason, kept in the history'),
  'discard-emergency': {
    type: 'boolean',
    default: false,
    describe: 'Overwrite a change that was made on the server and is not in the sources',
  },
} as const;

/** @throws CliError (exit 2) */
export function environmentOf(name: string): Environment {
  const found = ENVIRONMENTS.find((known) => known === name);
  if (found === undefined) throw usageError(`there is no environment "${name}"; there are: ${ENVIRONMENTS.join(', ')}`);
  return found;
}
