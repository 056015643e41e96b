import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CliError, usageError } from '../exit-code.js';
import { stdinText } from '../input/stdin-text.js';
import type { Io } from '../io.js';
import { readConfig, savedContext, type CliConfig, type Context } from './config-file.js';
import { cannotRead, STDIN } from '../named-files.js';

/** Flags of every command that uses a server. */
export interface ServerFlags {
  readonly url?: string | undefined;
  /** A file that contains only the token; `-` is stdin. Never the token itself: `ps` shows arguments. */
  readonly tokenFile?: string | undefined;
  readonly context?: string | undefined;
  /** Timeout of one request in seconds. */
  readonly timeout?: number | undefined;
}

/** The server and the credential for requests. */
export interface Connection {
  /** Origin and base path, without a slash at the end. */
  readonly url: string;
  readonly token?: string;
  /** The session cookie, as a browser sends it, instead of a token. */
  readonly cookie?: string;
}

const MAX_TOKEN_BYTES = 4_096;
const MAX_PORT = 65_535;
const DEFAULT_URL = 'http://localhost:8080';

/**
 * Finds server and token; the first source wins. URL: `--url`, `WEIR_URL`, the context, `http://localhost:8080`. Token: `--token-file`,
 * `WEIR_TOKEN`, the context with this URL. The token of a context is sent only to the server of that context.
 *
 * @throws CliError (exit 2)
 */
export async function findConnection(flags: ServerFlags, io: Io): Promise<Connection> {
  const config = await readConfig(io.env);
  const named = flags.context ?? nonEmpty(io.env['WEIR_CONTEXT']);
  const name = named ?? config.current;
  const context = name === undefined ? undefined : savedContext(config, name);
  if (name !== undefined && context === undefined && (flags.context !== undefined || config.current !== name)) {
    throw usageError(`there is no context ${JSON.stringify(name)}. See: weir context list`);
  }
  const url = serverUrl(flags.url ?? nonEmpty(io.env['WEIR_URL']) ?? context?.url ?? DEFAULT_URL);
  const given = await givenToken(flags, io);
  const saved = savedAt(url, config, named);
  if (given === undefined && saved.length > 1) {
    throw usageError(`the contexts ${saved.join(', ')} have the URL ${url}: choose one with --context`);
  }
  const token = given ?? saved.map((one) => config.contexts[one]?.token)[0];
  return { url, ...(token === undefined ? {} : { token }) };
}

/** The contexts with this URL: the chosen one if it has this URL, else all that have it, unless a context was chosen explicitly. */
function savedAt(url: string, { contexts, current }: CliConfig, named: string | undefined): string[] {
  const all = Object.entries(contexts).flatMap(([name, context]) => (sameServer(context, url) ? [name] : []));
  const chosen = all.filter((name) => name === (named ?? current));
  return chosen.length > 0 || named !== undefined ? chosen : all;
}

/** Validates the base URL of a server. */
export function serverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw usageError(`the server must be a URL such as https://weir.example.com${whatIsWrongWith(text)}`);
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw usageError('the server URL must not contain a user, password, query or fragment');
  }
  // These paths belong to Weir's own pages and API routes. Below some, such as /api/weir, a gateway may serve Weir: those are accepted.
  if (/^\/(?:v1(?:\/|$)|(?:api|docs|proxy|dashboard)\/?$)/.test(url.pathname)) {
    throw usageError(`write the server's URL without ${url.pathname}: ${url.origin}`);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** Returns a hint for common mistakes: a missing scheme, or a port above the maximum. */
function whatIsWrongWith(text: string): string {
  const port = /^(?:https?:\/\/)?[\w.-]+:(\d+)(?:\/|$)/.exec(text)?.[1];
  if (port !== undefined && Number(port) > MAX_PORT) return `; the highest port is ${MAX_PORT}`;
  // The request contains a token: suggest plain HTTP only for the local machine.
  const withScheme = `${/^(?:localhost|127[.\d]+)(?=[:/]|$)/.test(text) ? 'http' : 'https'}://${text}`;
  const isHost = /^[\w.-]+(?::\d+)?(?:\/[\w/-]*)?$/.test(text) && URL.canParse(withScheme);
  return isHost ? `; did you mean ${withScheme.replace(/\/+$/, '')}?` : '';
}

/** Reads a token from a file or stdin. @throws CliError (exit 2) */
export async function readTokenFrom(file: string, io: Io): Promise<string> {
  const token = (await textOf(file, io)).trim();
  if (token === '') throw usageError(`${file === STDIN ? 'stdin' : file} contains no token`);
  if (!/^[\x21-\x7e]+$/.test(token)) throw usageError(`${file === STDIN ? 'stdin' : file} contains more than a token`);
  return token;
}

/** Reads a password from a file or stdin, without the trailing line break. @throws CliError (exit 2) */
export async function readSecretFrom(file: string, io: Io): Promise<string> {
  const text = (await textOf(file, io)).replace(/\r?\n$/, '');
  if (text === '') throw usageError(`${file === STDIN ? 'stdin' : file} contains no password`);
  return text;
}

function textOf(file: string, io: Io): Promise<string> {
  return file === STDIN ? stdinText(io, MAX_TOKEN_BYTES) : readSmallFile(resolve(io.cwd, file), file);
}

function tokenOfStdin(io: Io): Promise<string> {
  const { stdinToken = {} } = io;
  return (stdinToken.read ??= readTokenFrom(STDIN, io));
}

async function givenToken(flags: ServerFlags, io: Io): Promise<string | undefined> {
  if (flags.tokenFile === STDIN) return tokenOfStdin(io);
  if (flags.tokenFile !== undefined) return readTokenFrom(flags.tokenFile, io);
  return environmentToken(io);
}

/** The token in `WEIR_TOKEN`; undefined if the variable is not set. @throws CliError (exit 2) */
export function environmentToken({ env }: Pick<Io, 'env'>): string | undefined {
  const token = nonEmpty(env['WEIR_TOKEN']?.trim());
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) throw usageError('WEIR_TOKEN contains more than a token');
  return token;
}

async function readSmallFile(path: string, shown: string): Promise<string> {
  try {
    const bytes = await readFile(path);
    if (bytes.length > MAX_TOKEN_BYTES) throw usageError(`${shown} is too large to be a token`);
    return bytes.toString('utf8');
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw cannotRead(shown, error);
  }
}

function sameServer(context: Context, url: string): boolean {
  try {
    return serverUrl(context.url) === url;
  } catch {
    return false;
  }
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : text;
}
