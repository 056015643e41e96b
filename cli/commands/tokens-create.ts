import type { Argv } from 'yargs';
import { z } from 'zod';
import { TOKEN_SCOPES } from '../../src/core/index.js';
import { SECRET, TOKEN } from '../access/answers.js';
import { Management } from '../access/management.js';
import { secretOption, secretPlace, type SecretArgs } from '../access/secret-output.js';
import { serverOptions, type ServerFlags } from '../api/index.js';
import type { Command } from '../command.js';
import { environmentOf } from '../deploy/flags.js';
import { EXIT } from '../exit-code.js';
import { spanMs } from '../input/span.js';
import { write } from '../io.js';

interface TokensCreateArgs extends SecretArgs, ServerFlags {
  readonly name: string;
  readonly scope: string;
  readonly env: string | undefined;
  readonly expires: string;
}

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), token: TOKEN, secret: SECRET });

/** `weir tokens create`: makes a management token; its secret is shown once. */
export const tokensCreate: Command<TokensCreateArgs> = {
  output: OUTPUT,

  build(parser) {
    return secretOption(serverOptions(parser))
      .option('name', { type: 'string', requiresArg: true, demandOption: true, describe: 'Display name of the token' })
      .option('scope', {
        type: 'string',
        requiresArg: true,
        demandOption: true,
        describe: `With commas between them: ${TOKEN_SCOPES.join(', ')}`,
      })
      .option('env', { type: 'string', requiresArg: true, describe: 'Restrict the token to this environment' })
      .option('expires', {
        type: 'string',
        requiresArg: true,
        default: '90d',
        describe: 'Lifetime such as 90d, or never',
      })
      .example(
        '$0 tokens create --name ci --scope policy:deploy --env production',
        'what a deploying job needs',
      ) as unknown as Argv<TokensCreateArgs>;
  },

  async run(args, { io }) {
    const environment = args.env === undefined ? undefined : environmentOf(args.env);
    const expiresMs = args.expires === 'never' ? undefined : spanMs(args.expires, '--expires');
    const management = await Management.of(args, io);
    const place = await secretPlace(args, io);
    const { token, secret } = await management.createToken({
      name: args.name,
      scopes: args.scope.split(',').map((scope) => scope.trim()),
      ...(environment === undefined ? {} : { environment }),
      expires_at: expiresMs === undefined ? null : new Date(Date.now() + expiresMs).toISOString(),
    });
    const where = await place.deliver(secret);
    if (args.json) {
      await write(io.stdout, `${JSON.stringify({ schemaVersion: 1, token, secret: place.inJson(secret) })}\n`);
    }
    const end = token.expires_at === null ? 'without an end' : `until ${token.expires_at.slice(0, 10)}`;
    return { exit: EXIT.ok, words: `token ${token.id} is made, ${end}; ${where}` };
  },
};
