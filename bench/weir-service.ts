import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Bootstrap } from '../src/access/index.js';
import { loadConfig } from '../src/config/index.js';
import { databaseOptions, migrate, openDatabase, type Database, type DatabaseOptions } from '../src/database/index.js';
import { TestPostgres } from '../test/support/postgres.js';
import { GENEROUS_LIMITS } from './budget-policies.js';
import type { Load } from './load.js';
import { postgresBinaries } from './package-of-tests.js';
import { start, type Running } from './processes.js';
import { option } from './options.js';
import { isAnswer, PROVIDER_KEY } from './usual-calls.js';

/** The built service in a separate process. */
export interface WeirService extends Running {
  /** A management token with every scope. */
  readonly token: string;
  /** The person created at the first start of the server. */
  readonly account: { readonly email: string; readonly password: string };
  /** Creates an app with a key for production. @returns the key */
  newKey(name: string): Promise<string>;
}

/** Number of processors and load averages of the machine, which are needed to interpret figures. */
export function machineLoad(): string {
  return `${availableParallelism()} processors, load ${loadavg()
    .map((load) => load.toFixed(1))
    .join(' ')}`;
}

/**
 * Runs a bench on each database that `--database` names: `embedded`, `postgresql` or `both` (the default; PostgreSQL is skipped if the
 * machine has none). With DATABASE_URL and WEIR_DATA_DIR that database is used and kept at the end, so that the next run finds its
 * data.
 *
 * @param settings settings of the PostgreSQL server
 */
export async function onDatabases(
  bench: (name: DatabaseName, env: Readonly<Record<string, string>>) => Promise<void>,
  settings: readonly string[] = [],
) {
  const wanted = option('database', 'both');
  if (wanted !== 'postgresql') await bench('embedded', {});
  if (wanted === 'embedded') return;
  const given = process.env['DATABASE_URL'];
  if (given !== undefined) return bench('postgresql', { DATABASE_URL: given });
  const binaries = await postgresBinaries();
  if (binaries === undefined) {
    if (wanted === 'postgresql') throw new Error('there is no PostgreSQL on this machine');
    process.stdout.write('There is no PostgreSQL on this machine.\n');
    return;
  }
  const postgres = await TestPostgres.start(binaries, settings);
  try {
    await bench('postgresql', { DATABASE_URL: await postgres.newDatabase() });
  } finally {
    await postgres.stop();
  }
}

/** Database of the service under measurement. */
export type DatabaseName = 'embedded' | 'postgresql';

/** Preparation of the database before the measured service starts. */
export interface Preparation {
  /** Sends calls to a new service, which is stopped afterwards. */
  readonly record?: (weir: WeirService) => Promise<void>;
  /** Fills the database while no service runs. */
  readonly fill: (database: Database, accountId: string) => Promise<void>;
}

/**
 * Starts a provider that answers immediately, and the service in front of it.
 *
 * @param env further settings; rate limits refuse nothing
 * @param preparation applied only to a new data directory
 * @param watched whether `watch` is available, which costs about 4 % of a processor
 */
export async function startWeir(
  env: Readonly<Record<string, string>>,
  preparation?: Preparation,
  watched = true,
): Promise<WeirService> {
  const kept = process.env['WEIR_DATA_DIR'];
  const dataDir = kept ?? mkdtempSync(join(tmpdir(), 'weir-bench-'));
  const isNew = !existsSync(join(dataDir, 'bootstrap.json'));
  const upstream = await start('dist/bench/programs/upstream.js', {}, '/');
  const all = { ...GENEROUS_LIMITS, WEIR_DATA_DIR: dataDir, WEIR_OPENAI_BASE_URL: upstream.url, ...env };
  const config = loadConfig(all, (path) => readFileSync(path, 'utf8'));
  if (env['DATABASE_URL'] !== undefined) {
    const database = await openDatabase(databaseOptions(config));
    await migrate(database);
    await new Bootstrap(database, dataDir).ensure(config.server.baseUrl);
    await database.close();
  }
  if (preparation !== undefined && isNew) {
    const first = await startOn(dataDir, all, watched);
    await preparation.record?.(first);
    await first.stop();
    const database = await openDatabase(unhurried(databaseOptions(config)));
    const [account] = await database.sql.forMaintenance().query<{ id: string }>('SELECT id::text AS id FROM accounts');
    await preparation.fill(database, account!.id);
    await database.close();
  }
  const weir = await startOn(dataDir, all, watched);
  return {
    ...weir,
    stop: async () => {
      await weir.stop();
      await upstream.stop();
      if (kept === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

const FILL_MS = 3_600_000;

/**
 * Options with a longer statement timeout, for filling the database: a batch takes longer than the service allows. With 0, the driver's
 * own deadline of a few seconds would apply.
 */
const unhurried = (options: DatabaseOptions): DatabaseOptions =>
  options.kind === 'embedded'
    ? options
    : { ...options, postgres: { ...options.postgres, statementTimeoutMs: FILL_MS } };

async function startOn(dataDir: string, env: Readonly<Record<string, string>>, watched: boolean): Promise<WeirService> {
  const weir = await start('dist/server/main.js', { ...env }, '/readyz', watched);
  const { token, account } = JSON.parse(readFileSync(join(dataDir, 'bootstrap.json'), 'utf8')) as Pick<
    WeirService,
    'token' | 'account'
  >;
  return { ...weir, token, account, newKey: (name) => newKey(weir.url, token, name) };
}

async function newKey(url: string, token: string, name: string): Promise<string> {
  const made = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    if (response.status !== 201) throw new Error(`${path} answered ${response.status}`);
    return (await response.json()) as Record<string, unknown>;
  };
  const { id } = await made('/v1/apps', { name });
  const { secret } = await made(`/v1/apps/${String(id)}/keys`, { name, environment: 'production' });
  return String(secret);
}

const SMALL_TEXT =
  'The team looked at the release plan, agreed to move the review to Thursday, and asked for numbers. ';

/** A usual call through the proxy, in the form of a probe. */
export function smallCall(url: string, key: string) {
  return {
    url: `${url}/proxy/openai/v1/chat/completions`,
    headers: { 'content-type': 'application/json', 'x-service-key': key, authorization: `Bearer ${PROVIDER_KEY}` },
    body: JSON.stringify({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: `Notes {fresh}: ${SMALL_TEXT.repeat(12)}` }],
    }),
  };
}

/** The usual call as a load, with a new text in each call; each answer must be a complete one of the provider. */
export function smallLoad({ url, headers, body }: ReturnType<typeof smallCall>): Load {
  let made = 0;
  return {
    url,
    headers,
    next: () => ({ body: body.replaceAll('{fresh}', `${Date.now()}-${made++}`), isRight: isAnswer }),
  };
}
