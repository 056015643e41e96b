import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { request } from 'undici';
import { PLUGINS } from '../../plugins/index.js';
import { leakCases, type LeakCase } from '../leaks/cases.js';
import { startTestApp, type PolicyFiles, type TestApp } from '../support/test-app.js';

const CASES = Number(process.env['WEIR_TEST_LEAK_CASES'] ?? 200);
const SEED = Number(process.env['WEIR_TEST_LEAK_SEED'] ?? 1);

const has = (command: string, argument: string): boolean => {
  try {
    execFileSync(command, [argument], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
const PRESENT: Readonly<Record<string, boolean>> = { python: has('python3', '--version'), go: has('go', 'version') };

function shippedPolicies(): PolicyFiles {
  const files = (folder: string): string[] => readdirSync(join('policies', folder)).map((name) => `${folder}/${name}`);
  return Object.fromEntries(
    ['_shared', 'production', 'staging', 'development']
      .flatMap(files)
      .filter((path) => path.endsWith('.yaml'))
      .map((path) => [path, readFileSync(join('policies', path), 'utf8')]),
  );
}

/** A provider in another language, which reports the texts that it could read in the last request. */
class Reader {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  static async start(command: string, argv: readonly string[]): Promise<Reader> {
    const child = spawn(command, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [port] = (await once(child.stdout, 'data')) as [Buffer];
    return new Reader(child, `http://127.0.0.1:${port.toString().trim()}`);
  }

  async texts(): Promise<string[]> {
    const { body } = await request(`${this.url}/texts`);
    return (await body.json()) as string[];
  }

  async stop(): Promise<void> {
    this.child.kill();
    await once(this.child, 'exit');
  }
}

/** A proxy that decodes all content codings of a request, also nested ones, for a reader that supports few. */
async function startUnpacking(reader: Reader): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    const forward = async (): Promise<void> => {
      const body = unpacked(await buffer(incoming), incoming.headers['content-encoding'] ?? '');
      const type = incoming.headers['content-type'];
      const headers = type === undefined ? {} : { 'content-type': type };
      const answer = await request(`${reader.url}${incoming.url}`, { method: 'POST', headers, body });
      outgoing.writeHead(200, { 'content-type': 'application/json' }).end(Buffer.from(await answer.body.arrayBuffer()));
    };
    forward().catch((error: unknown) => outgoing.destroy(error as Error));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

const UNPACK: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

function unpacked(body: Buffer, codings: string): Buffer {
  let read = body;
  for (const coding of codings.toLowerCase().split(',').toReversed()) {
    try {
      read = UNPACK[coding.trim()]?.(read) ?? read;
    } catch {
      // The body does not have the coding that its header claims.
    }
  }
  // Some providers also detect gzip by its first bytes.
  while (read[0] === 0x1f && read[1] === 0x8b) read = gunzipSync(read);
  return read;
}

/** Acts like a caller that submits an event: sends the request, or the redacted payload of the answer, to the reader. */
async function submit(app: TestApp, one: LeakCase, reader: Reader): Promise<number> {
  const { statusCode, body } = await request(`${app.url}${one.path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.bootstrap.keys.production}`, ...one.headers },
    body: one.body,
  });
  const answer = await body.text();
  if (statusCode !== 200) return statusCode;
  const { decision, payload } = JSON.parse(answer) as { decision: string; payload?: unknown };
  const sent = decision === 'redact' ? JSON.stringify(payload) : one.body;
  await (await request(`${reader.url}/sent`, { method: 'POST', headers: one.headers, body: sent })).body.dump();
  return statusCode;
}

async function send(app: TestApp, one: LeakCase): Promise<number> {
  const { statusCode, body } = await request(`${app.url}${one.path}`, {
    method: 'POST',
    headers: { 'x-service-key': app.bootstrap.keys.production, authorization: 'Bearer provider', ...one.headers },
    body: one.body,
  });
  await body.dump();
  return statusCode;
}

// A developer's machine may lack one of the languages; CI may not.
const languages = ['python', 'go'].filter((language) => PRESENT[language] === true || process.env['CI'] !== undefined);
for (const language of ['python', 'go'])
  if (!languages.includes(language))
    process.stderr.write(`LEAKS NOT TESTED with a reader in ${language}: it is not installed\n`);

(languages.length === 0 ? describe.skip : describe)('text that a provider can read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-leaks-'));
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(languages)(
    `contains no planted secret for a reader in %s, in ${CASES} requests (WEIR_TEST_LEAK_SEED=${SEED})`,
    async (language) => {
      const binary = join(folder, 'reader');
      if (language === 'go') execFileSync('go', ['build', '-o', binary, 'test/leaks/reader.go']);
      const reader = await (language === 'go'
        ? Reader.start(binary, [])
        : Reader.start('python3', ['test/leaks/reader.py']));
      const front = await startUnpacking(reader);
      const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
      const env = { WEIR_OPENAI_BASE_URL: `${url}/v1`, WEIR_ANTHROPIC_BASE_URL: url };
      const app = await startTestApp({ env, policies: shippedPolicies(), plugins: PLUGINS });
      const leaks: string[] = [];
      const statuses = new Map<number, number>();
      for (const one of leakCases(CASES, SEED)) {
        const status = await (one.path === '/v1/events' ? submit(app, one, reader) : send(app, one));
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        const texts = await reader.texts();
        if (texts.some((text) => text.includes(one.secret))) leaks.push(`${one.name} (${status})`);
      }
      await app.close();
      front.close();
      front.closeAllConnections();
      await reader.stop();
      if (process.env['WEIR_TEST_LEAK_LIST'] !== undefined) process.stderr.write(`${leaks.join('\n')}\n`);
      // More than 5 % each are forwarded and refused, so that the corpus covers both.
      expect([statuses.get(200) ?? 0, CASES - (statuses.get(200) ?? 0)].every((count) => count > CASES / 20)).toBe(
        true,
      );
      expect(leaks).toEqual([]);
    },
    120_000 + CASES * 500,
  );
});
