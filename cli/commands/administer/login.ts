import { hostname } from 'node:os';
import { z } from 'zod';
import { TOKEN_SCOPES } from '../../../src/core/index.js';
import { ACCOUNT } from '../../access/answers.js';
import { tokenByPassword } from '../../access/password-session.js';
import { ApiClient } from '../../api/api-client.js';
import { CONTEXT_NAME, readConfig, writeConfig } from '../../api/config-file.js';
import { environmentToken, readSecretFrom, readTokenFrom, serverUrl } from '../../api/connection.js';
import { ApiError } from '../../api/index.js';
import { defineCommand, textOption, type CommandArgs } from '../../command.js';
import { askForPassword, canAsk } from '../../deploy/ask.js';
import { CliError, EXIT, usageError } from '../../exit-code.js';
import { spanMs } from '../../input/span.js';
import { write, type Io } from '../../io.js';
import { cannotUse, STDIN } from '../../named-files.js';

const OUTPUT = z.strictObject({
  schemaVersion: z.literal(1),
  context: z.string(),
  url: z.string(),
  account: z.string(),
  scopes: z.array(z.string()),
  environment: z.string().nullable(),
});
const MAX_NAME = 64;
const TIMEOUT_MS = 30_000;
/** All scopes except the one for emergency changes on the server, which no command needs. */
const DEFAULT_SCOPES = TOKEN_SCOPES.filter((scope) => scope !== 'policy:emergency').join(',');

const OPTIONS = {
  url: textOption('Server URL; default: WEIR_URL'),
  name: textOption("Name; the server is saved under this name; default: the server's host"),
  'token-file': textOption(
    'File with the management token; - for stdin; without it, the token is taken from WEIR_TOKEN, then from stdin',
  ),
  email: {
    type: 'string',
    requiresArg: true,
    describe: 'E-mail address to sign in with; asks for the password and creates a token',
    conflicts: 'token-file',
  },
  'password-file': {
    type: 'string',
    requiresArg: true,
    describe: 'File with the password, - for stdin',
    implies: 'email',
  },
  scope: {
    type: 'string',
    requiresArg: true,
    default: DEFAULT_SCOPES,
    describe: 'Scopes, separated by commas; for the token that --email creates',
  },
  expires: {
    type: 'string',
    requiresArg: true,
    default: '90d',
    describe: 'Lifetime such as 90d; never is also accepted; applies to the token that --email creates',
  },
} as const;

type LoginArgs = CommandArgs<typeof OPTIONS>;

/** `weir login`: saves a server and a management token under a name, after the server has accepted the token. */
export const login = defineCommand({
  usage: 'login',
  summary: 'Save a server and a token under a name',
  options: OPTIONS,
  examples: [
    ['$0 login --url http://localhost:8080 --email admin@localhost', 'asks for the password'],
    ['$0 login --url https://weir.example.com < token.txt', 'keeps the token out of the command line'],
  ],
  output: OUTPUT,

  async run(args, { io }) {
    const given = args.url ?? io.env['WEIR_URL'];
    if (given === undefined || given === '') throw usageError('which server? Use --url, such as http://localhost:8080');
    const url = serverUrl(given);
    const name = args.name ?? new URL(url).host.replaceAll(/[^A-Za-z0-9._-]/g, '-');
    if (!CONTEXT_NAME.test(name)) throw usageError('--name takes at most 64 letters, digits and . _ -');
    // Before a token is created, which would be valid but lost if it could not be saved.
    await writeConfig(io.env, await readConfig(io.env));
    const timeoutMs = (args.timeout ?? TIMEOUT_MS / 1_000) * 1_000;
    const { secret, id } =
      args.email === undefined
        ? { secret: await tokenOf(args, io), id: undefined }
        : await newToken(args, args.email, { url, timeoutMs }, io);
    const saving = saved({ name, url, token: secret, timeoutMs }, io);
    const { path, account, about } = await saving.catch((error: unknown) => {
      throw id === undefined ? error : notSaved(error, id);
    });
    const report: z.infer<typeof OUTPUT> = {
      schemaVersion: 1,
      context: name,
      url,
      account: account.email,
      scopes: about.scopes,
      environment: about.environment,
    };
    if (args.json) await write(io.stdout, `${JSON.stringify(report)}\n`);
    return { exit: EXIT.ok, words: `logged in to ${url} as ${account.email}; context ${name} is in ${path}` };
  },
});

/** Saves a server and its token, after the server has accepted the token. */
async function saved(
  { name, url, token, timeoutMs }: { name: string; url: string; token: string; timeoutMs: number },
  io: Io,
) {
  const client = new ApiClient({ url, token }, io, timeoutMs);
  const parsed = ACCOUNT.safeParse(await client.get('/v1/account'));
  if (!parsed.success) throw new ApiError(0, 'bad_answer', `${url} is not a Weir server of this version`);
  // Read only now: another command may have saved a server while this one waited for the password.
  const { contexts } = await readConfig(io.env);
  const path = await writeConfig(io.env, { current: name, contexts: { ...contexts, [name]: { url, token } } });
  return { path, account: parsed.data.account, about: parsed.data.token };
}

/** The error with advice: the token was created, but nobody has it. */
function notSaved(error: unknown, id: string): unknown {
  const known = error instanceof CliError ? error : cannotUse(error);
  if (known === undefined) return error;
  const words = `the new token ${id} is not saved: delete it with weir tokens delete ${id}`;
  return new CliError(known.exit, `${known.message}; ${words}`);
}

/** Creates a token for the person with this password. */
async function newToken(
  { scope, expires, passwordFile }: LoginArgs,
  email: string,
  server: { readonly url: string; readonly timeoutMs: number },
  io: Io,
): Promise<{ secret: string; id: string }> {
  const lifeMs = expires === 'never' ? undefined : spanMs(expires, '--expires');
  const wanted = {
    name: `weir login on ${hostname()}`.slice(0, MAX_NAME),
    scopes: scope.split(',').map((one) => one.trim()),
    expires_at: lifeMs === undefined ? null : new Date(Date.now() + lifeMs).toISOString(),
  };
  const password = await passwordOf(passwordFile, io);
  const { secret, token } = await tokenByPassword({ ...server, email, password }, wanted, io);
  return { secret, id: token.id };
}

async function passwordOf(file: string | undefined, io: Io): Promise<string> {
  if (file !== undefined) return readSecretFrom(file, io);
  if (canAsk(io)) return askForPassword('Password: ', io);
  throw usageError('without a terminal, provide the password in a file or on stdin: --password-file -');
}

async function tokenOf({ tokenFile }: LoginArgs, io: Io): Promise<string> {
  if (tokenFile !== undefined) return readTokenFrom(tokenFile, io);
  const set = environmentToken(io);
  if (set !== undefined) return set;
  if (io.stdin.isTTY === true) {
    throw usageError('provide the token in WEIR_TOKEN, on stdin, or in a file: weir login --token-file token.txt');
  }
  return readTokenFrom(STDIN, io);
}
