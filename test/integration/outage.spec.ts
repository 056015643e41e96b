import { findPostgresBinaries, TestPostgres } from '../support/postgres.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const binaries = findPostgresBinaries();
const wanted = process.env['WEIR_TEST_DATABASE'] !== 'embedded';
const declare = binaries === undefined || !wanted ? describe.skip : describe;

declare('A service whose database goes away', () => {
  let postgres: TestPostgres;
  let app: TestApp;

  beforeAll(async () => {
    postgres = await TestPostgres.start(binaries ?? '');
    app = await startTestApp({ databaseUrl: await postgres.newDatabase() });
  }, 60_000);
  afterAll(async () => {
    await app.close();
    await postgres.stop();
  });

  const submit = (eventId: string, key = app.bootstrap.keys.production) =>
    fetch(`${app.url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'ai.request', event_id: eventId, request_id: 'r', payload: { prompt: 'hello' } }),
    });

  it('goes on after the database crashed and came back, and has what it acknowledged', async () => {
    expect((await submit('before-crash')).status).toBe(200);
    await postgres.crashAndRestart();
    let answer = await submit('after-crash');
    for (let attempt = 0; answer.status === 503 && attempt < 50; attempt++) answer = await submit('after-crash');
    expect(answer.status).toBe(200);
    const again = await submit('before-crash');
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  }, 60_000);

  it('answers 503 with Retry-After, and says so to probes', async () => {
    expect((await submit('before')).status).toBe(200);
    await postgres.stop();
    const answers = [
      await submit('during'),
      await submit('during-staging', app.bootstrap.keys.staging),
      await fetch(`${app.url}/v1/events`, { headers: { authorization: `Bearer ${app.bootstrap.token}` } }),
      await fetch(`${app.url}/readyz`),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(await answer.json()).toMatchObject({ error: { type: 'unavailable' } });
    }
    expect((await fetch(`${app.url}/healthz`)).status).toBe(200);
    expect(app.logs.join('')).not.toMatch(/hello|postgres:\/\//);
  }, 60_000);
});
