import type { Argv } from 'yargs';
import { z } from 'zod';
import { ACCOUNT } from '../access/answers.js';
import { Management } from '../access/management.js';
import { serverOptions, type ServerFlags } from '../api/index.js';
import type { Command, GlobalArgs } from '../command.js';
import { EXIT } from '../exit-code.js';
import { write } from '../io.js';

type WhoamiArgs = GlobalArgs & ServerFlags;

const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  url: z.string(),
  account: ACCOUNT.shape.account,
  token: ACCOUNT.shape.token,
});

/** `weir whoami`: whose token is in use, and what it may do. */
export const whoami: Command<WhoamiArgs> = {
  output: OUTPUT,

  build(parser) {
    return serverOptions(parser) as unknown as Argv<WhoamiArgs>;
  },

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
    return { exit: EXIT.ok, words: 'the token is good' };
  },
};
