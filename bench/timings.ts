import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../src/app.js';
import { loadConfig } from '../src/config/index.js';
import { Database } from '../src/database/index.js';
import { createLogger } from '../src/http/index.js';
import { median } from './load.js';
import { sameDistribution } from './same-distribution.js';

/**
 * Whether times tell what answers do not: known and unknown addresses, unknown ids and wrong secrets of keys. Both sides
 * are asked in random order in one run, and compared by a Kolmogorov-Smirnov test. It exits 1 when one of them can be
 * told apart (p below 0.01).
 *
 * `npm run bench -- timings [--samples 400]`
 */
const at = process.argv.indexOf('--samples');
const SAMPLES = at === -1 ? 400 : Number(process.argv[at + 1]);
const LEAST_P = 0.01;
const PASSWORD = 'correct horse ' + 'battery staple';
const PORT = 18_000 + (process.pid % 2_000);

type Ask = (index: number) => Promise<Response>;

const root = mkdtempSync(join(tmpdir(), 'weir-timings-'));
const off = { WEIR_RATE_AUTH: 'off', WEIR_RATE_ADDRESS: 'off', WEIR_RATE_EVENTS: 'off', WEIR_RATE_MANAGEMENT: 'off' };
const env = { PORT: String(PORT), WEIR_DATA_DIR: root, WEIR_POLICIES_DIR: join(process.cwd(), 'policies'), ...off };
const config = loadConfig(env, (path) => readFileSync(path, 'utf8'));
const weir = await createApp(config, { logger: createLogger('silent') });
await weir.listen();
const url = `http://127.0.0.1:${PORT}`;

const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

async function timed(ask: Ask, index: number): Promise<number> {
  const start = performance.now();
  const response = await ask(index);
  await response.arrayBuffer();
  return performance.now() - start;
}

/** Times of both sides, asked in random order, after some that do not count. */
async function compare(name: string, sides: readonly [string, Ask][]): Promise<boolean> {
  const times = sides.map((): number[] => []);
  const order = Array.from({ length: 2 * SAMPLES }, (_, index) => index % 2).sort(() => Math.random() - 0.5);
  for (const side of [0, 1, 0, 1]) await timed(sides[side]![1], -1);
  for (const [index, side] of order.entries()) times[side]!.push(await timed(sides[side]![1], index));
  const { statistic, p } = sameDistribution(times[0]!, times[1]!);
  const medians = sides.map(([label], side) => `${label} ${median(times[side]!).toFixed(3)} ms`);
  const verdict = p < LEAST_P ? 'TOLD APART' : 'not told apart';
  process.stdout.write(`${name}: ${medians.join(', ')}; KS ${statistic.toFixed(3)}, p ${p.toFixed(3)}: ${verdict}\n`);
  return p >= LEAST_P;
}

try {
  const bootstrap = JSON.parse(readFileSync(join(root, 'bootstrap.json'), 'utf8')) as {
    account: { email: string };
    keys: { production: string };
  };
  const { email: known } = bootstrap.account;
  const unknown = (index: number): string => `nobody${index}@example.com`;
  const { production } = bootstrap.keys;
  const other = await anotherKey(production);
  const submit = (key: string): Promise<Response> => post('/v1/events', {}, { authorization: `Bearer ${key}` });
  const results = [
    await compare('sign-up', [
      ['known', () => post('/auth/sign-up', { email: known, password: PASSWORD })],
      ['unknown', (index) => post('/auth/sign-up', { email: unknown(index), password: PASSWORD })],
    ]),
    await compare('sign-in', [
      ['known', () => post('/auth/login', { email: known, password: PASSWORD })],
      ['unknown', (index) => post('/auth/login', { email: `no${unknown(index)}`, password: PASSWORD })],
    ]),
    await compare('resend', [
      ['known', () => post('/auth/resend', { email: known })],
      ['unknown', (index) => post('/auth/resend', { email: `no${unknown(index)}` })],
    ]),
    await compare('reset', [
      ['known', () => post('/auth/reset', { email: known })],
      ['unknown', (index) => post('/auth/reset', { email: `no${unknown(index)}` })],
    ]),
    await compare('key', [
      ['wrong secret', () => submit(other.wrongSecret)],
      ['unknown id', () => submit(other.unknownId)],
    ]),
  ];
  process.exitCode = results.every(Boolean) ? 0 : 1;
} finally {
  await weir.close();
  rmSync(root, { recursive: true, force: true });
}

/** Two well-formed keys that are not right: one of an id that there is, one of an id that there is not. */
async function anotherKey(key: string): Promise<{ wrongSecret: string; unknownId: string }> {
  const { sql } = weir.app.get(Database);
  const { newCredential } = await import('../src/access/credential.js');
  const [wrong, missing] = [newCredential('sk_live_'), newCredential('sk_live_')];
  // The row of the id keeps the digest of the true key, so a key of this id has another secret.
  await sql.query('UPDATE api_keys SET key_id = $1 WHERE key_id = $2', [wrong.id, key.slice(12, 24)]);
  return { wrongSecret: wrong.text, unknownId: missing.text };
}
