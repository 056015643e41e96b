/** The commands `weir tokens …` for management tokens. Their shared code is in cli/access. */
import { z } from 'zod';
import { didYouMean, TOKEN_SCOPES, type TokenScope } from '../../../../src/core/index.js';
import { SECRET, TOKEN } from '../../../access/answers.js';
import { Management } from '../../../access/management.js';
import { deliverSecret, SECRET_OPTION } from '../../../access/secret-output.js';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand } from '../../../command.js';
import { EXIT, usageError } from '../../../exit-code.js';
import { spanMs } from '../../../input/span.js';
import { environmentFlag, environmentIn, environmentWord } from '../../../vocabulary.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), token: TOKEN, secret: SECRET });

/** `weir tokens create`: creates a management token; its secret is shown once. */
export const tokensCreate = defineCommand({
  usage: 'create [environment]',
  summary: 'Create a token; its secret is shown once',
  positionals: environmentWord('the only environment that the token can access; default: all'),
  options: {
    ...SERVER_OPTIONS,
    ...SECRET_OPTION,
    name: { type: 'string', requiresArg: true, demandOption: true, describe: 'Name; shown in lists of tokens' },
    scope: {
      type: 'string',
      requiresArg: true,
      demandOption: true,
      describe: `Scopes of the token, separated by commas: ${TOKEN_SCOPES.join(', ')}`,
    },
    ...environmentFlag('the same as the positional argument'),
    expires: {
      type: 'string',
      requiresArg: true,
      describe:
        'Lifetime such as 90d; never is also accepted; default: 90 days, or until your own token expires if that is earlier',
    },
  },
  examples: [['$0 tokens create --name ci --scope policy:deploy --env production', 'the token of a deployment job']],
  output: OUTPUT,

  async run(args, { io }) {
    const environment = environmentIn(args);
    const scopes = args.scope.split(',').map((scope) => scopeOf(scope.trim()));
    const expires = expiryOf(args.expires);
    const management = await Management.of(args, io);
    const wanted = {
      name: args.name,
      scopes,
      ...(environment === undefined ? {} : { environment }),
      ...(expires === undefined ? {} : { expires_at: expires }),
    };
    const { token, where } = await deliverSecret(args, io, {
      create: () => management.createToken(wanted),
      report: (created, secret) => ({ schemaVersion: 1, token: created.token, secret }),
      deletion: (created) => `weir tokens delete ${created.token.id}`,
    });
    const end = token.expires_at === null ? 'without an expiry' : `valid until ${token.expires_at.slice(0, 10)}`;
    return { exit: EXIT.ok, words: `token ${token.id} is created, ${end}; ${where}` };
  },
});

/** The member `expires_at` of the request; undefined for the default of the server. @throws CliError (exit 2) */
function expiryOf(lifetime: string | undefined): string | null | undefined {
  if (lifetime === undefined) return undefined;
  return lifetime === 'never' ? null : new Date(Date.now() + spanMs(lifetime, '--expires')).toISOString();
}

function scopeOf(name: string): TokenScope {
  const found = TOKEN_SCOPES.find((scope) => scope === name);
  if (found !== undefined) return found;
  const hint = didYouMean(name, TOKEN_SCOPES) ?? `there are: ${TOKEN_SCOPES.join(', ')}`;
  throw usageError(`there is no scope "${name}"; ${hint}`);
}
