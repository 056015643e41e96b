/**
 * Measures the CPU time that the SDKs add to the process that uses them.
 *
 * - A guarded call, compared with the same HTTP requests (question, call and report) sent by the same client without
 * the SDK. Both alternate in rounds of one run, with a new text for each call; the provider and Weir are simulated in a
 * separate process. A wrong answer or a wrong number of requests makes the run void.
 * - The SDK's own part: its time without any HTTP, minus that of the same functions called without the SDK, for 1 kB of
 * JSON and for a stream of 100 chunks.
 *
 * `npm run bench -- sdk [--calls 300] [--rounds 7]`; the part for Python is `bench/sdk-python.py`, which runs in the
 * environment of `npm run test:sdk-python`, or with the interpreter `WEIR_BENCH_PYTHON`, which needs the client
 * packages.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir, availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { median } from './load.js';
import { start, type Running } from './processes.js';
import { numberOption } from './options.js';
import { packageOfTests } from './package-of-tests.js';

const run = promisify(execFile);

const CALLS = numberOption('calls', 300);
const ROUNDS = numberOption('rounds', 7);
const STREAM_CHUNKS = 100;
const MOST_RATIO = 1.5;
const MOST_OWN_JSON_US = { node: 150, python: 300 };
const MOST_OWN_STREAM_US = 1_000;
const PYTHON_SCRIPT = 'bench/sdk-python.py';

type Fetch = typeof globalThis.fetch;

/** The measured part of the SDK package. */
interface Sdk {
  readonly Weir: new (options: object) => {
    flush(timeoutMs?: number): Promise<boolean>;
    stats(): { readonly asked: number; readonly allowed: number; readonly reported: number };
  };
  weir<T>(client: T, options: object): T;
  weirFetch(options: object, inner: Fetch): Fetch;
}

/** Results of one language, in microseconds of CPU time; the Python script prints the same names. */
interface Measured {
  readonly own_json_us: number;
  readonly own_stream_us: number;
  readonly guarded_cpu_us: number;
  readonly bare_cpu_us: number;
}

let drawn = 0;

/** A text of about a kilobyte, different in each call. */
function newText(): string {
  drawn += 1;
  return `Question ${drawn}: ${`what follows from number ${drawn * 7_919}? `.repeat(30)}`.slice(0, 900);
}

const question = (content: string): string =>
  JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content }] });

/** Makes the calls; returns the microseconds of CPU time per call, over all threads of this process. */
async function cpuPerCall(calls: number, call: () => Promise<void>, end: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  for (let made = 0; made < calls; made += 1) await call();
  await end();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

interface Side {
  readonly call: () => Promise<void>;
  readonly end: () => Promise<void>;
  /** Runs after each round and is not measured. */
  readonly after?: () => Promise<void>;
}

/** Measures both sides in alternating rounds with alternating order, after one warm-up round of each. @returns the medians */
async function compare(sides: readonly [Side, Side], calls: number): Promise<[number, number]> {
  const costs: [number[], number[]] = [[], []];
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const side of round % 2 === 0 ? ([1, 0] as const) : ([0, 1] as const)) {
      const cost = await cpuPerCall(calls, sides[side].call, sides[side].end);
      await sides[side].after?.();
      if (round >= 0) costs[side].push(cost);
    }
  }
  return [median(costs[0]), median(costs[1])];
}

function check(isRight: boolean, what: string): void {
  if (!isRight) throw new Error(`void: ${what}`);
}

/** The part of the package `openai` that this bench uses. */
interface OpenAiClient {
  readonly chat: {
    readonly completions: {
      create(call: object): Promise<{ readonly choices: { readonly message: { readonly content: string | null } }[] }>;
    };
  };
}
interface OpenAiPackage {
  readonly OpenAI: new (options: object) => OpenAiClient;
}

/** Measures CPU time per call over HTTP: with the guarded client, and with the same client and requests without the SDK. */
async function overHttp({ Weir, weir }: Sdk, peer: Running): Promise<[number, number]> {
  const { OpenAI } = await packageOfTests<OpenAiPackage>('openai');
  const client = new OpenAI({ apiKey: 'sk-bench', baseURL: `${peer.url}/v1`, maxRetries: 0 });
  const connection = new Weir({ apiKey: 'bench', baseUrl: peer.url });
  const guarded = weir(client, connection);
  const create = async (of: OpenAiClient, content: string) => {
    const answer = await of.chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content }] });
    check(answer.choices[0]?.message.content === content, 'an answer does not match its call');
    return answer;
  };
  const headers = {
    ...{ authorization: 'Bearer bench', accept: '*/*', 'user-agent': 'bench', 'content-type': 'application/json' },
  };
  const sent: Promise<void>[] = [];
  let waiting: { readonly call: string; readonly body: string }[] = [];
  let batchesPerReport = 1;
  let owed = 0;
  const report = async (batch: typeof waiting): Promise<void> => {
    const head = { status: 200, ended: 'complete', content_type: 'application/json', latency_ms: 1.5 };
    const answer = await fetch(`${peer.url}/v1/calls/answers`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/vnd.weir.answers' },
      body: batch
        .map(({ call, body }) => `${JSON.stringify({ call, ...head, length: Buffer.byteLength(body) })}\n${body}\n`)
        .join(''),
    });
    const { answers } = (await answer.json()) as { answers: { status: number }[] };
    check(answers.length === batch.length && answers.every(({ status }) => status === 200), 'a report was refused');
  };
  const sendWaiting = (): void => {
    if (waiting.length > 0) sent.push(report(waiting));
    waiting = [];
  };
  const bareCall = async (): Promise<void> => {
    const content = newText();
    const asked = await fetch(`${peer.url}/v1/calls/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': crypto.randomUUID() },
      body: question(content),
    });
    await asked.arrayBuffer();
    check(asked.status === 204, 'a call was refused before it was made');
    const answer = await create(client, content);
    waiting.push({ call: asked.headers.get('x-weir-call') ?? '', body: JSON.stringify(answer) });
    owed += batchesPerReport;
    if (owed < 1) return;
    owed -= 1;
    sendWaiting();
  };
  const countsOf = async () => (await (await fetch(`${peer.url}/counts`)).json()) as Record<string, number>;
  const guardedSide = {
    call: async () => void (await create(guarded, newText())),
    end: async () => check(await connection.flush(60_000), 'reports were left'),
    // The SDK combines reports into batches; the bare side sends as many batches per report as the SDK did.
    after: async () => {
      const { guardedReports = 1, guardedBatches = 1 } = await countsOf();
      batchesPerReport = guardedBatches / guardedReports;
    },
  };
  const bareSide = {
    call: bareCall,
    end: async () => {
      sendWaiting();
      await Promise.all(sent.splice(0));
    },
  };
  const costs = await compare([guardedSide, bareSide], CALLS);
  const counts = await countsOf();
  const expected = 2 * CALLS * (ROUNDS + 1);
  for (const what of ['questions', 'calls', 'reports']) check(counts[what] === expected, `${what}: ${counts[what]}`);
  const { asked, allowed, reported } = connection.stats();
  check(
    [asked, allowed, reported].every((count) => count === expected / 2),
    'the SDK counts otherwise',
  );
  return costs;
}

const encoder = new TextEncoder();
const answerHeaders = { 'x-weir-call': crypto.randomUUID(), 'x-weir-event-id': 'e', 'x-weir-decision': 'allow' };
const REPORTED = JSON.stringify({
  answers: [{ call: answerHeaders['x-weir-call'], status: 200, event_id: 'e', violations: [] }],
});

/** Weir's answers without HTTP. */
const inMemoryWeir = (url: unknown): Promise<Response> =>
  Promise.resolve(
    String(url).endsWith('/v1/calls/answers')
      ? new Response(REPORTED, { status: 200, headers: { 'content-type': 'application/json' } })
      : new Response(null, { status: 204, headers: answerHeaders }),
  );

function inMemoryProvider(streams: boolean): Fetch {
  const answer = JSON.stringify({
    id: 'chatcmpl-1',
    choices: [{ message: { role: 'assistant', content: 'x'.repeat(900) } }],
  });
  const events = Array.from({ length: STREAM_CHUNKS }, (_, nth) =>
    encoder.encode(`data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":"word ${nth} "}}]}\n\n`),
  );
  const stream = (): ReadableStream => {
    let sent = 0;
    return new ReadableStream({
      pull(controller) {
        const event = events[sent++];
        if (event === undefined) controller.close();
        else controller.enqueue(event.slice());
      },
    });
  };
  return () =>
    Promise.resolve(
      streams
        ? new Response(stream(), { headers: { 'content-type': 'text/event-stream' } })
        : new Response(answer, { headers: { 'content-type': 'application/json' } }),
    );
}

/** Measures the CPU time per call that the SDK adds to the same functions called without it. */
async function ownPart({ Weir, weirFetch }: Sdk, streams: boolean): Promise<number> {
  const provider = inMemoryProvider(streams);
  const connection = new Weir({
    apiKey: 'bench',
    baseUrl: 'http://weir.invalid',
    fetch: inMemoryWeir,
    provider: 'openai',
  });
  const guarded = weirFetch(connection, provider);
  const url = 'http://provider.invalid/v1/chat/completions';
  const init = (): RequestInit => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-bench' },
    body: question(newText()),
  });
  const length = async (response: Response): Promise<number> => {
    if (!streams) return (await response.arrayBuffer()).byteLength;
    let read = 0;
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) read += chunk.length;
    return read;
  };
  const expected = await length(await provider(url));
  const guardedSide = {
    call: async () => check((await length(await guarded(url, init()))) === expected, 'an answer is not whole'),
    end: async () => check(await connection.flush(60_000), 'reports were left'),
  };
  const bareSide = {
    call: async () => {
      const asked = init();
      await (await inMemoryWeir('http://weir.invalid/v1/calls/openai/v1/chat/completions')).arrayBuffer();
      check((await length(await provider(url, asked))) === expected, 'an answer is not whole');
      await (await inMemoryWeir('http://weir.invalid/v1/calls/answers')).text();
    },
    end: () => Promise.resolve(),
  };
  const [withSdk, without] = await compare([guardedSide, bareSide], streams ? CALLS : CALLS * 4);
  return withSdk - without;
}

async function measureNode(): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-sdk-'));
  const peer = await start('dist/bench/programs/sdk-peer.js', {}, '/counts');
  try {
    await run(process.execPath, ['scripts/build-sdk.mjs', folder]);
    const sdk = (await import(pathToFileURL(join(folder, 'esm', 'index.js')).href)) as Sdk;
    const own_json_us = await ownPart(sdk, false);
    const own_stream_us = await ownPart(sdk, true);
    const [guarded_cpu_us, bare_cpu_us] = await overHttp(sdk, peer);
    return { own_json_us, own_stream_us, guarded_cpu_us, bare_cpu_us };
  } finally {
    await peer.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Path of the Python interpreter with the newest clients, from the environment of the tests, which is created if missing. */
async function testedPython(): Promise<string> {
  const { stdout } = await run(process.execPath, ['scripts/test-sdk-python.mjs', '--interpreter']);
  return stdout.trim().split('\n').at(-1) ?? '';
}

/** Measures the Python SDK. @returns undefined if this is impossible on this machine; the reason goes to stderr */
async function measurePython(): Promise<Measured | undefined> {
  try {
    if (!existsSync(PYTHON_SCRIPT)) throw new Error(`there is no ${PYTHON_SCRIPT}`);
    const python = process.env['WEIR_BENCH_PYTHON'] ?? (await testedPython());
    const { stdout } = await run(python, [PYTHON_SCRIPT, String(ROUNDS)], { maxBuffer: 1024 * 1024 });
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Measured;
  } catch (error) {
    const said = error instanceof Error ? error.message.split('\n', 1)[0] : '';
    process.stderr.write(`Python was not measured: ${said}\n`);
    return undefined;
  }
}

function row(name: string, value: string, goal: string, isMet: boolean): string {
  return `| ${name} | ${value} | ${goal} | ${isMet ? 'met' : 'MISSED'} |`;
}

function rowsOf(language: 'node' | 'python', measured: Measured): string[] {
  const { own_json_us: json, own_stream_us: stream, guarded_cpu_us: guarded, bare_cpu_us: bare } = measured;
  const ratio = guarded / bare;
  const both = `${ratio.toFixed(2)} (${guarded.toFixed(0)} µs compared with ${bare.toFixed(0)} µs)`;
  const mostJson = MOST_OWN_JSON_US[language];
  return [
    row(`${language}: a guarded call by the same requests bare`, both, `≤ ${MOST_RATIO}`, ratio <= MOST_RATIO),
    row(`${language}: own part, 1 kB of JSON`, `${json.toFixed(0)} µs`, `≤ ${mostJson} µs`, json <= mostJson),
    row(
      `${language}: own part, a stream of ${STREAM_CHUNKS} chunks`,
      `${stream.toFixed(0)} µs`,
      `≤ ${MOST_OWN_STREAM_US} µs`,
      stream <= MOST_OWN_STREAM_US,
    ),
  ];
}

const load = (): string => loadavg()[0]!.toFixed(1);
const loadBefore = load();
const node = await measureNode();
const python = await measurePython();
process.stdout.write(
  [
    `CPU time, medians of ${ROUNDS} rounds of ${CALLS} calls in turn; load of the machine ${loadBefore} before, ${load()} after, ${availableParallelism()} cores`,
    '',
    '| | measured | goal | |',
    '|---|---|---|---|',
    ...rowsOf('node', node),
    ...(python === undefined ? ['| python | not measured | | |'] : rowsOf('python', python)),
    '',
  ].join('\n'),
);
