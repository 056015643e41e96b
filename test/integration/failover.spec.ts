/**
 * The primary is killed under load and its standby takes over, as in an operator's failover: promote it, then move the
 * address.
 */
import { describeOnPostgresWith } from '../support/describe-on-postgres.js';
import { FreezingProxy } from '../support/freezing-proxy.js';
import { TestPostgres } from '../support/postgres.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const WRITERS = 16;
/** Acknowledged events before the failover, and again after it. */
const EVENTS = Number(process.env['WEIR_TEST_CALLS'] ?? 400);
const NEVER_MS = 60_000;
/** `WEIR_TEST_SYNC=off`: commits do not wait for the standby, and the lost events are printed. */
const IS_SYNCHRONOUS = process.env['WEIR_TEST_SYNC'] !== 'off';

describeOnPostgresWith(['pg_basebackup'], 'Two replicas whose PostgreSQL fails over under load', (binaries) => {
  let primary: TestPostgres;
  let standby: TestPostgres;
  let address: FreezingProxy;
  let name: string;
  const apps: TestApp[] = [];

  beforeAll(async () => {
    primary = await TestPostgres.start(binaries);
    const url = new URL(await primary.newDatabase());
    name = url.pathname.slice(1);
    standby = await primary.startStandby('standby');
    // Every commit waits until the standby has flushed it to disk.
    if (IS_SYNCHRONOUS) await primary.configure('synchronous_standby_names', 'standby');
    address = await FreezingProxy.start(Number(url.port));
    url.port = String(address.port);
    const settings = { databaseUrl: url.href, env: { DATABASE_READ_URL: standby.url(name) } };
    const first = await startTestApp(settings);
    apps.push(first, await startTestApp({ ...settings, replicaOf: first }));
  }, 120_000);
  afterAll(async () => {
    for (const app of apps) await app.close();
    await address.stop();
    await standby.stop();
    await primary.stop();
  });

  it('lose no acknowledged event, store none twice, and recover without an operator', async () => {
    const [sync] = await primary.ask<{ state: string }>('SELECT sync_state AS state FROM pg_stat_replication');
    expect(sync?.state).toBe(IS_SYNCHRONOUS ? 'sync' : 'async');
    const acknowledged = new Set<string>();
    const refused = new Map<number, number>();
    let isOver = false;
    const writer = async (id: number): Promise<void> => {
      for (let n = 0; !isOver; n += 1) {
        const eventId = `w${id}.${n}`;
        const status = await submit(apps[id % 2]!, eventId);
        if (status === 200) acknowledged.add(eventId);
        else refused.set(status, (refused.get(status) ?? 0) + 1);
      }
    };
    const writers = Array.from({ length: WRITERS }, (_, id) => writer(id));
    await until(() => acknowledged.size >= EVENTS);
    await primary.kill();
    const before = acknowledged.size;
    await standby.promote();
    address.moveTo(standby.listensOn);
    await until(() => acknowledged.size >= before + EVENTS);
    isOver = true;
    await Promise.all(writers);

    const rows = await standby.ask<{ id: string; n: number }>(
      `SELECT event_id AS id, count(*)::integer AS n FROM events WHERE type = 'ai.request' GROUP BY 1`,
      name,
    );
    const stored = new Map(rows.map(({ id, n }) => [id, n]));
    const lost = [...acknowledged].filter((id) => !stored.has(id));
    const twice = rows.filter(({ n }) => n > 1);
    if (!IS_SYNCHRONOUS) console.log(`${lost.length} of ${acknowledged.size} acknowledged events are lost`);
    expect({ lost: IS_SYNCHRONOUS ? lost : [], twice }).toEqual({ lost: [], twice: [] });
    // Requests refused meanwhile were refused as an outage.
    expect([...refused.keys()].filter((status) => status !== 503)).toEqual([]);
    for (const app of apps) expect((await fetch(`${app.url}/readyz`)).status).toBe(200);
  }, 180_000);

  it('read from the new primary, and report the read replica as ok', async () => {
    for (const app of apps) {
      let state: unknown;
      while (state !== 'ok')
        state = ((await (await fetch(`${app.url}/readyz`)).json()) as { read_replica: unknown }).read_replica;
    }
  }, 60_000);

  async function submit(app: TestApp, eventId: string): Promise<number> {
    const response = await fetch(`${app.url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.bootstrap.keys.production}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ type: 'ai.request', event_id: eventId, request_id: eventId },
        payload: { messages: [{ role: 'user', content: 'hello' }] },
      }),
      signal: AbortSignal.timeout(NEVER_MS),
    });
    await response.arrayBuffer();
    return response.status;
  }
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}
