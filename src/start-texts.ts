/** The messages at start for people: addresses and paths, or the problem. They contain no keys, passwords or stack traces. */
import { relative } from 'node:path';
import { bootstrapPath } from './access/index.js';
import { UnrecordedRoute } from './admin-audit/index.js';
import { ConfigError, type AppConfig } from './config/index.js';
import { stackFrames } from './core/index.js';
import { DatabaseError, DatabaseUnavailable, DatabaseUnusable } from './database/index.js';
import { PluginLoadError } from './plugin-registry/index.js';
import { PolicyLoadError } from './policy-store/index.js';

/** The addresses, the file with the first credentials, and a command to try, which reads the key from that file. */
export function welcomeText(config: AppConfig, bootstrapFile: string | null): string {
  const { baseUrl } = config.server;
  const file = shownPath(bootstrapPath(config.dataDir));
  const lines = [
    `Weir is ready at ${baseUrl} (API: ${baseUrl}/docs)`,
    ...(bootstrapFile === null ? [] : [`A first account with its keys and a management token is in ${file}`]),
    ...(config.database.kind === 'embedded' ? ['Try it:', `  ${curlLine(config, file)}`] : []),
  ];
  return `\n${lines.join('\n')}\n\n`;
}

/** A path relative to the current directory, or the full path if the file is outside of it. */
function shownPath(path: string): string {
  const fromHere = relative(process.cwd(), path);
  return fromHere.startsWith('..') ? path : fromHere;
}

/** A command whose prompt contains a made-up e-mail address, so that the first answer shows a redaction. */
function curlLine(config: AppConfig, file: string): string {
  const key = `$(node -p "JSON.parse(require('fs').readFileSync('${file}')).keys.production")`;
  const body = JSON.stringify({
    type: 'ai.request',
    request_id: 'first',
    payload: { messages: [{ role: 'user', content: 'Write to jane.doe@example.com' }] },
  });
  const url = `http://${shownHost(config.server.host)}:${config.server.port}/v1/events`;
  return `curl ${url} -H "Authorization: Bearer ${key}" -H 'Content-Type: application/json' -d '${body}'`;
}

/** The host under which a listener is reachable: `localhost` if it listens on all addresses. */
function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

/** Errors at start whose messages are written for people and contain no values. */
const FORESEEN = [ConfigError, PluginLoadError, PolicyLoadError, DatabaseUnusable, UnrecordedRoute];

/** The message of a foreseen error; for any other error its name and frames, because its message may contain any data. */
export function startErrorText(error: unknown): string {
  if (FORESEEN.some((kind) => error instanceof kind)) return (error as Error).message;
  if (error instanceof DatabaseUnavailable || error instanceof DatabaseError) {
    return `The database cannot be used: ${error.message}. Check DATABASE_URL, or WEIR_DATA_DIR for the embedded one.`;
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return 'The port is in use. Stop the program that listens there, or set PORT to another port.';
    case 'EACCES':
      return 'Not allowed: the port (PORT) or the data directory (WEIR_DATA_DIR) belongs to another user.';
    case 'EADDRNOTAVAIL':
      return 'The address in HOST does not belong to this machine.';
    case 'ENOTSUP':
      return 'On this system several processes cannot share a port. Set WEIR_WORKERS to 1.';
    case 'ENOTFOUND':
      return 'The name in HOST cannot be resolved.';
    case 'EMFILE':
    case 'ENFILE':
      return 'The limit of open files of this process is too low. Raise it (`ulimit -n 4096`, `LimitNOFILE` in systemd).';
    case 'ERR_SQLITE_ERROR':
      // SQLite reports "unable to open" for each of these causes.
      return (
        `The journal in the data directory (WEIR_DATA_DIR) cannot be used: ${sqliteReason(error)}. ` +
        'Check the owner of the folder, its disk, and the limit of open files of this process (`ulimit -n`).'
      );
    case 'ENOSPC':
      return 'No space is left on the disk of the data directory (WEIR_DATA_DIR).';
    default:
      return unforeseen(error);
  }
}

/** SQLite's own description of the error, which contains no values: https://www.sqlite.org/c3ref/errcode.html */
function sqliteReason(error: unknown): string {
  const { errstr } = error as { readonly errstr?: unknown };
  return typeof errstr === 'string' ? errstr : 'unknown error';
}

function unforeseen(error: unknown): string {
  if (!(error instanceof Error)) return 'Weir could not start.';
  return [`Weir could not start: ${error.name}.`, ...stackFrames(error).slice(0, 8)].join('\n');
}
