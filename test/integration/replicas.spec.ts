import { describeOnPostgres } from '../support/describe-on-postgres.js';
import { TestPostgres } from '../support/postgres.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

describeOnPostgres('Two replicas on one PostgreSQL', (binaries) => {
  let postgres: TestPostgres;
  const replicas: TestApp[] = [];

  beforeAll(async () => {
    postgres = await TestPostgres.start(binaries);
    const databaseUrl = await postgres.newDatabase();
    const first = await startTestApp({ databaseUrl });
    replicas.push(first, await startTestApp({ databaseUrl, replicaOf: first }));
  }, 60_000);
  afterAll(async () => {
    for (const replica of replicas) await replica.close();
    await postgres.stop();
  });

  async function submit(replica: TestApp | undefined, body: unknown) {
    const response = await fetch(`${replica?.url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${replica?.bootstrap.keys.production}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return {
      status: response.status,
      replayed: response.headers.get('idempotent-replayed'),
      text: await response.text(),
    };
  }
  const request = (eventId: string, content: string) => ({
    type: 'ai.request',
    event_id: eventId,
    request_id: eventId,
    payload: { messages: [{ role: 'user', content }] },
  });
  const storedUnder = async (requestId: string): Promise<number> => {
    const response = await fetch(`${replicas[1]?.url}/v1/events?type=ai.request&request_id=${requestId}`, {
      headers: { authorization: `Bearer ${replicas[1]?.bootstrap.token}` },
    });
    return ((await response.json()) as { data: unknown[] }).data.length;
  };

  it('store one event for many concurrent duplicates at both replicas, and return the same answer to all of them', async () => {
    for (const [nth, content] of ['hello', 'mail-1', 'ssn-1'].entries()) {
      const id = `both-${nth}`;
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, index) => submit(replicas[index % 2], request(id, content))),
      );
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(new Set(answers.map(({ status }) => status)).size).toBe(1);
      expect(answers.filter(({ replayed }) => replayed === null)).toHaveLength(1);
      expect(await storedUnder(id)).toBe(1);
    }
  });

  it('refuse an event that the other replica stored with another body', async () => {
    expect((await submit(replicas[0], request('other-1', 'one'))).status).toBe(200);
    const conflict = await submit(replicas[1], request('other-1', 'two'));
    expect([conflict.status, conflict.text.includes('event_id_conflict')]).toEqual([422, true]);
    expect(await storedUnder('other-1')).toBe(1);
  });
});
