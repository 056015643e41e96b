import { z } from 'zod';
import { readConfig, savedContext, writeConfig } from '../../../api/config-file.js';
import { CONTEXT_ARGUMENT, unknownContext } from '../../../api/context-name.js';
import { defineCommand } from '../../../command.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), current: z.string() });

/** `weir context use`: selects the default server for all commands. */
export const contextUse = defineCommand({
  usage: 'use <name>',
  summary: 'Select the server for later commands',
  positionals: {
    ...CONTEXT_ARGUMENT,
  },
  output: OUTPUT,

  async run(args, { io }) {
    const config = await readConfig(io.env);
    const context = savedContext(config, args.name);
    if (context === undefined) throw unknownContext();
    await writeConfig(io.env, { ...config, current: args.name });
    if (args.json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, current: args.name })}\n`);
    return { exit: EXIT.ok, words: `commands now use ${context.url}` };
  },
});
