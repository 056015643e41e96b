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
import {
  andMore,
  environmentFlag,
  environmentIn,
  environmentWord,
  LIMIT_OPTION,
  limited,
} from '../../../vocabulary.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), tokens: z.array(TOKEN), more: z.boolean() });

/** `weir tokens list`: which management tokens there are and what they may do. */
export const tokensList = defineCommand({
  usage: 'list [environment]',
  summary: 'List tokens',
  positionals: environmentWord('those that may act there; default: all'),
  options: {
    ...SERVER_OPTIONS,
    ...environmentFlag('those that may act there; default: all'),
    ...LIMIT_OPTION,
  },
  output: OUTPUT,

  async run(args, { io }) {
    const environment = environmentIn(args);
    const found = (await (await Management.of(args, io)).tokens()).filter(
      (token) => environment === undefined || token.environment === null || token.environment === environment,
    );
    const { rows: tokens, more } = limited(found, args);
    const rows = tokens.map((token) => [
      token.id,
      token.name,
      token.environment ?? 'all',
      token.last_used_at?.slice(0, 16) ?? 'never',
      endText(token.expires_at, Date.now()),
      token.scopes.join(' '),
    ]);
    const table = columns(['ID', 'NAME', 'ENVIRONMENT', 'LAST USED', 'EXPIRES', 'SCOPES'], rows);
    await write(io.stdout, args.json ? `${JSON.stringify({ schemaVersion: 1, tokens, more })}\n` : table);
    return { exit: EXIT.ok, words: `${plural(tokens.length, 'token')}${andMore(more)}` };
  },
});
