import type { Argv } from 'yargs';
import { z } from 'zod';
import { readConfig, writeConfig, type CliConfig } from '../api/config-file.js';
import type { Command, GlobalArgs } from '../command.js';
import { EXIT, usageError } from '../exit-code.js';
import { write } from '../io.js';

interface ContextRemoveArgs extends GlobalArgs {
  readonly name: string;
}

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), removed: z.string() });

/** `weir context remove`: forgets a server and its token. */
export const contextRemove: Command<ContextRemoveArgs> = {
  output: OUTPUT,

  build(parser) {
    return parser.positional('name', {
      type: 'string',
      demandOption: true,
      describe: 'A name of weir context list',
    }) as unknown as Argv<ContextRemoveArgs>;
  },

  async run(args, { io }) {
    const { current, contexts } = await readConfig(io.env);
    if (!Object.hasOwn(contexts, args.name))
      throw usageError('there is no context of this name. See: weir context list');
    const { [args.name]: _removed, ...rest } = contexts;
    const next: CliConfig = { contexts: rest, ...(current === undefined || current === args.name ? {} : { current }) };
    await writeConfig(io.env, next);
    if (args.json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, removed: args.name })}\n`);
    return { exit: EXIT.ok, words: `the context ${args.name} is forgotten` };
  },
};
