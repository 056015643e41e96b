/** A service of several processes behind one port has the guarantees of a single process. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isolationEnv } from '../support/isolation-notes.js';
import { PaidUpstream } from '../support/paid-upstream.js';
import { findPostgresBinaries, TestPostgres } from '../support/postgres.js';
import { type Bootstrap, freePort, readBootstrap, ServerProcess } from '../support/server-process.js';

const binaries = findPostgresBinaries();
const declare = binaries === undefined ? describe.skip : describe;

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A request on its own connection: the operating system assigns it to one of the workers. */
function ask(url: string, method: string, path: string, key?: string, body?: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    };
    const call = request(new URL(path, url), { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    });
    call.on('error', reject);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const event = (id: string) => ({
  type: 'ai.request',
  request_id: id,
  payload: { messages: [{ role: 'user', content: `hello ${id}` }] },
});

const EVENTS_JUDGED = /^weir_decisions_total\{source="rest",environment="production",decision="allow"\} (\d+)$/gm;

/** The number of events in `/metrics`, and the series that are in it more than once. */
async function scraped(url: string) {
  const { text } = await ask(url, 'GET', '/metrics');
  const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const names = series.map((line) => line.slice(0, line.lastIndexOf(' ')));
  const judged = [...text.matchAll(EVENTS_JUDGED)].map(([, count]) => Number(count));
  return { judged, repeated: names.filter((name, index) => names.indexOf(name) !== index) };
}

/** The process id of each worker, by its number. */
function workersOf({ pid }: ServerProcess): Map<string, number> {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args=']).toString().split('\n');
  const found = lines.flatMap((line) => {
    const [, own = '', parent = '', number = ''] = /^\s*(\d+)\s+(\d+)\s.*--worker=(\d+)/.exec(line) ?? [];
    return Number(parent) === pid ? [[number, Number(own)] as const] : [];
  });
  return new Map(found);
}

const isHere = (isReached: () => boolean): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => void (isReached() ? resolve() : setTimeout(look, 20));
    look();
  });

declare('Two workers behind one port', () => {
  let postgres: TestPostgres;
  let upstream: PaidUpstream;
  let dataDir: string;
  let env: Record<string, string>;
  let bootstrap: Bootstrap;
  let server: ServerProcess | undefined;

  beforeAll(async () => {
    postgres = await TestPostgres.start(binaries!);
    upstream = await PaidUpstream.start(
      () => ({ promptTokens: 5, completionTokens: 1 }),
      () => 0,
    );
    dataDir = mkdtempSync(join(tmpdir(), 'weir-workers-'));
    env = {
      DATABASE_URL: await postgres.newDatabase(),
      WEIR_DATA_DIR: dataDir,
      WEIR_OPENAI_BASE_URL: upstream.url,
      WEIR_WORKERS: '2',
      WEIR_LOG_LEVEL: 'error',
    };
    for (const command of ['migrate', 'bootstrap']) {
      execFileSync(process.execPath, ['dist/cli/main.js', 'server', command], {
        env: { PATH: process.env['PATH'] ?? '', ...isolationEnv(), ...env },
        stdio: 'pipe',
      });
    }
    bootstrap = readBootstrap(dataDir);
  }, 120_000);
  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });
  afterAll(async () => {
    await upstream.close();
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** Starts the service, and waits until both workers accept requests. */
  async function start(more: Record<string, string> = {}): Promise<ServerProcess> {
    const started = await ServerProcess.start({ ...env, ...more });
    server = started;
    await isHere(() => started.output.includes('Weir is ready at'));
    return started;
  }

  const submit = (url: string, id: string, key = bootstrap.keys.production): Promise<Answer> =>
    ask(url, 'POST', '/v1/events', key, event(id));

  it('share the rate limits per app and per address, and do not exceed them', async () => {
    const { url } = await start({ WEIR_RATE_EVENTS: '25/600', WEIR_RATE_ADDRESS: '90/600' });
    const statuses = await Promise.all(Array.from({ length: 60 }, (_, n) => submit(url, `limit-${n}`)));
    expect(statuses.map(({ status }) => status).sort()).toEqual([...Array(25).fill(200), ...Array(35).fill(429)]);
    const further = await Promise.all(Array.from({ length: 60 }, () => ask(url, 'GET', '/healthz')));
    const letIn = further.filter(({ status }) => status === 200).length;
    // The probes of the start also counted.
    expect(letIn).toBeGreaterThan(0);
    expect(letIn).toBeLessThan(30);
    expect((await ask(url, 'GET', '/healthz')).status).toBe(429);
  }, 60_000);

  it('report the sum of their counters, each series once, and keep the sum when one worker is killed', async () => {
    const running = await start();
    const { url } = running;
    for (let n = 0; n < 40; n++) expect((await submit(url, `sum-${n}`)).status).toBe(200);
    for (let n = 0; n < 4; n++) expect(await scraped(url)).toEqual({ judged: [40], repeated: [] });
    const before = workersOf(running);
    expect([...before.keys()].sort()).toEqual(['1', '2']);
    process.kill(before.get('2')!, 'SIGKILL');
    await isHere(() => (workersOf(running).get('2') ?? before.get('2')) !== before.get('2'));
    expect(await scraped(url)).toEqual({ judged: [40], repeated: [] });
    expect(running.output).toContain('A worker has ended (SIGKILL)');
  }, 60_000);

  it('lose no acknowledged event when one worker is killed, and the port stays available', async () => {
    const running = await start();
    const { url } = running;
    const acknowledged: string[] = [];
    let isOver = false;
    const client = async (number: number): Promise<void> => {
      for (let n = 0; !isOver; n++) {
        const id = `kill-${number}-${n}`;
        // A connection breaks when its worker is killed; the next request is answered.
        const { status } = await submit(url, id).catch(() => ({ status: 0 }));
        if (status === 200) acknowledged.push(id);
      }
    };
    const clients = Promise.all(Array.from({ length: 4 }, (_, number) => client(number)));
    for (const number of ['1', '2']) {
      const soFar = acknowledged.length;
      await isHere(() => acknowledged.length >= soFar + 20);
      const killed = workersOf(running).get(number)!;
      process.kill(killed, 'SIGKILL');
      await isHere(() => (workersOf(running).get(number) ?? killed) !== killed);
    }
    const soFar = acknowledged.length;
    await isHere(() => acknowledged.length >= soFar + 20);
    isOver = true;
    await clients;
    const stored = new Set<string>();
    for (let cursor: string | null = ''; cursor !== null;) {
      const path = `/v1/events?limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const page = JSON.parse((await ask(url, 'GET', path, bootstrap.token)).text) as {
        data: { request_id: string }[];
        next_cursor: string | null;
      };
      for (const { request_id: id } of page.data) stored.add(id);
      cursor = page.next_cursor;
    }
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  }, 120_000);

  it('are replaced when they are stuck, so that every new connection is answered', async () => {
    const running = await start();
    const stuck = workersOf(running).get('2')!;
    // It keeps its sockets, and the operating system assigns half of the new connections to them.
    process.kill(stuck, 'SIGSTOP');
    await isHere(() => running.output.includes('A worker has not answered for 30 seconds'));
    await isHere(() => (workersOf(running).get('2') ?? stuck) !== stuck);
    for (let n = 0; n < 50; n++) expect((await ask(running.url, 'GET', '/healthz')).status).toBe(200);
  }, 120_000);

  it('refuse a deleted key, whichever worker deleted it', async () => {
    const { url } = await start();
    const keys = `/v1/apps/${bootstrap.app.id}/keys`;
    const made = await ask(url, 'POST', keys, bootstrap.token, { name: 'short', environment: 'production' });
    const {
      key: { id },
      secret: key,
    } = JSON.parse(made.text) as { key: { id: string }; secret: string };
    for (let n = 0; n < 6; n++) expect((await submit(url, `key-${n}`, key)).status).toBe(200);
    expect((await ask(url, 'DELETE', `${keys}/${id}`, bootstrap.token)).status).toBeLessThan(300);
    let refused = 0;
    while (refused < 20) refused = (await submit(url, 'deleted', key)).status === 401 ? refused + 1 : 0;
    expect(refused).toBe(20);
  }, 60_000);

  it('let open streams finish when the service is stopped, and exit with 0', async () => {
    const running = await start();
    upstream.manner = 'begin and wait';
    const soFar = upstream.arrived;
    const body = { model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'count' }] };
    const headers = { 'x-service-key': bootstrap.keys.production, 'content-type': 'application/json' };
    const streams = Array.from({ length: 6 }, () =>
      fetch(`${running.url}/proxy/openai/v1/chat/completions`, { method: 'POST', headers, body: JSON.stringify(body) }),
    );
    await isHere(() => upstream.arrived === soFar + 6);
    const stopped = running.stop();
    const isListening = (): Promise<boolean> =>
      ask(running.url, 'GET', '/healthz').then(
        () => true,
        () => false,
      );
    while (await isListening());
    upstream.manner = 'answer';
    upstream.release();
    const texts = await Promise.all(streams.map(async (each) => (await each).text()));
    expect(texts.filter((text) => !text.includes('[DONE]'))).toEqual([]);
    expect(await stopped).toBe(0);
  }, 60_000);
});

describe('A service of several processes', () => {
  const startIn = async (env: Record<string, string>) => {
    const folder = mkdtempSync(join(tmpdir(), 'weir-no-workers-'));
    const port = String(await freePort());
    try {
      return spawnSync(process.execPath, ['dist/server/main.js'], {
        env: { PATH: process.env['PATH'] ?? '', WEIR_DATA_DIR: folder, PORT: port, WEIR_LOG_LEVEL: 'error', ...env },
        encoding: 'utf8',
        timeout: 60_000,
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };

  it('is refused on the embedded database, with the required setting', async () => {
    const { status, stderr } = await startIn({ WEIR_WORKERS: '2' });
    expect(status).toBe(1);
    expect(stderr).toContain('WEIR_WORKERS: needs DATABASE_URL');
  }, 60_000);

  it('exits when its workers cannot start, and reports the reason once', async () => {
    const port = await freePort();
    const { status, stderr } = await startIn({
      WEIR_WORKERS: '2',
      DATABASE_URL: `postgres://nobody@127.0.0.1:${port}/none`,
    });
    expect(status).toBe(1);
    expect(stderr.match(/The database cannot be used/g)).toHaveLength(1);
  }, 60_000);
});
