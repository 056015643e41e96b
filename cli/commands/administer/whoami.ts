import { z } from 'zod';
import { ACCOUNT } from '../../access/answers.js';
import { Management } from '../../access/management.js';
import { SERVER_OPTIONS } from '../../api/index.js';
import { defineCommand } from '../../command.js';
import { EXIT } from '../../exit-code.js';
import { write } from '../../io.js';

const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  url: z.string(),
  account: ACCOUNT.shape.account,
  token: ACCOUNT.shape.token,
});

/** `weir whoami`: shows the account and the scopes of the token in use. */
export const whoami = defineCommand({
  usage: 'whoami',
  summary: 'Show the owner and the scopes of the current token',
  options: {
    ...SERVER_OPTIONS,
  },
  output: OUTPUT,

  async run(args, { io }) {
    const management = await Management.of(args, io);
    const { account, token } = await management.account();
    const lines = [
      `server       ${management.url}`,
      `account      ${account.email} (${account.subscription})`,
      `token        ${token.id} "${token.name}"`,
      `scopes       ${token.scopes.join(' ')}`,
      `environment  ${token.environment ?? 'all'}`,
      `expires      ${token.expires_at ?? 'never'}`,
    ].map((line) => line.replace(/[\p{Cc}\p{Cf}]/gu, ' '));
    const report = { schemaVersion: 1, url: management.url, account, token };
    await write(io.stdout, args.json ? `${JSON.stringify(report)}\n` : `${lines.join('\n')}\n`);
    return { exit: EXIT.ok, words: 'the token is valid' };
  },
});
