import { z } from 'zod';
import { readConfig, savedContext, writeConfig } from '../../api/config-file.js';
import { defineCommand, textOption } from '../../command.js';
import { EXIT, usageError } from '../../exit-code.js';
import { write } from '../../io.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), context: z.string() });

/** `weir logout`: removes the token of a context from this machine. The server stays saved, and the token itself stays valid. */
export const logout = defineCommand({
  usage: 'logout',
  summary: 'Remove the saved token of a server',
  options: {
    context: textOption('Saved server; default: the current one'),
  },
  output: OUTPUT,

  async run(args, { io }) {
    const config = await readConfig(io.env);
    const name = args.context ?? config.current;
    const context = name === undefined ? undefined : savedContext(config, name);
    if (name === undefined || context === undefined)
      throw usageError('there is no such context. See: weir context list');
    await writeConfig(io.env, { ...config, contexts: { ...config.contexts, [name]: { url: context.url } } });
    if (args.json) await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, context: name })}\n`);
    return {
      exit: EXIT.ok,
      words: `the token of ${name} is removed here; to revoke it everywhere: weir tokens delete`,
    };
  },
});
