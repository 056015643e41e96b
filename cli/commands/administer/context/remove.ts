import { z } from 'zod';
import { readConfig, writeConfig, type CliConfig } from '../../../api/config-file.js';
import { CONTEXT_ARGUMENT, unknownContext } from '../../../api/context-name.js';
import { defineCommand } from '../../../command.js';
import { confirm, CONFIRM_OPTION } from '../../../deploy/ask.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), removed: z.string() });

/** `weir context remove`: removes a saved server and its token. */
export const contextRemove = defineCommand({
  usage: 'remove <name>',
  summary: 'Remove a saved server',
  positionals: {
    ...CONTEXT_ARGUMENT,
  },
  options: {
    ...CONFIRM_OPTION,
  },
  output: OUTPUT,

  async run(args, { io }) {
    const { current, contexts } = await readConfig(io.env);
    const context = Object.hasOwn(contexts, args.name) ? contexts[args.name] : undefined;
    if (context === undefined) throw unknownContext();
    // Only a saved token needs a confirmation: a URL can be typed again, but a deleted token cannot be recovered.
    if (context.token !== undefined) {
      await confirm(args, `the context ${args.name} is removed with its token`, args.name, io);
    }
    const { [args.name]: _removed, ...rest } = contexts;
    const next: CliConfig = { contexts: rest, ...(current === undefined || current === args.name ? {} : { current }) };
    await writeConfig(io.env, next);
    if (args.json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, removed: args.name })}\n`);
    return { exit: EXIT.ok, words: `the context ${args.name} is removed` };
  },
});
