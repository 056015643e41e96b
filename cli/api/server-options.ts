import type { Argv } from 'yargs';
import type { GlobalArgs } from '../command.js';
import type { ServerFlags } from './connection.js';

/** Adds the flags that say which server to talk to, and as whom. */
export function serverOptions<Args extends GlobalArgs>(parser: Argv<Args>): Argv<Args & ServerFlags> {
  return parser
    .option('url', { type: 'string', requiresArg: true, describe: 'Server URL; default: WEIR_URL, then the context' })
    .option('token-file', {
      alias: 'api-key-file',
      type: 'string',
      requiresArg: true,
      describe: 'File with the management token, - for stdin; default: WEIR_TOKEN, then the context',
    })
    .option('context', {
      type: 'string',
      requiresArg: true,
      describe: 'Saved server, as shown by `weir context list`',
    }) as unknown as Argv<Args & ServerFlags>;
}
