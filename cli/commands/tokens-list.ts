import type { Argv } from 'yargs';
import { z } from 'zod';
import { TOKEN } from '../access/answers.js';
import { endText } from '../access/key-table.js';
import { Management } from '../access/management.js';
import { serverOptions, type ServerFlags } from '../api/index.js';
import type { Command, GlobalArgs } from '../command.js';
import { EXIT } from '../exit-code.js';
import { write } from '../io.js';
import { columns } from '../output/columns.js';
import { plural } from '../output/plural.js';

type TokensListArgs = GlobalArgs & ServerFlags;

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), tokens: z.array(TOKEN) });

/** `weir tokens list`: which management tokens there are and what they may do. */
export const tokensList: Command<TokensListArgs> = {
  output: OUTPUT,

  build(parser) {
    return serverOptions(parser) as unknown as Argv<TokensListArgs>;
  },

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
};
