import { readFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newCredential, type CredentialPrefix } from '../src/access/credential.js';
import { Bootstrap } from '../src/access/index.js';
import { createApp } from '../src/app.js';
import { loadConfig } from '../src/config/index.js';
import { Database, databaseOptions, migrate, openDatabase } from '../src/database/index.js';
import { createLogger } from '../src/http/index.js';
import { TestPostgres } from '../test/support/postgres.js';
import { postgresBinaries } from './package-of-tests.js';
import { median } from './load.js';
import { freePort } from './processes.js';
import { leastDetectable, sameDistribution } from './same-distribution.js';
import { numberOption, option } from './options.js';

/**
 * Measures whether response times reveal what the answers hide: whether an address is known, and whether the id of a
 * wrong key or token exists, with the same credential each time and with different ones. Both sides are requested in
 * random order in one run, and compared by a Kolmogorov-Smirnov test. By chance alone, one comparison in a hundred
 * differs (p below 0.01), so such a comparison is repeated and counts only if it differs again in the same direction,
 * which happens by chance once in 20,000. The smallest difference that the samples could have revealed is also printed.
 * Exits 1 when a comparison counts as different.
 *
 * Runs on the embedded database and, if the machine has it, on PostgreSQL; with DATABASE_URL only on that database,
 * which must be empty.
 *
 * `npm run bench -- timings [--samples 2000] [--only key]`: requests that hash a password get a fifth of the samples.
 */
const SAMPLES = numberOption('samples', 2_000);
const HASHED_SAMPLES = Math.ceil(SAMPLES / 5);
const ONLY = option('only', '');
const LEAST_P = 0.01;
const PASSWORD = 'correct horse ' + 'battery staple';
/** Number of different credentials on each side. */
const IDS = 200;

type Ask = () => Promise<Response>;

interface Comparison {
  readonly name: string;
  readonly samples: number;
  readonly sides: readonly [string, Ask][];
}

async function timed(ask: Ask): Promise<number> {
  const start = performance.now();
  const response = await ask();
  await response.arrayBuffer();
  return performance.now() - start;
}

/** Requests both sides in random order after a warm-up; returns the times of both. */
async function measure({ samples, sides }: Comparison): Promise<[number[], number[]]> {
  const times: [number[], number[]] = [[], []];
  for (let warming = 0; warming < Math.min(samples / 10, 100); warming += 1) await timed(sides[warming % 2]![1]);
  for (let pair = 0; pair < samples; pair += 1) {
    const first = Math.random() < 0.5 ? 0 : 1;
    for (const side of [first, 1 - first] as const) times[side]!.push(await timed(sides[side]![1]));
  }
  return times;
}

interface Compared {
  readonly text: string;
  /** Difference of the two medians; null if the distributions do not differ. */
  readonly differsByMs: number | null;
}

async function compared(comparison: Comparison): Promise<Compared> {
  const [left, right] = await measure(comparison);
  const { statistic, p } = sameDistribution(left, right);
  const differenceMs = median(left) - median(right);
  const [one, other] = comparison.sides.map(([label]) => label);
  return {
    text:
      `${one} ${median(left).toFixed(3)} ms, ${other} ${median(right).toFixed(3)} ms, difference ${differenceMs.toFixed(3)} ms; ` +
      `KS ${statistic.toFixed(3)}, p ${p.toFixed(3)}; ${left.length} samples each can reveal a difference of ${leastDetectable(left, right, LEAST_P).toFixed(3)} ms`,
    differsByMs: p < LEAST_P ? differenceMs : null,
  };
}

/** @returns whether the two sides are indistinguishable */
async function compare(comparison: Comparison): Promise<boolean> {
  const first = await compared(comparison);
  if (first.differsByMs === null) {
    process.stdout.write(`${comparison.name}: ${first.text}: no difference\n`);
    return true;
  }
  const again = await compared(comparison);
  const isDetected = again.differsByMs !== null && again.differsByMs > 0 === first.differsByMs > 0;
  process.stdout.write(
    `${comparison.name}: ${first.text}: possible difference\n  again: ${again.text}: ${isDetected ? 'DIFFERENT' : 'no difference'}\n`,
  );
  return !isDetected;
}

/** Runs all comparisons on one database. @returns the number of comparisons with a difference */
async function onDatabase(name: string, databaseUrl?: string): Promise<number> {
  const root = mkdtempSync(join(tmpdir(), 'weir-timings-'));
  const port = await freePort();
  const off = { WEIR_RATE_AUTH: 'off', WEIR_RATE_ADDRESS: 'off', WEIR_RATE_EVENTS: 'off', WEIR_RATE_MANAGEMENT: 'off' };
  const folders = { WEIR_DATA_DIR: root, WEIR_POLICIES_DIR: join(process.cwd(), 'policies') };
  const env = {
    PORT: String(port),
    ...folders,
    ...off,
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  };
  const config = loadConfig(env, (path) => readFileSync(path, 'utf8'));
  if (databaseUrl !== undefined) {
    const database = await openDatabase(databaseOptions(config));
    await migrate(database);
    await new Bootstrap(database, root).ensure(config.server.baseUrl);
    await database.close();
  }
  process.stdout.write(`On ${name}:\n`);
  const weir = await createApp(config, { logger: createLogger('silent') });
  await weir.listen();
  try {
    let distinguished = 0;
    const { email } = (JSON.parse(readFileSync(join(root, 'bootstrap.json'), 'utf8')) as Bootstrapped).account;
    const comparisons = await comparisonsOf(`http://127.0.0.1:${port}`, email, weir.app.get(Database));
    for (const comparison of comparisons.filter(({ name }) => name.startsWith(ONLY))) {
      if (!(await compare(comparison))) distinguished += 1;
    }
    return distinguished;
  } finally {
    await weir.close();
    rmSync(root, { recursive: true, force: true });
  }
}

interface Bootstrapped {
  readonly account: { readonly email: string };
}

async function comparisonsOf(url: string, known: string, database: Database): Promise<Comparison[]> {
  const request = (path: string, body: object | null, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${url}${path}`, {
      method: body === null ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === null ? {} : { body: JSON.stringify(body) }),
    });
  const withKey = (key: string): Promise<Response> => request('/v1/events', {}, { authorization: `Bearer ${key}` });
  const withToken = (token: string): Promise<Response> =>
    request('/v1/apps', null, { authorization: `Bearer ${token}` });
  let strangers = 0;
  const unknown = (): string => `nobody${(strangers += 1)}@example.com`;
  const ofAddress = (name: string, path: string, samples: number, more: object): Comparison => ({
    name,
    samples,
    sides: [
      ['known', () => request(path, { email: known, ...more })],
      ['unknown', () => request(path, { email: unknown(), ...more })],
    ],
  });
  const ofIds = (name: string, ask: (text: string) => Promise<Response>, ids: number, all: Wrong): Comparison => {
    const next = (texts: readonly string[]): string => texts[Math.floor(Math.random() * ids)]!;
    const sides: [string, Ask][] = [
      ['wrong secret', () => ask(next(all.secrets))],
      ['unknown id', () => ask(next(all.ids))],
    ];
    return { name, samples: SAMPLES, sides };
  };
  const keys = await wrongCredentials(database, 'api_keys', 'sk_live_');
  const tokens = await wrongCredentials(database, 'management_tokens', 'wt_live_');
  return [
    ofAddress('sign-up', '/auth/sign-up', HASHED_SAMPLES, { password: PASSWORD }),
    ofAddress('sign-in', '/auth/login', HASHED_SAMPLES, { password: PASSWORD }),
    ofAddress('resend', '/auth/resend', SAMPLES, {}),
    ofAddress('reset', '/auth/reset', SAMPLES, {}),
    ofIds('key, the same', withKey, 1, keys),
    ofIds('key, different ones', withKey, IDS, keys),
    ofIds('token, the same', withToken, 1, tokens),
    ofIds('token, different ones', withToken, IDS, tokens),
  ];
}

/** Well-formed credentials that are invalid. */
interface Wrong {
  /** Wrong secrets with existing ids. */
  readonly secrets: readonly string[];
  /** Credentials with unknown ids. */
  readonly ids: readonly string[];
}

/** Creates credentials and adds rows with the ids of half of them, but with the digest of another credential. */
async function wrongCredentials(
  { sql }: Database,
  table: 'api_keys' | 'management_tokens',
  prefix: CredentialPrefix,
): Promise<Wrong> {
  const make = () => Array.from({ length: IDS }, () => newCredential(prefix));
  const [known, unknown] = [make(), make()];
  const [column, others] =
    table === 'api_keys' ? ['key_id', 'app_id, name, environment'] : ['token_id', 'name, scopes, environment'];
  await sql.forMaintenance().query(
    `INSERT INTO ${table} (account_id, id, ${column}, ${others}, secret_sha256, created_at)
     SELECT account_id, gen_random_uuid(), ids.id, ${others}, secret_sha256, created_at
     FROM (SELECT * FROM ${table} LIMIT 1) one, unnest($1::text[]) AS ids (id)`,
    [known.map(({ id }) => id)],
  );
  return { secrets: known.map(({ text }) => text), ids: unknown.map(({ text }) => text) };
}

let distinguished = 0;
const given = process.env['DATABASE_URL'];
const binaries = await postgresBinaries();
if (given !== undefined) {
  distinguished += await onDatabase('PostgreSQL', given);
} else {
  distinguished += await onDatabase('the embedded database');
  if (binaries === undefined)
    process.stdout.write('There is no PostgreSQL on this machine that they could be compared on.\n');
  else {
    const postgres = await TestPostgres.start(binaries);
    try {
      distinguished += await onDatabase('PostgreSQL', await postgres.newDatabase());
    } finally {
      await postgres.stop();
    }
  }
}
process.exitCode = distinguished === 0 ? 0 : 1;
