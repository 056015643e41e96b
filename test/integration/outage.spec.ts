import { describeOnPostgres } from '../support/describe-on-postgres.js';
import { TestPostgres } from '../support/postgres.js';
import { COUNTED, readAudit } from '../support/budget-audit.js';
import { startTestApp, TEST_POLICIES, testPolicy, type TestApp } from '../support/test-app.js';

describeOnPostgres('A service whose database becomes unavailable', (binaries) => {
  let postgres: TestPostgres;
  let app: TestApp;

  beforeAll(async () => {
    postgres = await TestPostgres.start(binaries);
    const production = testPolicy('production', `client_monitor_mode: ignore\ncontent: redacted\n${COUNTED}`);
    app = await startTestApp({
      databaseUrl: await postgres.newDatabase(),
      policies: { ...TEST_POLICIES, 'production/policy.yaml': production },
    });
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

  it('continues after a crash and restart of the database, and has stored what it acknowledged', async () => {
    expect((await submit('before-crash')).status).toBe(200);
    await postgres.crashAndRestart();
    let answer = await submit('after-crash');
    for (let attempt = 0; answer.status === 503 && attempt < 50; attempt++) answer = await submit('after-crash');
    expect(answer.status).toBe(200);
    const again = await submit('before-crash');
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  }, 60_000);

  it('counts exactly the acknowledged events in its budgets', async () => {
    const answer = async (id: string): Promise<number> => {
      const response = await fetch(`${app.url}/v1/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${app.bootstrap.keys.production}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          ...{ type: 'ai.response', event_id: id, request_id: id },
          payload: { output: 'hi', usage: { prompt_tokens: 10, completion_tokens: 1 } },
        }),
      });
      await response.arrayBuffer();
      return response.status;
    };
    const ids = Array.from({ length: 60 }, (_, index) => `crash-${index}`);
    const send = (): Promise<number[]> => Promise.all(ids.map(answer));
    const first = send();
    await postgres.crashAndRestart();
    let statuses = await first;
    for (let attempt = 0; statuses.some((status) => status !== 200) && attempt < 50; attempt++) statuses = await send();
    expect(statuses.every((status) => status === 200)).toBe(true);
    const audit = await readAudit(app);
    expect(audit).toMatchObject({ exact: true, unsettled_events: 0 });
    expect(audit.data.map(({ budget, usage }) => [budget, usage])).toContainEqual(['all', `${11 * ids.length}`]);
  }, 60_000);

  it('responds with 503 and Retry-After to submitted events, reads and readiness probes', async () => {
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
