/**
 * Replicas behind a load balancer are restarted one after the other while streams are open: no client is affected.
 *
 * The long form: `WEIR_TEST_RESTARTS=20 WEIR_TEST_STREAMS=500 npm run test:e2e -- --testPathPatterns=rolling-restarts`
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBalancer } from '../support/balancer.js';
import { isolationEnv } from '../support/isolation-notes.js';
import { findPostgresBinaries, TestPostgres } from '../support/postgres.js';
import { freePort, readBootstrap, ServerProcess } from '../support/server-process.js';

const RESTARTS = Number(process.env['WEIR_TEST_RESTARTS'] ?? 3);
const STREAMS = Number(process.env['WEIR_TEST_STREAMS'] ?? 24);
const FRAMES = 20;
const FRAME_EVERY_MS = 100;

/** A provider with slow answers: a stream of numbered words. */
async function startTalker(): Promise<Server> {
  const server = createServer((incoming, response) => {
    incoming.resume();
    response.on('error', () => undefined);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let frame = 0;
    const timer = setInterval(() => {
      const content = `w${(frame += 1)} `;
      response.write(`data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content } }] })}\n\n`);
      if (frame < FRAMES) return;
      clearInterval(timer);
      response.end('data: [DONE]\n\n');
    }, FRAME_EVERY_MS);
    response.on('close', () => clearInterval(timer));
  });
  // As long as at providers. After Node's default of 5 s, a talker that the machine delays would close connections on which calls arrive.
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

interface Came {
  readonly status: number;
  readonly requestId: string;
  readonly text: string;
}

/** Reads one stream on its own connection to its end. */
function stream(port: number, key: string, requestId: string): Promise<Came> {
  return new Promise((resolve, reject) => {
    const call = request(
      {
        ...{ host: '127.0.0.1', port, agent: false, method: 'POST', path: '/proxy/openai/v1/chat/completions' },
        headers: { 'x-service-key': key, 'content-type': 'application/json', 'x-request-id': requestId },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, requestId, text }));
      },
    );
    call.on('error', reject);
    call.end(JSON.stringify({ model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'count' }] }));
  });
}

interface StoredEvent {
  readonly type: string;
  readonly request_id: string;
}

async function storedOf(url: string, token: string): Promise<StoredEvent[]> {
  const found: StoredEvent[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ limit: '200', ...(cursor === null ? {} : { cursor }) });
    const response = await fetch(`${url}/v1/events?${query}`, { headers: { authorization: `Bearer ${token}` } });
    const page = (await response.json()) as { data: StoredEvent[]; next_cursor: string | null };
    found.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return found;
}

const binaries = findPostgresBinaries();
const declare = binaries === undefined ? describe.skip : describe;

declare('Three replicas behind a load balancer', () => {
  it(`lose no stream and no event over ${RESTARTS} restarts`, async () => {
    const postgres = await TestPostgres.start(binaries!, ['max_connections=120']);
    const talker = await startTalker();
    const dataDir = mkdtempSync(join(tmpdir(), 'weir-rolling-'));
    const env = {
      DATABASE_URL: await postgres.newDatabase(),
      WEIR_DATA_DIR: dataDir,
      WEIR_LOG_LEVEL: 'error',
      WEIR_OPENAI_BASE_URL: `http://127.0.0.1:${(talker.address() as AddressInfo).port}`,
      // Long enough for the balancer to probe the replica on a busy machine.
      WEIR_SHUTDOWN_NOTICE: '3s',
    };
    for (const command of ['migrate', 'bootstrap'])
      execFileSync(process.execPath, ['dist/cli/main.js', 'server', command], {
        env: { PATH: process.env['PATH'] ?? '', ...isolationEnv(), ...env },
        stdio: 'pipe',
      });
    const ports = [await freePort(), await freePort(), await freePort()];
    const replicas = await Promise.all(ports.map((port) => ServerProcess.start(env, port)));
    const balancer = await startBalancer(ports);
    const { keys, token } = readBootstrap(dataDir);
    const came: Came[] = [];
    const resets: string[] = [];
    let isOver = false;
    try {
      const reader = async (reader: number): Promise<void> => {
        for (let turn = 0; !isOver; turn++) {
          const id = `r${reader}-t${turn}`;
          await stream(balancer.port, keys.production, id).then(
            (each) => void came.push(each),
            (error: unknown) => void resets.push(String(error)),
          );
        }
      };
      const readers = Promise.all(Array.from({ length: STREAMS }, (_, index) => reader(index)));
      for (let restart = 0; restart < RESTARTS; restart++) {
        const at = restart % ports.length;
        expect(await replicas[at]!.stop()).toBe(0);
        replicas[at] = await ServerProcess.start(env, ports[at]);
      }
      isOver = true;
      await readers;
      const broken = came.filter(({ status, text }) => status !== 200 || !text.endsWith('data: [DONE]\n\n'));
      expect({ resets, broken }).toEqual({ resets: [], broken: [] });
      const stored = await storedOf(replicas[0]!.url, token);
      const count = (type: string) =>
        came.map(
          ({ requestId }) => stored.filter((each) => each.type === type && each.request_id === requestId).length,
        );
      expect([count('ai.request'), count('ai.response')].flat().filter((each) => each !== 1)).toEqual([]);
      expect(stored.length).toBe(2 * came.length);
      // A pipeline installs HAProxy; elsewhere the test may use its own balancer.
      if (process.env['CI'] !== undefined) expect(balancer.kind).toBe('HAProxy');
      console.info(`${balancer.kind}: ${came.length} streams over ${RESTARTS} restarts, 0 resets, 0 lost`);
    } finally {
      isOver = true;
      await Promise.all(replicas.map((replica) => replica.stop()));
      await balancer.stop();
      talker.closeAllConnections();
      talker.close();
      await postgres.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  }, 1_800_000);
});
