/** The checks of `weir doctor`, each with its advice. A check never changes the examined state. */
import { access, constants } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { Agent as TlsAgent, request as requestOverTls } from 'node:https';
import { dirname } from 'node:path';
import { ACCOUNT } from '../access/answers.js';
import { apiClient, ApiError, type ServerFlags } from '../api/index.js';
import { configPath, readConfig } from '../api/config-file.js';
import { findConnection } from '../api/connection.js';
import { unreachable } from '../api/unreachable.js';
import type { CommandContext } from '../command.js';
import { CliError, EXIT } from '../exit-code.js';
import { loadCompiledProject, type PoliciesArgs } from '../input/compiled-project.js';
import type { Io } from '../io.js';
import { serverConfig, withDatabase } from '../server/with-database.js';
import { packageVersion } from '../version.js';

/** The result of one check, with advice. */
export interface Finding {
  readonly status: 'ok' | 'warning' | 'problem' | 'skipped';
  readonly message: string;
  readonly next: string | null;
}

export type DoctorFlags = PoliciesArgs & ServerFlags;

interface Check {
  readonly name: string;
  check(flags: DoctorFlags, context: CommandContext): Promise<Finding>;
}

const MIN_NODE = 20;
const PROBE_MS = 5_000;
/** Largest clock difference without a warning: exceptions expire by the clock, and logs of several machines are compared. */
const MAX_SKEW_MS = 5_000;

const ok = (message: string): Finding => ({ status: 'ok', message, next: null });
const warning = (message: string, next: string): Finding => ({ status: 'warning', message, next });
const problem = (message: string, next: string): Finding => ({ status: 'problem', message, next });
const skipped = (message: string): Finding => ({ status: 'skipped', message, next: null });

/** All checks, in the order in which they run. */
export const CHECKS: readonly Check[] = [
  { name: 'node', check: () => Promise.resolve(node()) },
  { name: 'contexts', check: (_flags, { io }) => contexts(io) },
  { name: 'settings', check: (_flags, { io }) => settings(io) },
  { name: 'database', check: (_flags, { io }) => database(io) },
  { name: 'standby', check: (_flags, { io }) => standby(io) },
  { name: 'policies', check: policies },
  { name: 'server', check: (flags, { io }) => server(flags, io) },
  { name: 'clock', check: (flags, { io }) => clock(flags, io) },
  { name: 'token', check: (flags, { io }) => token(flags, io) },
  { name: 'providers', check: (_flags, { io }) => providers(io) },
];

/** The result of a check that could not run, such as one whose flags or variables are wrong. @throws the error if it is another one */
export function unchecked(error: unknown, { io }: CommandContext): Finding {
  if (!(error instanceof CliError) || io.signal.aborted) throw error;
  return problem(error.message, 'correct the flag, variable or file named above');
}

function node(): Finding {
  const { node: version } = process.versions;
  return Number(version.split('.')[0]) >= MIN_NODE
    ? ok(`Node.js ${version}`)
    : problem(`Node.js ${version}`, `install Node.js ${MIN_NODE} or later`);
}

async function contexts(io: Io): Promise<Finding> {
  try {
    const { contexts: known } = await readConfig(io.env);
    const count = Object.keys(known).length;
    return count === 0 ? skipped('no servers are saved yet') : ok(`${count} in ${configPath(io.env) ?? ''}`);
  } catch (error) {
    return problem(messageOf(error), 'run chmod 600 on the file, or log in again: weir login');
  }
}

async function settings(io: Io): Promise<Finding> {
  try {
    await serverConfig(io);
    return ok('all settings of the service are valid');
  } catch (error) {
    return problem(messageOf(error), 'correct the settings that are named above; see docs/reference/config.md');
  }
}

async function database(io: Io): Promise<Finding> {
  const config = await serverConfig(io).catch(() => undefined);
  if (config === undefined) return skipped('the settings are invalid');
  if (config.database.kind === 'embedded') {
    try {
      await canBeMade(config.dataDir);
      return ok('embedded; its folder is writable');
    } catch (error) {
      const next = 'set WEIR_DATA_DIR to a folder that you can write, or set DATABASE_URL';
      return problem(`the data folder cannot be written: ${codeOf(error)}`, next);
    }
  }
  try {
    await withDatabase(config, (opened) => opened.ping());
    return ok('PostgreSQL answers');
  } catch (error) {
    return problem(messageOf(error), 'check DATABASE_URL and whether the database runs; then: weir server migrate');
  }
}

/** Throws if a folder cannot be written to or, as long as it does not exist, cannot be created. */
async function canBeMade(folder: string): Promise<void> {
  try {
    // The slash refuses a file of this name.
    await access(`${folder}/`, constants.W_OK);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
    await canBeMade(dirname(folder));
  }
}

/** Checks the standby of DATABASE_READ_URL: without it, the primary silently serves all reads. */
async function standby(io: Io): Promise<Finding> {
  const config = await serverConfig(io).catch(() => undefined);
  if (config === undefined) return skipped('the settings are invalid');
  if (config.database.kind !== 'postgres' || config.database.replica === undefined)
    return skipped('none: DATABASE_READ_URL is not set');
  const { replica, ...primary } = config.database;
  try {
    const rows = await withDatabase({ ...config, database: { ...primary, url: replica.databaseUrl } }, (opened) =>
      opened.sql.forMaintenance().query<{ follows: boolean }>('SELECT pg_is_in_recovery() AS follows'),
    );
    if (rows[0]?.follows === true) return ok('the standby of DATABASE_READ_URL answers');
    return problem(
      'DATABASE_READ_URL names a server that is not a standby',
      'name a streaming standby of DATABASE_URL, or do not set DATABASE_READ_URL',
    );
  } catch (error) {
    return problem(
      messageOf(error),
      'check DATABASE_READ_URL and whether the standby runs; until then the primary serves all reads',
    );
  }
}

async function policies(flags: DoctorFlags, context: CommandContext): Promise<Finding> {
  try {
    const { project, policies: compiled } = await loadCompiledProject(flags, context);
    const names = [...compiled.keys()].join(', ');
    return ok(`${names} in ${project.name} compile`);
  } catch (error) {
    if (error instanceof CliError && error.exit === EXIT.nothing) {
      return warning(messageOf(error), 'create policies: weir init');
    }
    return problem(messageOf(error), 'list the problems: weir lint');
  }
}

/** Requests `/readyz`; without a response, `why` has the reason. */
async function ready(flags: DoctorFlags, io: Io): Promise<{ url: string; response?: Response; why?: string }> {
  const { url } = await findConnection(flags, io);
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(PROBE_MS), io.signal]);
    const response = await fetch(`${url}/readyz`, { redirect: 'error', signal });
    await response.arrayBuffer();
    return { url, response };
  } catch (error) {
    return { url, why: unreachable(url, error, io.env).message };
  }
}

async function server(flags: DoctorFlags, io: Io): Promise<Finding> {
  const { url, response, why } = await ready(flags, io);
  const isNamed = [
    flags.url,
    flags.context,
    io.env['WEIR_URL'],
    (await readConfig(io.env).catch(() => undefined))?.current,
  ].some((name) => name !== undefined && name !== '');
  if (response === undefined) {
    return isNamed
      ? problem(
          why ?? `${url} does not answer`,
          'start the server (weir server start), or choose another one: --url, weir context use',
        )
      : skipped(`no server is named, and ${url} does not answer`);
  }
  if (response.status === 200) {
    const isPlain = url.startsWith('http:') && !/^http:\/\/(localhost|127\.|\[::1\])/.test(url);
    return isPlain
      ? warning(`${url} is ready, without encryption`, 'tokens and prompts can be read in transit: use https')
      : ok(`${url} is ready`);
  }
  return problem(`${url} answers ${response.status}`, `list the missing parts: curl ${url}/readyz`);
}

async function clock(flags: DoctorFlags, io: Io): Promise<Finding> {
  const before = Date.now();
  // The check of the server reports why no server is known.
  const answer = await ready(flags, io).catch(() => undefined);
  const header = answer?.response?.headers.get('date');
  if (header === null || header === undefined) return skipped('there is no server to compare with');
  // The Date header has a resolution of one second.
  const skewMs = Math.max(0, Math.abs(Date.parse(header) - (before + Date.now()) / 2) - 1_000);
  return skewMs <= MAX_SKEW_MS
    ? ok('agrees with the clock of the server')
    : problem(
        `differs from the clock of the server by ${Math.round(skewMs / 1_000)} s`,
        'set the clock: the expiry of exceptions depends on it',
      );
}

async function token(flags: DoctorFlags, io: Io): Promise<Finding> {
  const connection = await findConnection(flags, io);
  if (connection.token === undefined) return skipped('none was given');
  try {
    const parsed = ACCOUNT.safeParse(await (await apiClient(flags, io)).get('/v1/account'));
    if (!parsed.success)
      return problem(
        "the server's response does not match this version of weir",
        "use a weir command of the server's version",
      );
    const { account, server: about, token: own } = parsed.data;
    const mine = await packageVersion();
    if (about.version !== mine) {
      return warning(
        `the server has version ${about.version}, this command ${mine}`,
        'use the same version of server and command',
      );
    }
    const end = own.expires_at === null ? '' : `, until ${own.expires_at.slice(0, 10)}`;
    return ok(`valid for ${account.email}${end}; server and command have version ${mine}`);
  } catch (error) {
    if (error instanceof ApiError && error.status === 0) return skipped('the server does not answer');
    return problem(messageOf(error), 'log in again: weir login');
  }
}

async function providers(io: Io): Promise<Finding> {
  const config = await serverConfig(io).catch(() => undefined);
  if (config === undefined) return skipped('the settings are invalid');
  const unreachable: string[] = [];
  for (const { id, baseUrl } of config.providers) {
    const signal = AbortSignal.any([AbortSignal.timeout(PROBE_MS), io.signal]);
    if (!(await answersDirectly(baseUrl, signal))) unreachable.push(id);
  }
  return unreachable.length === 0
    ? ok(`${config.providers.length} can be reached`)
    : warning(`${unreachable.join(', ')} cannot be reached from here`, 'check the network, and the upstream settings');
}

/**
 * Whether there is any response to a request without a credential. The request takes no proxy, as the calls of the service do: commands
 * use that of the environment.
 */
function answersDirectly(url: string, signal: AbortSignal): Promise<boolean> {
  const options = { method: 'HEAD', signal };
  return new Promise((resolve) => {
    const asked = url.startsWith('https:')
      ? requestOverTls(url, { ...options, agent: new TlsAgent() })
      : request(url, { ...options, agent: new Agent() });
    asked.on('response', (response) => {
      response.destroy();
      resolve(true);
    });
    asked.on('error', () => resolve(false)).end();
  });
}

function messageOf(error: unknown): string {
  return error instanceof CliError ? error.message : `unexpected: ${codeOf(error)}`;
}

function codeOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string')
    return error.code;
  return error instanceof Error ? error.name : typeof error;
}
