/** A server is killed while its journal holds records that the database does not have: none is lost or stored twice. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isolationEnv } from '../support/isolation-notes.js';
import { PaidUpstream } from '../support/paid-upstream.js';
import { findPostgresBinaries, TestPostgres } from '../support/postgres.js';
import { readBootstrap, ServerProcess } from '../support/server-process.js';

const CALLS = 12;
const binaries = findPostgresBinaries();
const declare = binaries === undefined ? describe.skip : describe;

interface StoredEvent {
  readonly id: string;
  readonly type: string;
  readonly parent_id: string | null;
}

declare('A server that is killed with a full journal', () => {
  let postgres: TestPostgres;
  let upstream: PaidUpstream;
  let dataDir: string;
  let env: Record<string, string>;

  beforeEach(async () => {
    postgres = await TestPostgres.start(binaries!);
    upstream = await PaidUpstream.start(
      () => ({ promptTokens: 5, completionTokens: 1 }),
      () => 0,
    );
    dataDir = mkdtempSync(join(tmpdir(), 'weir-journal-'));
    env = {
      DATABASE_URL: await postgres.newDatabase(),
      WEIR_DATA_DIR: dataDir,
      WEIR_OPENAI_BASE_URL: upstream.url,
      WEIR_DATABASE_CALL_TIMEOUT: '1s',
    };
    for (const command of ['migrate', 'bootstrap']) {
      execFileSync(process.execPath, ['dist/cli/main.js', 'server', command], {
        env: { PATH: process.env['PATH'] ?? '', ...isolationEnv(), ...env },
        stdio: 'pipe',
      });
    }
  }, 120_000);
  afterEach(async () => {
    await upstream.close();
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** Lets the server answer calls without its database, and kills the server. @returns the statuses of the calls */
  async function answeredWithoutDatabase(more: Record<string, string> = {}) {
    const server = await ServerProcess.start({ ...env, ...more });
    while (!server.output.includes('Weir is ready at')) await new Promise(setImmediate);
    upstream.manner = 'wait';
    const answers = Array.from({ length: CALLS }, () =>
      fetch(`${server.url}/proxy/openai/v1/chat/completions`, {
        method: 'POST',
        headers: { 'x-service-key': readBootstrap(dataDir).keys.production, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello '.repeat(50) }] }),
      }).then(async (response) => {
        await response.arrayBuffer();
        return response.status;
      }),
    );
    while (upstream.arrived < CALLS) await new Promise(setImmediate);
    await postgres.crash();
    upstream.release();
    const statuses = await Promise.all(answers);
    await server.kill();
    await postgres.restart();
    return { statuses, output: server.output };
  }

  /** The number of ends of each call, after the journal of a new server has been emptied. */
  async function endsOfCalls(server: ServerProcess): Promise<number[]> {
    const isEmpty = async (): Promise<boolean> =>
      /^weir_journal_records 0$/m.test(await (await fetch(`${server.url}/metrics`)).text());
    while (!(await isEmpty())) await new Promise(setImmediate);
    const headers = { authorization: `Bearer ${readBootstrap(dataDir).token}` };
    const { data } = (await (await fetch(`${server.url}/v1/events?limit=200`, { headers })).json()) as {
      data: StoredEvent[];
    };
    const requests = data.filter(({ type }) => type === 'ai.request');
    return requests.map(({ id }) => data.filter(({ parent_id: parent }) => parent === id).length);
  }

  const each = (count: number): number[] => Array.from({ length: CALLS }, () => count);

  it('stores every answered call once when it is restarted', async () => {
    const { statuses } = await answeredWithoutDatabase();
    expect(statuses).toEqual(each(200));
    const server = await ServerProcess.start(env);
    expect(await endsOfCalls(server)).toEqual(each(1));
    expect(await server.stop()).toBe(0);
    expect(server.output).toContain(
      `The journal in ${join(dataDir, 'journal')} contains ${CALLS} records of ended calls`,
    );
  }, 120_000);

  it('stores the records of two workers when a single process replaces them', async () => {
    const { statuses } = await answeredWithoutDatabase({ WEIR_WORKERS: '2' });
    expect(statuses).toEqual(each(200));
    expect(readdirSync(dataDir)).toEqual(expect.arrayContaining(['journal', 'journal-2']));
    const server = await ServerProcess.start({ ...env, WEIR_WORKERS: '1' });
    expect(await endsOfCalls(server)).toEqual(each(1));
    expect(await server.stop()).toBe(0);
    const folders = [...server.output.matchAll(/The journal in \S*\/(journal(?:-2)?) contains/g)];
    expect(folders.map(([, name]) => name).sort()).toEqual(['journal', 'journal-2']);
  }, 120_000);

  it('answers 503 to calls that no longer fit into its journal, and logs the reason', async () => {
    const { statuses, output } = await answeredWithoutDatabase({ WEIR_JOURNAL_SIZE: '40KiB' });
    const answered = statuses.filter((status) => status === 200).length;
    expect(answered).toBeGreaterThan(0);
    expect(statuses.filter((status) => status === 503).length).toBe(CALLS - answered);
    expect(answered).toBeLessThan(CALLS);
    expect(output).toContain('The journal is full');
    const server = await ServerProcess.start(env);
    expect((await endsOfCalls(server)).filter((count) => count === 1).length).toBe(answered);
    await server.stop();
  }, 120_000);

  it('starts without the key of its journal, keeps the unreadable records and logs their number', async () => {
    await answeredWithoutDatabase();
    rmSync(join(dataDir, 'journal', 'journal.key'));
    const server = await ServerProcess.start(env);
    expect(server.output).toContain(`contains ${CALLS} records that cannot be read`);
    expect(readdirSync(join(dataDir, 'journal')).some((name) => name.startsWith('records.db.2'))).toBe(true);
    expect(await endsOfCalls(server)).toEqual(each(0));
    await server.stop();
  }, 120_000);

  it('runs without a journal if it cannot create one, and logs the reason', async () => {
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(join(dataDir, 'journal'), '');
    const { statuses, output } = await answeredWithoutDatabase();
    expect(statuses).toEqual(each(503));
    expect(output).toContain('cannot be used (EEXIST)');
  }, 120_000);
});
