/** Servers whose clocks are wrong by weeks, on one PostgreSQL: events have the database's time. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { isolationEnv } from '../support/isolation-notes.js';
import { findPostgresBinaries, TestPostgres } from '../support/postgres.js';
import { readBootstrap, ServerProcess, type Bootstrap } from '../support/server-process.js';

const DAY_MS = 86_400_000;
const SHIFT = new URL('../support/shifted-clock.mjs', import.meta.url).href;
const EVENTS = 12;

const binaries = findPostgresBinaries();
if (binaries === undefined) console.warn('SKIPPED, no binaries of PostgreSQL found: clocks of servers');
const declare = binaries === undefined ? describe.skip : describe;

interface Stored {
  readonly id: string;
  readonly event_id: string;
  readonly received_at: string;
}

declare('Servers whose clocks are 40 days ahead and 40 days behind', () => {
  let postgres: TestPostgres;
  let dataDir: string;
  let databaseUrl: string;
  let bootstrap: Bootstrap;
  let servers: readonly ServerProcess[] = [];

  beforeAll(async () => {
    postgres = await TestPostgres.start(binaries!);
    dataDir = mkdtempSync(join(tmpdir(), 'weir-clocks-'));
    databaseUrl = await postgres.newDatabase();
    const env = { DATABASE_URL: databaseUrl, WEIR_DATA_DIR: dataDir };
    for (const command of ['migrate', 'bootstrap']) {
      execFileSync(process.execPath, ['dist/cli/main.js', 'server', command], {
        env: { PATH: process.env['PATH'] ?? '', ...isolationEnv(), ...env },
        stdio: 'pipe',
      });
    }
    bootstrap = readBootstrap(dataDir);
    servers = await Promise.all(
      [40, -40].map((days) =>
        ServerProcess.start(
          { ...env, NODE_OPTIONS: `--import=${SHIFT}`, TEST_CLOCK_SHIFT_MS: String(days * DAY_MS) },
          undefined,
          '/healthz',
        ),
      ),
    );
  }, 240_000);
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function submit(server: ServerProcess, eventId: string): Promise<Response> {
    const response = await fetch(`${server.url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bootstrap.keys.production}`, 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'ai.request', event_id: eventId, request_id: eventId, payload: { prompt: 'hi' } }),
    });
    await response.arrayBuffer();
    return response;
  }

  const read = async <T>(server: ServerProcess, path: string): Promise<T> =>
    (await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${bootstrap.token}` } })).json() as T;

  it('store events in their order of arrival, in this week, with the time of the database', async () => {
    const sent: string[] = [];
    const fromMs = Date.now();
    for (let n = 0; n < EVENTS; n++) {
      expect((await submit(servers[n % 2]!, `e${n}`)).status).toBe(200);
      sent.push(`e${n}`);
    }
    const toMs = Date.now();
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const { rows } = await client.query<Stored & { week: string }>(
      `SELECT id::text AS id, event_id, received_at::text AS received_at, tableoid::regclass::text AS week
       FROM events WHERE type = 'ai.request' ORDER BY id`,
    );
    const claims = await client.query<{ at: Date }>('SELECT created_at AS at FROM event_ids');
    const hours = await client.query<{ at: Date }>(
      'SELECT DISTINCT bucket AS at FROM event_rollups WHERE grain = 3600',
    );
    const weeks = await client.query<{ name: string }>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'events'::regclass ORDER BY 1`,
    );
    await client.end();
    expect(rows.map((row) => row.event_id)).toEqual(sent);
    for (const { received_at: at, week } of rows) {
      // A server can be wrong by at most the round trip to the database.
      expect(Date.parse(at)).toBeGreaterThan(fromMs - 2_000);
      expect(Date.parse(at)).toBeLessThan(toMs + 2_000);
      const monday = Date.parse(week.replace(/^events_w(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3'));
      expect(Date.parse(at) - monday).toBeGreaterThanOrEqual(0);
      expect(Date.parse(at) - monday).toBeLessThan(7 * DAY_MS);
    }
    for (const { at } of claims.rows) expect(Math.abs(at.getTime() - toMs)).toBeLessThan(60_000);
    for (const { at } of hours.rows) expect(Math.abs(at.getTime() - toMs)).toBeLessThan(2 * 3_600_000);
    expect(weeks.rows.length).toBe(6);
  }, 120_000);

  it('all return the same pages, counts and replayed answers', async () => {
    for (const server of servers) {
      const again = await submit(server, 'e0');
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
      const names: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: { data: Stored[]; next_cursor: string | null } = await read(
          server,
          `/v1/events?type=ai.request&limit=5${cursor === '' ? '' : `&cursor=${cursor}`}`,
        );
        names.push(...page.data.map((event) => event.event_id));
        cursor = page.next_cursor;
      }
      expect(names).toEqual(Array.from({ length: EVENTS }, (_, n) => `e${EVENTS - 1 - n}`));
      const { totals } = await read<{ totals: { calls: number } }>(server, '/v1/stats');
      expect(totals.calls).toBe(EVENTS);
    }
  }, 120_000);

  it('are not ready, and report how wrong their clocks are', async () => {
    for (const [server, which] of [
      [servers[0]!, 'ahead of'],
      [servers[1]!, 'behind'],
    ] as const) {
      const probe = await fetch(`${server.url}/readyz`);
      expect(probe.status).toBe(503);
      const { error } = (await probe.json()) as { error: { details: { path: string; message: string }[] } };
      expect(error.details).toEqual([
        { path: 'clock', message: expect.stringMatching(new RegExp(`^is 34\\d{5} s ${which} the database's$`)) },
      ]);
    }
  }, 60_000);
});
