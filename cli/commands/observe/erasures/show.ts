import type { z } from 'zod';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand } from '../../../command.js';
import { ErasureClient, ONE_ERASURE } from '../../../erasures/erasure-client.js';
import { erasureText } from '../../../erasures/erasure-text.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';

/** `weir erasures show`: prints the certificate of an erasure. */
export const erasuresShow = defineCommand({
  usage: 'show <id>',
  summary: 'Show the certificate of an erasure',
  positionals: {
    id: { type: 'string', demandOption: true, describe: 'Erasure id' },
  },
  options: {
    ...SERVER_OPTIONS,
  },
  output: ONE_ERASURE,

  async run(args, { io }) {
    const erasure = await (await ErasureClient.of(args, io)).get(args.id);
    const report: z.infer<typeof ONE_ERASURE> = { schemaVersion: 1, erasure };
    await write(io.stdout, args.json ? `${JSON.stringify(report)}\n` : erasureText(erasure));
    return { exit: EXIT.ok, words: `the erasure is ${erasure.state}` };
  },
});
