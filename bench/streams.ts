import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, type Dispatcher } from 'undici';
import { GENEROUS_LIMITS, policiesWithBudget } from './budget-policies.js';
import { writeSection } from './streams-page.js';
import { numberOption } from './options.js';
import { processTime } from './processor-time.js';
import { start, type Running } from './processes.js';
import { describeTraffic, PROVIDER_KEY, streamedCalls } from './usual-calls.js';

/**
 * Measures the added time to the first event, the added delay of each event, and the CPU time of a stream, compared with a bare undici
 * pass-through: with the shipped development rules (monitor mode) and production rules, a budget, rate limits and the log on; for single
 * streams, and for many streams at once. Each stream has a new request and a new text in pieces as long as tokens, and a provider key as
 * long as usual; a stream whose text is not the one to its request makes the run void. Until 2026-11-30, all requests and all answers had
 * the same words, and there was neither a budget nor a provider key: figures from then are not comparable.
 *
 * `npm run bench -- streams [--events 60 --gap 20 --streams 20 --at-once 100 --rounds 3 --seed 16] [--write]`: into
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
  /** Process id of the program in front of the provider. */
  readonly pid: number;
}

/** Delays in milliseconds, and the CPU time of all streams. */
interface Delays {
  /** From the call to the first event. */
  readonly first: number[];
  /** From the time at which the provider sent each event to its arrival. */
  readonly each: number[];
  /** CPU time per stream of each round, in microseconds; empty if the system does not report it. */
  readonly micros: number[];
}

const nextCall = streamedCalls(EVENTS);
const agent = new Agent({ connections: 4_096, headersTimeout: 60_000, bodyTimeout: 60_000 });

function request(way: Way, sentBody: string): Promise<Dispatcher.ResponseData> {
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
    body: sentBody,
  });
}

/** Reads one stream and records the delays of its events. */
async function readStream(way: Way, delays: Delays): Promise<void> {
  const call = nextCall();
  const startedMs = performance.now();
  const { statusCode, body } = await request(way, call.body);
  if (statusCode !== 200) throw new Error(`${way.name}: answered ${statusCode}`);
  let text = '';
  const events: string[] = [];
  let id: string | undefined;
  const arrivedMs: number[] = [];
  for await (const chunk of body as AsyncIterable<Buffer>) {
    const nowMs = performance.timeOrigin + performance.now();
    text += chunk.toString('utf8');
    const end = text.lastIndexOf('\n\n');
    if (end < 0) continue;
    const complete = text.slice(0, end + 2);
    events.push(complete);
    for (const [, of] of complete.matchAll(/"id":"(chatcmpl-\d+)"/g)) {
      if (arrivedMs.length === 0) delays.first.push(performance.now() - startedMs);
      id = of;
      arrivedMs.push(nowMs);
    }
    text = text.slice(end + 2);
  }
  const seen = arrivedMs.length;
  if (seen !== EVENTS) throw new Error(`${way.name}: ${seen} of ${EVENTS} events arrived`);
  if (textOf(events.join('')) !== call.text) throw new Error(`${way.name}: the text is not the one to its call`);
  const sent = (await (await fetch(`${way.upstream}/sent/${id}`)).json()) as number[];
  arrivedMs.forEach((ms, index) => delays.each.push(ms - sent[index]! / 1000));
}

/** The contents of all complete events in a part of a stream. */
function textOf(events: string): string {
  const data = events.split('\n').flatMap((line) => (line.startsWith('data: {') ? [line.slice('data: '.length)] : []));
  return data.map((event) => (JSON.parse(event) as StreamEvent).choices[0]?.delta?.content ?? '').join('');
}

interface StreamEvent {
  readonly choices: readonly { readonly delta?: { readonly content?: string } }[];
}

async function measure(way: Way, total: number, atOnce: number): Promise<Delays> {
  const delays: Delays = { first: [], each: [], micros: [] };
  const before = processTime(way.pid)?.all;
  for (let done = 0; done < total; done += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, () => readStream(way, delays)));
  }
  const after = processTime(way.pid)?.all;
  if (before !== undefined && after !== undefined) delays.micros.push((after - before) / total);
  return delays;
}

/** Disconnects clients in the middle of a stream; returns the milliseconds until each call at the provider ends. */
async function timesToLeave(way: Way, upstream: string): Promise<number[]> {
  const times: number[] = [];
  const leftAtUs = async (): Promise<number> => Number(await (await fetch(upstream)).text());
  for (let count = 0; count < ALONE; count++) {
    const before = await leftAtUs();
    const { body } = await request(way, nextCall().body);
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
  const all = new Map(ways.map((way) => [way, { first: [], each: [], micros: [] } as Delays]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const way of ways) {
      const { first, each, micros } = await measure(way, total, atOnce);
      all.get(way)!.first.push(...first);
      all.get(way)!.each.push(...each);
      all.get(way)!.micros.push(...micros);
      process.stderr.write(`${title}, ${way.name}: round ${round + 1} of ${ROUNDS}\n`);
    }
  }
  const floor = all.get(ways[0]!)!;
  const rows = [...all].map(([way, { first, each, micros }]) => {
    const cells = [first, each].flatMap((values, index) => {
      const base = index === 0 ? floor.first : floor.each;
      const added = quantile(values, 0.5) - quantile(base, 0.5);
      // Rounded before toFixed, so that no zero has a minus sign.
      return [quantile(values, 0.5), quantile(values, 0.99), added].map((ms) =>
        (Math.round(ms * 10) / 10 + 0).toFixed(1),
      );
    });
    const cpuMs = micros.length === 0 ? '' : (quantile(micros, 0.5) / 1_000).toFixed(1);
    return `| ${[way.name, ...cells, cpuMs].join(' | ')} |`;
  });
  return [
    `${title}, ${EVENTS} events each, one event every ${GAP_MS} ms; ${ROUNDS} rounds, in which the rows take turns; all times in milliseconds`,
    '',
    '| | first event p50 | p99 | added | each event p50 | p99 | added | CPU per stream |',
    '|---|---|---|---|---|---|---|---|',
    ...rows,
    '',
  ];
}

const dataDir = mkdtempSync(join(tmpdir(), 'weir-bench-'));
const policies = policiesWithBudget();
const running: Running[] = [];
try {
  const upstream = await start('dist/bench/programs/stream-upstream.js', {}, '/');
  running.push(upstream);
  const passThrough = await start('dist/bench/programs/pass-through.js', { UPSTREAM: upstream.url }, '/healthz');
  running.push(passThrough);
  const env = {
    ...GENEROUS_LIMITS,
    ...policies.env,
    WEIR_DATA_DIR: dataDir,
    WEIR_OPENAI_BASE_URL: upstream.url,
    // On a busy machine, calls wait longer, instead of being refused.
    WEIR_OVERLOAD_WAIT: '1m',
  };
  const weir = await start('dist/server/main.js', env, '/readyz');
  running.push(weir);
  const { keys } = JSON.parse(readFileSync(join(dataDir, 'bootstrap.json'), 'utf8')) as {
    keys: Record<'development' | 'production', string>;
  };
  const through = (name: string, key: string): Way => ({
    name,
    url: `${weir.url}/proxy/openai/v1/chat/completions`,
    headers: { 'x-service-key': key, authorization: `Bearer ${PROVIDER_KEY}` },
    upstream: upstream.url,
    pid: weir.pid,
  });
  const ways: Way[] = [
    {
      name: 'bare undici pass-through',
      url: `${passThrough.url}/v1/chat/completions`,
      headers: {},
      upstream: upstream.url,
      pid: passThrough.pid,
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
    `Measured on ${new Date().toISOString().slice(0, 10)}. Each stream has its own texts (seed ${describeTraffic().seed}); a budget and rate limits that refuse nothing are on. CPU times are those of all threads, including the embedded database, in milliseconds.`,
    `The provider and the clients ran on the same ${availableParallelism()} processors; load average ${load}.`,
  ]);
} finally {
  await agent.close();
  await Promise.all(running.reverse().map((program) => program.stop()));
  rmSync(dataDir, { recursive: true, force: true });
  policies.remove();
}
