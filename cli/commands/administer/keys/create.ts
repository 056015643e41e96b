/** The commands `weir keys …`. Their shared code is in cli/access. */
import { z } from 'zod';
import { KEY, SECRET } from '../../../access/answers.js';
import { Management } from '../../../access/management.js';
import { deliverSecret, SECRET_OPTION } from '../../../access/secret-output.js';
import { SERVER_OPTIONS } from '../../../api/index.js';
import { defineCommand, textOption } from '../../../command.js';
import { ENVIRONMENT_ARGUMENT, ENVIRONMENT_FLAG } from '../../../deploy/flags.js';
import { EXIT } from '../../../exit-code.js';
import { spanMs } from '../../../input/span.js';
import { neededEnvironment } from '../../../vocabulary.js';

const OUTPUT = z.strictObject({ schemaVersion: z.literal(1), key: KEY, secret: SECRET });

/** `weir keys create`: creates an API key; its secret is shown once. */
export const keysCreate = defineCommand({
  usage: 'create [environment]',
  summary: 'Create a key; its secret is shown once',
  positionals: ENVIRONMENT_ARGUMENT,
  options: {
    ...SERVER_OPTIONS,
    ...SECRET_OPTION,
    app: textOption('App id or name; default: the only app'),
    name: { type: 'string', requiresArg: true, demandOption: true, describe: 'Name; shown in lists of keys' },
    ...ENVIRONMENT_FLAG,
    expires: textOption('Lifetime such as 90d; default: never'),
  },
  examples: [['$0 keys create --name ci --env production --out-file key.txt', 'a key in a file of mode 0600']],
  output: OUTPUT,

  async run(args, { io }) {
    const environment = neededEnvironment(args);
    const expiresMs = args.expires === undefined ? undefined : spanMs(args.expires, '--expires');
    const management = await Management.of(args, io);
    const appId = await management.appId(args.app);
    const expiry = expiresMs === undefined ? {} : { expires_at: new Date(Date.now() + expiresMs).toISOString() };
    const { key, where } = await deliverSecret(args, io, {
      create: () => management.createKey(appId, { name: args.name, environment, ...expiry }),
      report: (created, secret) => ({ schemaVersion: 1, key: created.key, secret }),
      deletion: (created) => `weir keys delete ${created.key.id}`,
    });
    return { exit: EXIT.ok, words: `key ${key.id} is created; ${where}` };
  },
});
