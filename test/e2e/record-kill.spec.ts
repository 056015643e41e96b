/** A server is killed before the request is stored: the loss, depending on `WEIR_RECORD`. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HeldLog } from '../support/held-log.js';
import { isolationEnv } from '../support/isolation-notes.js';
import { PaidUpstream } from '../support/paid-upstream.js';
import { findPostgresBinaries, TestPostgres } from '../support/postgres.js';
import { readBootstrap, ServerProcess } from '../support/server-process.js';

const binaries = findPostgresBinaries();
const declare = binaries === undefined ? describe.skip : describe;

declare('A server that is killed while a request is being stored', () => {
  let postgres: TestPostgres;
  let upstream: PaidUpstream;
  let dataDir: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    postgres = await TestPostgres.start(binaries!);
    upstream = await PaidUpstream.start(
      () => ({ promptTokens: 5, completionTokens: 1 }),
      () => 0,
    );
    dataDir = mkdtempSync(join(tmpdir(), 'weir-record-'));
    env = {
      DATABASE_URL: await postgres.newDatabase(),
      WEIR_DATA_DIR: dataDir,
      WEIR_OPENAI_BASE_URL: upstream.url,
    };
    for (const command of ['migrate', 'bootstrap']) {
      execFileSync(process.execPath, ['dist/cli/main.js', 'server', command], {
        env: { PATH: process.env['PATH'] ?? '', ...isolationEnv(), ...env },
        stdio: 'pipe',
      });
    }
  }, 120_000);
  afterAll(async () => {
    await upstream.close();
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** The outcome of a call whose server was killed while its request was being stored. */
  async function killed(record: 'before' | 'beside') {
    const server = await ServerProcess.start({ ...env, WEIR_RECORD: record });
    const before = { ...upstream };
    const log = await HeldLog.of(env['DATABASE_URL']!);
    const call = fetch(`${server.url}/proxy/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-service-key': readBootstrap(dataDir).keys.production, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] }),
    }).then(
      ({ status }) => status,
      () => 'broken connection',
    );
    if (record === 'beside') while (upstream.answered === before.answered) await new Promise(setImmediate);
    await log.untilSomebodyWaits();
    await server.kill();
    const heard = await call;
    await log.endWaiting();
    await log.release();
    return { heard, asked: upstream.arrived - before.arrived };
  }

  async function recorded(): Promise<number> {
    const server = await ServerProcess.start(env);
    const headers = { authorization: `Bearer ${readBootstrap(dataDir).token}` };
    const { data } = (await (await fetch(`${server.url}/v1/events`, { headers })).json()) as { data: unknown[] };
    await server.stop();
    return data.length;
  }

  it('has not called the provider if WEIR_RECORD is `before`, and the client has no answer', async () => {
    expect(await killed('before')).toEqual({ heard: 'broken connection', asked: 0 });
    expect(await recorded()).toBe(0);
  }, 120_000);

  it('has called the provider if WEIR_RECORD is `beside`: that call is not in the log, and the client has no answer', async () => {
    expect(await killed('beside')).toEqual({ heard: 'broken connection', asked: 1 });
    expect(await recorded()).toBe(0);
  }, 120_000);
});
