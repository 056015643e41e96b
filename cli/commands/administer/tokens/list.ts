import { z } from 'zod';
import { TOKEN } from '../../../access/answers.js';
import { endText } from '../../../access/key-table.js';
import { Management } from '../../../access/management.js';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand } from '../../../command.js';
import { EXIT } from '../../../exit-code.js';
import { write } from '../../../io.js';
import { columns } from '../../../output/columns.js';
import { plural } from '../../../output/plural.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), tokens: z.array(TOKEN) });

/** `weir tokens list`: which management tokens there are and what they may do. */
export const tokensList = defineCommand({
  usage: 'list',
  summary: 'List tokens',
  options: {
    ...SERVER_OPTIONS,
  },
  output: OUTPUT,

  async run(args, { io }) {
    const tokens = await (await Management.of(args, io)).tokens();
    const rows = tokens.map((token) => [
      token.id,
      token.name,
      token.environment ?? 'all',
      token.last_used_at?.slice(0, 16) ?? 'never',
      endText(token.expires_at, Date.now()),
      token.scopes.join(' '),
    ]);
    const table = columns(['ID', 'NAME', 'ENVIRONMENT', 'LAST USED', 'EXPIRES', 'SCOPES'], rows);
    await write(io.stdout, args.json ? `${JSON.stringify({ schemaVersion: 1, tokens })}\n` : table);
    return { exit: EXIT.ok, words: plural(tokens.length, 'token') };
  },
});
