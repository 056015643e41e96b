/** Calls while another session locks a table of the log, as `CREATE INDEX` or a forgotten transaction does. */
import pg from 'pg';
import { describeOnPostgres } from '../support/describe-on-postgres.js';
import { TestPostgres } from '../support/postgres.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

/** An answer that takes longer than this never arrives. */
const NEVER_MS = 20_000;
const EVENTS = 40;

describeOnPostgres('A service whose log is locked by another session', (binaries) => {
  let postgres: TestPostgres;
  let app: TestApp;
  let databaseUrl: string;

  beforeAll(async () => {
    postgres = await TestPostgres.start(binaries);
    databaseUrl = await postgres.newDatabase();
    app = await startTestApp({ databaseUrl, env: { WEIR_DATABASE_CALL_TIMEOUT: '1500ms' } });
  }, 60_000);
  afterAll(async () => {
    await app.close();
    await postgres.stop();
  });

  const submit = (id: string): Promise<Response> =>
    fetch(`${app.url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.bootstrap.keys.production}`, 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'ai.request', event_id: id, request_id: id, payload: { prompt: 'hello' } }),
      signal: AbortSignal.timeout(NEVER_MS),
    });
  /** Submits an event until it is not refused any more. @returns the status */
  const stored = async (id: string): Promise<number> => {
    let answer = await submit(id);
    while (answer.status === 503) answer = await submit(id);
    return answer.status;
  };

  it.each([
    ['ids', 'LOCK TABLE event_ids IN SHARE MODE'],
    ['events', 'LOCK TABLE events IN EXCLUSIVE MODE'],
  ])('refuses all calls while the table of its %s is locked, and then stores each once', async (table, lock) => {
    const ids = Array.from({ length: EVENTS }, (_, index) => `${table}-${index}`);
    expect(await stored(`${table}-before`)).toBe(200);
    const holder = new pg.Client({ connectionString: databaseUrl });
    await holder.connect();
    await holder.query(`BEGIN; ${lock}`);
    const calls = ids.map(submit);
    await Promise.race(calls);
    // This call arrives when the others have waited for the lock.
    calls.push(submit(`${table}-later`));
    for (const answer of await Promise.all(calls)) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    }
    await holder.end();
    expect(await Promise.all(ids.map(stored))).toEqual(ids.map(() => 200));
    const [rows] = await postgres.ask<{ n: number }>(
      `SELECT count(*)::integer AS n FROM events WHERE event_id = ANY ('{${ids.join()}}')`,
      new URL(databaseUrl).pathname.slice(1),
    );
    expect(rows).toEqual({ n: EVENTS });
  });
});
