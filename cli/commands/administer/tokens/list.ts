import type { z } from 'zod';
import { TOKEN } from '../../../access/answers.js';
import { endText } from '../../../access/key-table.js';
import { Management } from '../../../access/management.js';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand } from '../../../command.js';
import { columns } from '../../../output/columns.js';
import { entryList } from '../../../output/entry-list.js';
import { environmentFlag, environmentIn, environmentWord, LIMIT_OPTION, limited } from '../../../vocabulary.js';

const TOKENS = entryList('token', TOKEN);

/** `weir tokens list`: lists management tokens with their scopes. */
export const tokensList = defineCommand({
  usage: 'list [environment]',
  summary: 'List tokens',
  positionals: environmentWord('lists only tokens with access to it; default: all'),
  options: {
    ...SERVER_OPTIONS,
    ...environmentFlag('lists only tokens with access to it; default: all'),
    ...LIMIT_OPTION,
  },
  output: TOKENS.output,

  async run(args, { io }) {
    const environment = environmentIn(args);
    const found = (await (await Management.of(args, io)).tokens()).filter(
      (token) => environment === undefined || token.environment === null || token.environment === environment,
    );
    return TOKENS.print(limited(found, args), args, io, tokenTable);
  },
});

function tokenTable(tokens: readonly z.infer<typeof TOKEN>[]): string {
  const nowMs = Date.now();
  return columns(
    ['ID', 'NAME', 'ENVIRONMENT', 'LAST USED', 'EXPIRES', 'SCOPES'],
    tokens.map((token) => [
      token.id,
      token.name,
      token.environment ?? 'all',
      token.last_used_at?.slice(0, 16) ?? 'never',
      endText(token.expires_at, nowMs),
      token.scopes.join(' '),
    ]),
  );
}
