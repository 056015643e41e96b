import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isolationEnv } from '../support/isolation-notes.js';
import { findPostgresBinaries, TestPostgres } from '../support/postgres.js';
import { seededRandom } from '../support/seeded-random.js';
import { readBootstrap, ServerProcess, type Bootstrap } from '../support/server-process.js';

/** The number of kills on each database; a longer run: WEIR_TEST_KILLS=20. */
const KILLS = Number(process.env['WEIR_TEST_KILLS'] ?? 8);
const WRITERS = 16;

interface Ledger {
  /** Ids whose answer was 200. */
  readonly acknowledged: Set<string>;
  /** Ids that were sent, and for which the client has no 200. */
  readonly unknown: Set<string>;
}

/** Writers send until the server dies; it is killed as soon as `killAfter` events have been acknowledged. */
async function loadUntilKilled(server: ServerProcess, key: string, round: number, killAfter: number, ledger: Ledger) {
  let acknowledged = 0;
  let killed: Promise<void> | undefined;
  const writer = async (id: number): Promise<void> => {
    for (let sequence = 0; killed === undefined; sequence++) {
      const eventId = `r${round}.w${id}.s${sequence}`;
      ledger.unknown.add(eventId);
      const status = await post(server.url, key, eventId).catch(() => 0);
      if (status !== 200) continue;
      ledger.unknown.delete(eventId);
      ledger.acknowledged.add(eventId);
      if (++acknowledged >= killAfter) killed ??= server.kill();
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, id) => writer(id)));
  await killed;
}

async function post(url: string, key: string, eventId: string): Promise<number> {
  const response = await fetch(`${url}/v1/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      type: 'ai.request',
      event_id: eventId,
      request_id: eventId,
      payload: { messages: [{ role: 'user', content: `hello from ${eventId}` }] },
    }),
  });
  await response.arrayBuffer();
  return response.status;
}

async function storedCounts(url: string, token: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ limit: '200', type: 'ai.request', ...(cursor === null ? {} : { cursor }) });
    const response = await fetch(`${url}/v1/events?${query}`, { headers: { authorization: `Bearer ${token}` } });
    const page = (await response.json()) as { data: { event_id: string }[]; next_cursor: string | null };
    for (const { event_id: eventId } of page.data) counts.set(eventId, (counts.get(eventId) ?? 0) + 1);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return counts;
}

async function killAgainAndAgain(env: Record<string, string>, bootstrap: () => Bootstrap): Promise<void> {
  const seed = Number(process.env['WEIR_TEST_SEED']);
  const random = seededRandom(seed);
  const ledger: Ledger = { acknowledged: new Set(), unknown: new Set() };
  for (let round = 1; round <= KILLS; round++) {
    const server = await ServerProcess.start(env);
    await loadUntilKilled(server, bootstrap().keys.production, round, 20 + Math.floor(random() * 150), ledger);
  }
  const server = await ServerProcess.start(env);
  try {
    // A client retries unacknowledged events; the ids make that safe.
    for (const eventId of [...ledger.unknown]) {
      expect(await post(server.url, bootstrap().keys.production, eventId)).toBe(200);
    }
    const counts = await storedCounts(server.url, bootstrap().token);
    const sent = [...ledger.acknowledged, ...ledger.unknown];
    expect(ledger.acknowledged.size).toBeGreaterThanOrEqual(KILLS * 20);
    expect(sent.filter((eventId) => counts.get(eventId) !== 1)).toEqual([]);
    expect(counts.size).toBe(sent.length);
  } finally {
    await server.stop();
  }
}

describe('A server that is killed under load', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'weir-kill-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it(`stores every acknowledged event exactly once on the embedded database, over ${KILLS} kills`, async () => {
    await killAgainAndAgain({ WEIR_DATA_DIR: dataDir, WEIR_RATE_EVENTS: 'off', WEIR_LOG_LEVEL: 'error' }, () =>
      readBootstrap(dataDir),
    );
  }, 600_000);

  const binaries = findPostgresBinaries();
  const onPostgres = binaries === undefined ? it.skip : it;
  if (binaries === undefined) console.warn('SKIPPED on PostgreSQL, no binaries found: killed under load');
  onPostgres(
    `stores every acknowledged event exactly once on PostgreSQL, over ${KILLS} kills`,
    async () => {
      const postgres = await TestPostgres.start(binaries!);
      try {
        const env = {
          DATABASE_URL: await postgres.newDatabase(),
          WEIR_DATA_DIR: dataDir,
          WEIR_RATE_EVENTS: 'off',
          WEIR_LOG_LEVEL: 'error',
        };
        for (const command of ['migrate', 'bootstrap']) {
          execFileSync(process.execPath, ['dist/cli/main.js', 'server', command], {
            env: { PATH: process.env['PATH'] ?? '', ...isolationEnv(), ...env },
            stdio: 'pipe',
          });
        }
        await killAgainAndAgain(env, () => readBootstrap(dataDir));
      } finally {
        await postgres.stop();
      }
    },
    600_000,
  );
});
