/** A server is killed while calls, their late answers and violations arrive: its sums agree with the log. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, POSTGRES_DEFAULTS, type Database } from '../../src/database/index.js';
import { isolationEnv } from '../support/isolation-notes.js';
import { sumDays } from '../../src/events/rollups/day-sums.js';
import { findPostgresBinaries, TestPostgres } from '../support/postgres.js';
import { rollupDifferences, sessionDifferences } from '../support/rollup-check.js';
import { readBootstrap, ServerProcess } from '../support/server-process.js';

const KILLS = Number(process.env['WEIR_TEST_KILLS'] ?? 3);
const WRITERS = 12;
const EVENTS_PER_LIFE = 150;
const DAY_MS = 86_400_000;

interface Sent {
  readonly requestId: string;
  readonly session: string;
}

/** Calls that have no answer yet: some are answered only after a restart. */
class Open {
  private readonly calls: Sent[] = [];

  add(call: Sent): void {
    this.calls.push(call);
  }

  /** Takes the oldest call, except on every fifth turn. */
  take(turn: number): Sent | undefined {
    return turn % 5 === 0 ? undefined : this.calls.shift();
  }
}

async function post(url: string, key: string, body: object): Promise<number> {
  const response = await fetch(`${url}/v1/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = await response.text();
  // Otherwise a malformed request would be sent forever.
  if (response.status === 422) refused.push(answer);
  return response.status;
}

const refused: string[] = [];

/** A call, sometimes with an address that a rule masks, or an answer to an earlier call, sometimes a failure. */
function nextEvent(name: string, turn: number, open: Open): object {
  const call = turn % 2 === 0 ? undefined : open.take(turn);
  if (call !== undefined) {
    const about = { request_id: call.requestId, metadata: { session_id: call.session } };
    return turn % 7 === 0
      ? {
          ...about,
          type: 'ai.error',
          payload: { provider: 'openai', model: 'm', error: { type: 'timeout', message: 'late' } },
        }
      : {
          ...about,
          type: 'ai.response',
          payload: { output: 'done', cost_usd: 0.001 * turn, usage: { prompt_tokens: turn, completion_tokens: 3 } },
        };
  }
  const session = `s-${turn % 9}`;
  open.add({ requestId: name, session });
  const prompt = turn % 3 === 0 ? `write to jane.doe${turn}@example.com` : 'hello';
  return {
    type: 'ai.request',
    event_id: name,
    request_id: name,
    metadata: { session_id: session },
    payload: { model: `m-${turn % 3}`, prompt },
  };
}

async function loadUntilKilled(server: ServerProcess, key: string, life: number, open: Open): Promise<number> {
  let stored = 0;
  let killed: Promise<void> | undefined;
  const writer = async (id: number): Promise<void> => {
    for (let turn = 1; killed === undefined && refused.length === 0; turn++) {
      const status = await post(server.url, key, nextEvent(`l${life}.w${id}.t${turn}`, turn, open)).catch(() => 0);
      if (status === 200 && ++stored >= EVENTS_PER_LIFE) killed ??= server.kill();
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, id) => writer(id)));
  await (killed ?? server.kill());
  expect(refused).toEqual([]);
  return stored;
}

/** Computes the sums of today, as if the day were over. */
async function summedUp(open: () => Promise<Database>): Promise<number> {
  const database = await open();
  try {
    return await sumDays(database.sql, new Date(Date.now() + 4 * DAY_MS));
  } finally {
    await database.close();
  }
}

async function killAgainAndAgain(
  env: Record<string, string>,
  dataDir: string,
  open: () => Promise<Database>,
): Promise<void> {
  const calls = new Open();
  let stored = 0;
  for (let life = 1; life <= KILLS; life++) {
    const server = await ServerProcess.start(env);
    stored += await loadUntilKilled(server, readBootstrap(dataDir).keys.production, life, calls);
    // Events that arrive later belong to a day whose sums already exist.
    expect(await summedUp(open)).toBeGreaterThan(0);
  }
  const database = await open();
  try {
    const owner = database.sql.forMaintenance();
    const [account] = await owner.query<{ id: string }>('SELECT id::text AS id FROM accounts');
    const session = database.sql.forAccounts(account!.id);
    const [log] = await session.query<{ n: number; late: number; violations: number }>(
      `SELECT count(*)::integer AS n, count(*) FILTER (WHERE call_before IS NOT NULL)::integer AS late,
              count(*) FILTER (WHERE type = 'policy.violation')::integer AS violations
       FROM events WHERE account_id = $1::uuid`,
      [account!.id],
    );
    expect(log!.n).toBeGreaterThanOrEqual(stored);
    expect(log!.late).toBeGreaterThan(KILLS * 10);
    expect(log!.violations).toBeGreaterThan(KILLS * 5);
    const from = new Date((Math.floor(Date.now() / DAY_MS) - 1) * DAY_MS);
    const to = new Date(from.getTime() + 3 * DAY_MS);
    await session.transaction(
      async (transaction) => {
        expect(await rollupDifferences(transaction, account!.id, from, to)).toEqual([]);
        expect(await sessionDifferences(transaction, account!.id)).toEqual([]);
      },
      { reads: 'one snapshot' },
    );
    // The check itself detects a sum that is off by one.
    await session.query(
      `UPDATE session_rollups SET calls = calls + 1 WHERE account_id = $1::uuid AND session_id = 's-1'`,
      [account!.id],
    );
    expect(await sessionDifferences(session, account!.id)).toEqual(['s-1']);
  } finally {
    await database.close();
  }
}

describe('The rollups of the log, when the server is killed under load', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'weir-rollups-kill-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it(`agree with the log on the embedded database, over ${KILLS} kills`, async () => {
    const env = { WEIR_DATA_DIR: dataDir, WEIR_LOG_LEVEL: 'error' };
    await killAgainAndAgain(env, dataDir, () => openDatabase({ kind: 'embedded', dataDir }));
  }, 600_000);

  const binaries = findPostgresBinaries();
  if (binaries === undefined) console.warn('SKIPPED on PostgreSQL, no binaries found: sums of a killed server');
  (binaries === undefined ? it.skip : it)(
    `agree with the log on PostgreSQL, over ${KILLS} kills`,
    async () => {
      const postgres = await TestPostgres.start(binaries!);
      try {
        const databaseUrl = await postgres.newDatabase();
        const env = { DATABASE_URL: databaseUrl, WEIR_DATA_DIR: dataDir, WEIR_LOG_LEVEL: 'error' };
        for (const command of ['migrate', 'bootstrap']) {
          execFileSync(process.execPath, ['dist/cli/main.js', 'server', command], {
            env: { PATH: process.env['PATH'] ?? '', ...isolationEnv(), ...env },
            stdio: 'pipe',
          });
        }
        await killAgainAndAgain(env, dataDir, () =>
          openDatabase({ kind: 'postgres', postgres: { ...POSTGRES_DEFAULTS, databaseUrl } }),
        );
      } finally {
        await postgres.stop();
      }
    },
    600_000,
  );
});
