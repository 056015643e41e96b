import type { Argv } from 'yargs';
import { ENVIRONMENTS, type Environment } from '../../src/core/index.js';
import type { ServerFlags } from '../api/index.js';
import { serverOptions } from '../api/index.js';
import type { GlobalArgs } from '../command.js';
import { usageError } from '../exit-code.js';
import { policiesOption, type PoliciesArgs } from '../input/compiled-project.js';

export interface EnvironmentArgs extends GlobalArgs, ServerFlags {
  readonly environment: string;
}

export type ProjectServerArgs = EnvironmentArgs & PoliciesArgs;

/** The environment as the first word, and the server. */
export function environmentOptions(parser: Argv<GlobalArgs>): Argv<EnvironmentArgs> {
  return serverOptions(parser).positional('environment', {
    type: 'string',
    demandOption: true,
    describe: ENVIRONMENTS.join(', '),
  }) as unknown as Argv<EnvironmentArgs>;
}

/** The same with a policies folder. */
export function projectServerOptions(parser: Argv<GlobalArgs>): Argv<ProjectServerArgs> {
  return policiesOption(environmentOptions(parser)) as unknown as Argv<ProjectServerArgs>;
}

/** @throws CliError (exit 2) */
export function environmentOf(name: string): Environment {
  const found = ENVIRONMENTS.find((known) => known === name);
  if (found === undefined) throw usageError(`there is no environment "${name}"; there are: ${ENVIRONMENTS.join(', ')}`);
  return found;
}
