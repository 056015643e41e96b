import type { Argv } from 'yargs';
import { z } from 'zod';
import { readConfig, writeConfig } from '../api/config-file.js';
import type { Command, GlobalArgs } from '../command.js';
import { EXIT, usageError } from '../exit-code.js';
import { write } from '../io.js';

interface ContextUseArgs extends GlobalArgs {
  readonly name: string;
}

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), current: z.string() });

/** `weir context use`: the server that commands talk to from now on. */
export const contextUse: Command<ContextUseArgs> = {
  output: OUTPUT,

  build(parser) {
    return parser.positional('name', {
      type: 'string',
      demandOption: true,
      describe: 'A name of weir context list',
    }) as unknown as Argv<ContextUseArgs>;
  },

  async run(args, { io }) {
    const config = await readConfig(io.env);
    const context = Object.hasOwn(config.contexts, args.name) ? config.contexts[args.name] : undefined;
    if (context === undefined) throw usageError('there is no context of this name. See: weir context list');
    await writeConfig(io.env, { ...config, current: args.name });
    if (args.json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, current: args.name })}\n`);
    return { exit: EXIT.ok, words: `commands talk to ${context.url} now` };
  },
};
