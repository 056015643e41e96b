import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, round, sequentialMedianMs, type Load, type LoadResult } from './load.js';
import { start, type Running } from './processes.js';

/**
 * Requests per second and added latency of `/v1/events` and of the proxy, beside a bare Fastify route and a bare undici
 * pass-through, alternating in one run, with the shipped production rules and the log on.
 *
 * `npm run bench [-- --seconds 5 --rounds 5]`; with DATABASE_URL it measures that PostgreSQL instead of the embedded one.
 */
const option = (name: string, fallback: number): number => {
  const index = process.argv.indexOf(`--${name}`);
  return index === -1 ? fallback : Number(process.argv[index + 1]);
};
const SECONDS = option('seconds', 4);
const ROUNDS = option('rounds', 5);
const CONNECTIONS = option('connections', 32);
const SEQUENTIAL_CALLS = option('calls', 400);

const prompt =
  'Summarise the following meeting notes in three bullet points and name the open questions. ' +
  'The team looked at the release plan, agreed to move the review to Thursday, and asked for numbers. '.repeat(12);
const chatBody = JSON.stringify({
  model: 'gpt-4o',
  messages: [
    { role: 'system', content: 'You are a careful assistant.' },
    { role: 'user', content: prompt },
  ],
});
const eventBody = JSON.stringify({
  type: 'ai.request',
  request_id: 'bench',
  provider: 'openai',
  model: 'gpt-4o',
  metadata: { team: 'search', user: 'u-1' },
  payload: JSON.parse(chatBody) as unknown,
});

interface Contest {
  readonly name: string;
  readonly floorName: string;
  readonly floor: Load;
  readonly weir: Load;
}

interface Row {
  readonly name: string;
  readonly floorName: string;
  readonly floor: LoadResult;
  readonly weir: LoadResult;
  readonly ratio: number;
  readonly addedMs: number;
}

async function contest({ name, floorName, floor, weir }: Contest): Promise<Row> {
  const say = (text: string): boolean => process.stderr.write(`${name}: ${text}\n`);
  say('warming up');
  await round(floor, CONNECTIONS, 2);
  await round(weir, CONNECTIONS, 2);
  const pairs: { floor: LoadResult; weir: LoadResult }[] = [];
  for (let index = 1; index <= ROUNDS; index++) {
    pairs.push({
      floor: await round(floor, CONNECTIONS, SECONDS),
      weir: await round(weir, CONNECTIONS, SECONDS),
    });
    say(`round ${index} of ${ROUNDS}`);
  }
  const added: number[] = [];
  for (let index = 0; index < 3; index++) {
    const floorMs = await sequentialMedianMs(floor, SEQUENTIAL_CALLS);
    added.push((await sequentialMedianMs(weir, SEQUENTIAL_CALLS)) - floorMs);
  }
  const middle = (pick: (pair: (typeof pairs)[number]) => LoadResult): LoadResult => ({
    requestsPerSecond: median(pairs.map((pair) => pick(pair).requestsPerSecond)),
    p50Ms: median(pairs.map((pair) => pick(pair).p50Ms)),
    p99Ms: median(pairs.map((pair) => pick(pair).p99Ms)),
  });
  return {
    name,
    floorName,
    floor: middle((pair) => pair.floor),
    weir: middle((pair) => pair.weir),
    ratio: median(pairs.map((pair) => pair.weir.requestsPerSecond / pair.floor.requestsPerSecond)),
    addedMs: median(added),
  };
}

function print(rows: readonly Row[]): void {
  const lines = rows.flatMap((row) => [
    `| ${row.floorName} | ${row.floor.requestsPerSecond.toFixed(0)} | 1.00 | ${row.floor.p50Ms} | ${row.floor.p99Ms} | |`,
    `| ${row.name} | ${row.weir.requestsPerSecond.toFixed(0)} | ${row.ratio.toFixed(2)} | ${row.weir.p50Ms} | ${row.weir.p99Ms} | ${row.addedMs.toFixed(2)} |`,
  ]);
  process.stdout.write(
    [
      `${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s in turn, medians; added latency: one connection, median`,
      '',
      '| | requests/s | ratio | p50 ms | p99 ms | added ms |',
      '|---|---|---|---|---|---|',
      ...lines,
      '',
    ].join('\n'),
  );
}

const dataDir = mkdtempSync(join(tmpdir(), 'weir-bench-'));
const running: Running[] = [];
try {
  const upstream = await start('dist/bench/programs/upstream.js', {}, '/');
  running.push(upstream);
  const bareFastify = await start('dist/bench/programs/bare-fastify.js', {}, '/healthz');
  running.push(bareFastify);
  const passThrough = await start('dist/bench/programs/pass-through.js', { UPSTREAM: upstream.url }, '/healthz');
  running.push(passThrough);
  const databaseUrl = process.env['DATABASE_URL'];
  const weir = await start(
    'dist/src/main.js',
    {
      WEIR_DATA_DIR: dataDir,
      WEIR_OPENAI_BASE_URL: upstream.url,
      WEIR_RATE_EVENTS: 'off',
      WEIR_RATE_PROXY: 'off',
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    },
    '/readyz',
  );
  running.push(weir);
  const bootstrap = JSON.parse(readFileSync(join(dataDir, 'bootstrap.json'), 'utf8')) as {
    keys: { production: string };
  };
  const key = bootstrap.keys.production;
  print([
    await contest({
      name: 'Weir, POST /v1/events',
      floorName: 'bare Fastify route',
      floor: { url: `${bareFastify.url}/v1/events`, headers: {}, body: eventBody },
      weir: { url: `${weir.url}/v1/events`, headers: { authorization: `Bearer ${key}` }, body: eventBody },
    }),
    await contest({
      name: 'Weir, proxy',
      floorName: 'bare undici pass-through',
      floor: { url: `${passThrough.url}/v1/chat/completions`, headers: {}, body: chatBody },
      weir: {
        url: `${weir.url}/proxy/openai/v1/chat/completions`,
        headers: { 'x-service-key': key, authorization: 'Bearer upstream' },
        body: chatBody,
      },
    }),
  ]);
} finally {
  await Promise.all(running.reverse().map((program) => program.stop()));
  rmSync(dataDir, { recursive: true, force: true });
}
