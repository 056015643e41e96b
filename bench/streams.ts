import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, type Dispatcher } from 'undici';
import { start, type Running } from './processes.js';
import { writeSection } from './streams-page.js';
import { numberOption } from './options.js';

/**
 * Measures the added time to the first event and the added delay of each event, compared with a bare undici
 * pass-through, with the shipped development rules (monitor mode) and production rules and the log on; for single
 * streams, and for many streams at once.
 *
 * `npm run bench -- streams [--events 60 --gap 20 --streams 20 --at-once 100 --rounds 3] [--write]`: into
 * `docs/streams.md`.
 */
const EVENTS = numberOption('events', 60);
const GAP_MS = numberOption('gap', 20);
const ALONE = numberOption('streams', 20);
const AT_ONCE = numberOption('at-once', 100);
const ROUNDS = numberOption('rounds', 3);

interface Way {
  readonly name: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  /** URL of the provider, which reports when it sent each event. */
  readonly upstream: string;
}

/** Delays in milliseconds. */
interface Delays {
  /** From the call to the first event. */
  readonly first: number[];
  /** From the time at which the provider sent each event to its arrival. */
  readonly each: number[];
}

const BODY = JSON.stringify({
  model: 'gpt-4o',
  stream: true,
  messages: [{ role: 'user', content: 'Tell me what the team found out about the plan.' }],
});
const agent = new Agent({ connections: 4_096, headersTimeout: 60_000, bodyTimeout: 60_000 });

function request(way: Way): Promise<Dispatcher.ResponseData> {
  const { origin, pathname } = new URL(way.url);
  return agent.request({
    origin,
    path: pathname,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-bench-events': String(EVENTS),
      'x-bench-gap-ms': String(GAP_MS),
      ...way.headers,
    },
    body: BODY,
  });
}

/** Reads one stream and records the delays of its events. */
async function readStream(way: Way, delays: Delays): Promise<void> {
  const startedMs = performance.now();
  const { statusCode, body } = await request(way);
  if (statusCode !== 200) throw new Error(`${way.name}: answered ${statusCode}`);
  let text = '';
  let id: string | undefined;
  const arrivedMs: number[] = [];
  for await (const chunk of body as AsyncIterable<Buffer>) {
    const nowMs = performance.timeOrigin + performance.now();
    text += chunk.toString('utf8');
    for (const [, of] of text.slice(0, text.lastIndexOf('\n\n') + 2).matchAll(/"id":"(chatcmpl-\d+)"/g)) {
      if (arrivedMs.length === 0) delays.first.push(performance.now() - startedMs);
      id = of;
      arrivedMs.push(nowMs);
    }
    text = text.slice(text.lastIndexOf('\n\n') + 2);
  }
  const seen = arrivedMs.length;
  if (seen !== EVENTS) throw new Error(`${way.name}: ${seen} of ${EVENTS} events arrived`);
  const sent = (await (await fetch(`${way.upstream}/sent/${id}`)).json()) as number[];
  arrivedMs.forEach((ms, index) => delays.each.push(ms - sent[index]! / 1000));
}

async function measure(way: Way, total: number, atOnce: number): Promise<Delays> {
  const delays: Delays = { first: [], each: [] };
  for (let done = 0; done < total; done += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, () => readStream(way, delays)));
  }
  return delays;
}

/** Disconnects clients in the middle of a stream; returns the milliseconds until each call at the provider ends. */
async function timesToLeave(way: Way, upstream: string): Promise<number[]> {
  const times: number[] = [];
  const leftAtUs = async (): Promise<number> => Number(await (await fetch(upstream)).text());
  for (let count = 0; count < ALONE; count++) {
    const before = await leftAtUs();
    const { body } = await request(way);
    body.on('error', () => undefined);
    await once(body, 'data');
    const goneMs = performance.timeOrigin + performance.now();
    body.destroy();
    let left = before;
    while (left === before) left = await leftAtUs();
    times.push(left / 1000 - goneMs);
  }
  return times;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

async function compare(title: string, ways: readonly Way[], total: number, atOnce: number): Promise<string[]> {
  const all = new Map(ways.map((way) => [way, { first: [], each: [] } as Delays]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const way of ways) {
      const { first, each } = await measure(way, total, atOnce);
      all.get(way)!.first.push(...first);
      all.get(way)!.each.push(...each);
      process.stderr.write(`${title}, ${way.name}: round ${round + 1} of ${ROUNDS}\n`);
    }
  }
  const floor = all.get(ways[0]!)!;
  const rows = [...all].map(([way, { first, each }]) => {
    const cells = [first, each].flatMap((values, index) => {
      const base = index === 0 ? floor.first : floor.each;
      const added = quantile(values, 0.5) - quantile(base, 0.5);
      // Rounded before toFixed, so that no zero has a minus sign.
      return [quantile(values, 0.5), quantile(values, 0.99), added].map((ms) =>
        (Math.round(ms * 10) / 10 + 0).toFixed(1),
      );
    });
    return `| ${[way.name, ...cells].join(' | ')} |`;
  });
  return [
    `${title}, ${EVENTS} events each, one event every ${GAP_MS} ms; ${ROUNDS} rounds, in which the rows take turns; all times in milliseconds`,
    '',
    '| | first event p50 | p99 | added | each event p50 | p99 | added |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
  ];
}

const dataDir = mkdtempSync(join(tmpdir(), 'weir-bench-'));
const running: Running[] = [];
try {
  const upstream = await start('dist/bench/programs/stream-upstream.js', {}, '/');
  running.push(upstream);
  const passThrough = await start('dist/bench/programs/pass-through.js', { UPSTREAM: upstream.url }, '/healthz');
  running.push(passThrough);
  const env = { WEIR_DATA_DIR: dataDir, WEIR_OPENAI_BASE_URL: upstream.url, WEIR_RATE_PROXY: 'off' };
  const weir = await start('dist/server/main.js', env, '/readyz');
  running.push(weir);
  const { keys } = JSON.parse(readFileSync(join(dataDir, 'bootstrap.json'), 'utf8')) as {
    keys: Record<'development' | 'production', string>;
  };
  const through = (name: string, key: string): Way => ({
    name,
    url: `${weir.url}/proxy/openai/v1/chat/completions`,
    headers: { 'x-service-key': key },
    upstream: upstream.url,
  });
  const ways: Way[] = [
    {
      name: 'bare undici pass-through',
      url: `${passThrough.url}/v1/chat/completions`,
      headers: {},
      upstream: upstream.url,
    },
    through('Weir, development rules', keys.development),
    through('Weir, production rules', keys.production),
  ];
  for (const way of ways) await measure(way, 4, 4);
  const lines = [
    ...(await compare('One stream at a time', ways, ALONE, 1)),
    ...(await compare(`${AT_ONCE} streams at the same time`, ways, AT_ONCE, AT_ONCE)),
  ];
  const times = await timesToLeave(ways.at(-1)!, `${upstream.url}/`);
  const [middle, most] = [quantile(times, 0.5), quantile(times, 1)].map((ms) => ms.toFixed(1));
  lines.push(
    `When a client disconnected, its call at the provider ended after ${middle} ms (median of ${times.length}), at most after ${most} ms.`,
    '',
  );
  const load = loadavg()[0]!.toFixed(1);
  writeSection('late', [
    ...lines,
    `The provider and the clients ran on the same ${availableParallelism()} processors; load average ${load}.`,
  ]);
} finally {
  await agent.close();
  await Promise.all(running.reverse().map((program) => program.stop()));
  rmSync(dataDir, { recursive: true, force: true });
}
