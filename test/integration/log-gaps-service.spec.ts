/** The search for calls without an end, as the service runs it: with its settings, its metric and its log line. */
import { mock } from 'node:test';
import { Database } from '../../src/database/index.js';
import { GapSweeper } from '../../src/events/gap-sweeper.js';
import { EventLog } from '../../src/events/index.js';
import { appendRequest, newEvent } from '../support/events.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const MINUTE_MS = 60_000;

describe('The search of a service for calls without an end', () => {
  const start = mock.method(GapSweeper.prototype, 'start');
  let app: TestApp;
  let sweeper: GapSweeper;

  beforeAll(async () => {
    app = await startTestApp({ env: { WEIR_UPSTREAM_TOTAL_TIMEOUT: '1m' } });
    sweeper = app.weir.app.get(GapSweeper, { strict: false });
  }, 60_000);
  afterAll(async () => {
    start.mock.restore();
    await app.close();
  });

  const maintained = () => app.weir.app.get(Database, { strict: false }).sql.forMaintenance();
  /** A proxied call of the service's account that began this long ago and has no end. */
  async function openCall(agoMs: number): Promise<string> {
    const [account] = await maintained().query<{ id: string }>('SELECT id::text AS id FROM accounts');
    const receivedAt = new Date(Date.now() - agoMs);
    const event = newEvent({ accountId: account?.id ?? '', source: 'proxy', receivedAt });
    await app.weir.app.get(EventLog, { strict: false }).append(appendRequest(event));
    return event.id;
  }
  const endsOf = (id: string) =>
    maintained().query('SELECT type, reason FROM events WHERE parent_id = $1::text::uuid', [id]);
  async function gaps(): Promise<number> {
    const text = await (await fetch(`${app.url}/metrics`)).text();
    return Number(/^weir_log_gaps_total (\d+)$/m.exec(text)?.[1] ?? 0);
  }

  it('is started once with the service', () => {
    expect(start.mock.calls.map((call) => call.this === sweeper)).toEqual([true]);
  });

  it('ends calls five minutes after the time limit of the setting, and tells how many', async () => {
    const [ended, inTime] = [await openCall(7 * MINUTE_MS), await openCall(5 * MINUTE_MS)];
    expect(await gaps()).toBe(0);
    await sweeper.tick();
    expect(await endsOf(ended)).toEqual([{ type: 'ai.error', reason: 'log_gap' }]);
    expect(await endsOf(inTime)).toEqual([]);
    expect(await gaps()).toBe(1);
    expect(app.logs.join('')).toContain('The log did not show how 1 proxied calls ended');
  });
});
