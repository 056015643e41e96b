import type { SERVER_OPTIONS } from '../api/index.js';
import { textOption, type CommandArgs } from '../command.js';
import type { POLICIES_OPTION } from '../input/compiled-project.js';
import { environmentFlag, environmentWord } from '../vocabulary.js';
import { CONFIRM_OPTION } from './ask.js';
import { WAIT_OPTION } from './settle.js';

/** The argument and the flag for the environment of a deployment command. */
export const ENVIRONMENT_ARGUMENT = environmentWord();
export const ENVIRONMENT_FLAG = environmentFlag('the same as the positional argument');

export type ProjectServerArgs = CommandArgs<
  typeof SERVER_OPTIONS & typeof POLICIES_OPTION & typeof ENVIRONMENT_FLAG,
  typeof ENVIRONMENT_ARGUMENT
>;

/** The flag for deploying a bundle file instead of the policies folder. */
export const BUNDLE_OPTION = { bundle: textOption('Bundle file; used instead of the policies folder') } as const;

/** The flag for using the sources of another git revision. */
export const REVISION_OPTION = {
  ref: textOption('Git revision such as origin/main; used instead of the working tree'),
} as const;

/** The flag for accepting a policy without tests. */
export const UNTESTED_OPTION = {
  'allow-untested': { type: 'boolean', default: false, describe: 'Accept a policy that has no tests' },
} as const;

/** The flags of every command that deploys. */
export const DEPLOY_OPTIONS = {
  ...CONFIRM_OPTION,
  ...WAIT_OPTION,
  because: textOption('Reason; kept in the history'),
  'discard-emergency': {
    type: 'boolean',
    default: false,
    describe: 'Overwrite a change that was made on the server and is not in the sources',
  },
} as const;
