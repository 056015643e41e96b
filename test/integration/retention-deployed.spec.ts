import { Database } from '../../src/database/index.js';
import { RetentionInForce } from '../../src/deployments/index.js';
import { LedgerWriter } from '../../src/events/event.js';
import { RetentionKeeper } from '../../src/events/retention/retention-keeper.js';
import type { PolicyStore } from '../../src/policy-store/index.js';
import { eachApp } from '../support/each-app.js';
import { PolicyApi, policyFile, SSN_TEST, testBundle } from '../support/deployments.js';
import { restClient } from '../support/rest-client.js';

const DAY_MS = 86_400_000;

eachApp('Retention by deployed policies', (current) => {
  const rest = restClient(current);
  let api: PolicyApi;
  beforeAll(() => {
    api = new PolicyApi(current());
  });

  const database = (): Database => current().weir.app.get(Database);
  const bundle = (title: string, retention: string) => {
    const file = policyFile(title);
    return testBundle(title, {
      files: [{ ...file, text: `${file.text}\nretention: ${retention}\n` }],
      tests: [SSN_TEST],
    });
  };
  const deploy = async (title: string, retention: string): Promise<void> => {
    expect((await api.deploy(bundle(title, retention))).status).toBe(201);
  };
  /** Applies the retention as the service would this many days from now. */
  const keepIn = async (days: number, inForce = current().weir.app.get(RetentionInForce)): Promise<string[]> => {
    const reports: string[] = [];
    const { sql } = database();
    const ledger = current().weir.app.get(LedgerWriter);
    const now = (): Date => new Date(Date.now() + days * DAY_MS);
    await new RetentionKeeper({ sql, inForce, ledger, report: (message) => reports.push(message), now }).keep();
    return reports;
  };
  const request = (id: string, text: string, more: object = {}) => ({
    ...{ type: 'ai.request', event_id: id, request_id: id, ...more },
    payload: { messages: [{ role: 'user', content: text }] },
  });
  const found = async (id: string): Promise<number> => (await rest.read(`/v1/events/${id}`)).status;

  it('deletes nothing while no policy defines it', async () => {
    expect((await rest.submit(request('kept-1', 'hello'))).status).toBe(200);
    expect(await keepIn(1_000)).toEqual([]);
    expect((await rest.stored('kept-1')).payload).toEqual({ messages: [{ role: 'user', content: 'hello' }] });
  });

  it('deletes texts as soon as a deployed policy requires it, and answers retries as before', async () => {
    const body = request('kept-2', 'write to mail-7 about it');
    const first = await rest.submit(body);
    expect(first.json).toMatchObject({ decision: 'redact' });
    await deploy('Texts for 30 days', '{ content: 30d }');
    expect(await keepIn(40)).toEqual([]);
    expect(await rest.stored('kept-2')).toMatchObject({ payload: null, decision: 'redact' });
    expect((await rest.read('/v1/events?q=about')).json.data).toEqual([]);
    const again = await rest.submit(body);
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    const dump = await database()
      .sql.forMaintenance()
      .query<{ n: number }>(`SELECT count(*)::integer AS n FROM event_ids WHERE answer_body LIKE '%about it%'`);
    expect(dump).toEqual([{ n: 0 }]);
  });

  it('shows the retention periods and the holds', async () => {
    const until = new Date(Date.now() + 200 * DAY_MS).toISOString();
    expect((await rest.submit(request('kept-3', 'hello', { metadata: { session_id: 's-held' } }))).status).toBe(200);
    await deploy(
      'A hold',
      `{ content: 30d, records: 60d, holds: [{ id: LH-1, match: { session: s-held }, because: a lawsuit, until: ${until} }] }`,
    );
    expect(await keepIn(100)).toEqual([]);
    expect([await found('kept-1'), await found('kept-3')]).toEqual([404, 200]);
    expect((await rest.stored('kept-3')).payload).not.toBeNull();
    const { json } = await rest.read('/v1/me');
    expect(json.retention.at(-1)).toEqual({
      ...{ environment: 'production', content_days: 30, records_days: 60, held_events: 1 },
      holds: [{ id: 'LH-1', because: 'a lawsuit', until }],
      content: { stored: 'redacted', path: 'production/policy.yaml', line: expect.any(Number) },
    });
  });

  it('shows how texts are stored as the policy is compiled, however it is written', async () => {
    const { path, text } = policyFile('Quoted');
    const quoted = text.replace('content: redacted', '"content" : "full"');
    const deployed = await api.deploy(testBundle('Quoted', { files: [{ path, text: quoted }], tests: [SSN_TEST] }));
    expect(deployed.status).toBe(201);
    const line = quoted.split('\n').findIndex((each) => each.includes('"content"')) + 1;
    const { json } = await rest.read('/v1/me');
    expect(json.retention.at(-1)).toMatchObject({ environment: 'production', content: { stored: 'full', path, line } });
  });

  it('deletes nothing if this process does not run the deployed policy', async () => {
    await deploy('Short', '{ records: 1d }');
    const behind = new RetentionInForce(database().sql, {
      deployment: () => undefined,
      folderPolicy: () => ({ active: { policy: { retention: { recordsDays: 1, holds: [] } } } }),
    } as unknown as PolicyStore);
    expect(await keepIn(100, behind)).toEqual([]);
    expect(await found('kept-3')).toBe(200);
    expect(await keepIn(100)).toEqual([]);
    expect(await found('kept-3')).toBe(404);
  });
});
