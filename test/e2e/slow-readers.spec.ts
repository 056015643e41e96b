import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { RawUpstream } from '../support/raw-upstream.js';
import { readBootstrap, ServerProcess, type Bootstrap } from '../support/server-process.js';

const READERS = 200;
const HALF_OPEN = 1_000;
const MIB = 1024 * 1024;
/** The limit for all readers together, whether rules judge the streamed answers or not. */
const MOST_GROWTH_BYTES = 150 * MIB;
/** A server that uses less than this share of a core is idle. */
const IDLE_SHARE = 0.05;
const LOOK_MS = 2_000;
/** Much more than the capacity of all buffers between a provider and a client. */
const ANSWER_BYTES = 24 * MIB;

const frame = (content: string): string => `data: {"choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`;
/** Long pieces: judging takes most of the time until everything is blocked, and takes longer for many short events. */
const FRAMES = Buffer.from(
  frame('All of this is text that nobody reads, and that no rule touches. '.repeat(100)).repeat(10),
);
const CHAT = JSON.stringify({ model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'go on' }] });

describe('a server with clients that stall', () => {
  let upstream: RawUpstream;
  let server: ServerProcess;
  let bootstrap: Bootstrap;
  let dataDir: string;
  let sockets: Socket[];
  let written: number;

  beforeEach(async () => {
    sockets = [];
    written = 0;
    upstream = await RawUpstream.start();
    upstream.answerJson({ choices: [{ message: { role: 'assistant', content: 'fine' } }] });
    dataDir = mkdtempSync(join(tmpdir(), 'weir-slow-'));
    server = await ServerProcess.start({
      WEIR_DATA_DIR: dataDir,
      WEIR_OPENAI_BASE_URL: upstream.url,
      WEIR_RATE_PROXY: 'off',
      WEIR_LOG_LEVEL: 'error',
    });
    bootstrap = readBootstrap(dataDir);
  }, 90_000);
  afterEach(async () => {
    await server.kill();
    for (const socket of sockets) socket.destroy();
    await upstream.close();
    rmSync(dataDir, { recursive: true, force: true });
  }, 60_000);

  const open = async (bytes: string): Promise<Socket> => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.pause();
    await once(socket, 'connect');
    socket.write(bytes);
    return socket;
  };
  const head = (environment: 'development' | 'production', length: number): string =>
    `POST /proxy/openai/v1/chat/completions HTTP/1.1\r\nhost: x\r\nx-service-key: ${bootstrap.keys[environment]}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;
  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)![1]);
  };
  const honestCall = async (environment: 'development' | 'production' = 'production', more = {}): Promise<number> => {
    const response = await fetch(`${server.url}/proxy/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-service-key': bootstrap.keys[environment], 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'hello' }], ...more }),
    });
    await response.text();
    return response.status;
  };
  const answerStreams = (length: number): void =>
    upstream.answer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const frames = function* (): Generator<Buffer> {
        for (let sent = 0; sent < length; sent += FRAMES.length) {
          written += FRAMES.length;
          yield FRAMES;
        }
      };
      Readable.from(frames()).pipe(response);
    });
  /**
   * Resolves when everything is blocked by the stalled readers: the provider has sent nothing for a while, and the server
   * has judged everything that it received. The second cannot be derived from the bytes that the provider has sent.
   */
  const untilStuck = async (): Promise<void> => {
    for (let idle = 0, seen = { written: -1, cpuSeconds: 0 }; idle < 2;) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      const now = { written, cpuSeconds: await metric('process_cpu_seconds_total') };
      const isIdle = now.written === seen.written && now.cpuSeconds - seen.cpuSeconds < (IDLE_SHARE * LOOK_MS) / 1_000;
      idle = isIdle ? idle + 1 : 0;
      seen = now;
    }
  };

  it.each(['production', 'development'] as const)(
    `needs only bounded memory for ${READERS} streams that are never read (%s)`,
    async (environment) => {
      // Warm-up: the memory of as many streams that are read is not a cost of slow readers.
      answerStreams(MIB);
      const honest = Array.from({ length: READERS }, () => honestCall(environment, { stream: true }));
      expect(new Set(await Promise.all(honest))).toEqual(new Set([200]));
      const before = await metric('process_resident_memory_bytes');
      written = 0;
      answerStreams(ANSWER_BYTES);
      await Promise.all(Array.from({ length: READERS }, () => open(head(environment, CHAT.length) + CHAT)));
      await untilStuck();
      const growth = (await metric('process_resident_memory_bytes')) - before;
      // More than the provider's own buffers, and less than everything: answers were forwarded until backpressure stopped them.
      expect(written).toBeGreaterThan(READERS * MIB);
      expect(written).toBeLessThan(READERS * ANSWER_BYTES);
      expect(growth).toBeLessThan(MOST_GROWTH_BYTES);
    },
    300_000,
  );

  it(`serves honest clients while ${HALF_OPEN} connections do not finish their request`, async () => {
    const unfinished = [
      '',
      'POST /proxy/openai/v1/chat/comp',
      head('production', 1_000_000).slice(0, -2),
      `${head('production', 1_000_000)}{"messages":[`,
    ];
    await Promise.all(Array.from({ length: HALF_OPEN }, (_, index) => open(unfinished[index % unfinished.length]!)));
    const statuses = await Promise.all(Array.from({ length: 50 }, () => honestCall()));
    expect(statuses).toEqual(statuses.map(() => 200));
    expect(sockets.filter((socket) => !socket.destroyed).length).toBe(HALF_OPEN);
  }, 120_000);
});
