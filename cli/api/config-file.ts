import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { usageError } from '../exit-code.js';
import type { Io } from '../io.js';
import { cannotRead, cannotWrite } from '../named-files.js';

/** A saved server. */
export interface Context {
  readonly url: string;
  /** The management token of `weir login`. */
  readonly token?: string;
}

export interface CliConfig {
  /** Name of the default context. */
  readonly current?: string;
  readonly contexts: Readonly<Record<string, Context>>;
}

const VERSION = 1;
const OTHERS = 0o077;
export const CONTEXT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * `weir/config.json` under `XDG_CONFIG_HOME`, else under `~/.config` (XDG Base Directory Specification). Undefined without a home
 * folder, as in some containers: then there are no contexts.
 */
export function configPath(env: Io['env']): string | undefined {
  const xdg = env['XDG_CONFIG_HOME'] ?? '';
  if (xdg.startsWith('/')) return join(xdg, 'weir', 'config.json');
  const home = env['HOME'] ?? env['USERPROFILE'] ?? '';
  return home === '' ? undefined : join(home, '.config', 'weir', 'config.json');
}

/**
 * Reads the contexts of this user; none if the file does not exist yet.
 *
 * @throws CliError (exit 2) if other users can read the file, or if it is not a valid configuration
 */
export async function readConfig(env: Io['env']): Promise<CliConfig> {
  const path = configPath(env);
  if (path === undefined) return { contexts: {} };
  let file;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { contexts: {} };
    throw cannotRead(path, error);
  }
  try {
    const { mode } = await file.stat();
    if (process.platform !== 'win32' && (mode & OTHERS) !== 0) {
      throw usageError(`${path} contains tokens and can be read by other users: run chmod 600 ${path}`);
    }
    return parseConfig(await file.readFile('utf8'), path);
  } finally {
    await file.close();
  }
}

/** The saved server with this name. Names that every object has, such as `constructor`, are not taken for one. */
export function savedContext({ contexts }: CliConfig, name: string): Context | undefined {
  return Object.hasOwn(contexts, name) ? contexts[name] : undefined;
}

/** Writes the contexts atomically, readable for their owner only. */
export async function writeConfig(env: Io['env'], config: CliConfig): Promise<string> {
  const path = configPath(env);
  if (path === undefined) throw usageError('there is no folder for the configuration: set HOME or XDG_CONFIG_HOME');
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify({ version: VERSION, ...config }, null, 2)}\n`);
    await file.sync();
  } catch (error) {
    await rm(draft, { force: true });
    throw cannotWrite(path, error);
  } finally {
    await file.close();
  }
  // The umask may also have removed permissions of the owner.
  await chmod(draft, 0o600);
  await rename(draft, path);
  return path;
}

function parseConfig(text: string, path: string): CliConfig {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw usageError(`${path} is not JSON`);
  }
  if (!isRecord(parsed) || parsed['version'] !== VERSION || !isRecord(parsed['contexts'])) {
    throw usageError(`${path} is not a configuration file of this version of weir`);
  }
  const contexts = Object.entries(parsed['contexts']).map(([name, context]) => {
    const token = isRecord(context) ? context['token'] : undefined;
    if (!isRecord(context) || typeof context['url'] !== 'string' || !['string', 'undefined'].includes(typeof token)) {
      throw usageError(`${path}: the context ${JSON.stringify(name)} is not valid`);
    }
    return [name, { url: context['url'], ...(typeof token === 'string' ? { token } : {}) }] as const;
  });
  const current = parsed['current'];
  return { contexts: Object.fromEntries(contexts), ...(typeof current === 'string' ? { current } : {}) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
