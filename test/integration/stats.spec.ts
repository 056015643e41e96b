import { eachApp } from '../support/each-app.js';
import { restClient } from '../support/rest-client.js';

const HOUR_MS = 3_600_000;

eachApp('Figures over time', (current) => {
  const rest = restClient(current);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

  it('count each call once, with what came of it, what it cost and how long Weir took', async () => {
    const empty = (await rest.read('/v1/stats')).json;
    expect(empty.totals).toMatchObject({ calls: 0, cost_nano_usd: '0', weir_ms: { p50: null, p95: null, p99: null } });
    for (let call = 1; call <= 3; call += 1) {
      await rest.submit({ type: 'ai.request', request_id: `r-${call}`, payload: { model: 'm', prompt: 'hello' } });
      const answer = {
        type: 'ai.response',
        request_id: `r-${call}`,
        model: 'm',
        payload: { output: 'hi', cost_usd: 0.25 },
      };
      await rest.submit(answer);
    }
    await rest.submit({ type: 'ai.request', request_id: 'staged', payload: { prompt: 'hello' } }, 'staging');
    const { status, json } = await rest.read('/v1/stats?metrics=calls,cost,weir_ms&group_by=environment');
    expect(status).toBe(200);
    expect(json.totals).toMatchObject({ calls: 4, allowed: 4, blocked: 0, errors: 0, cost_nano_usd: '750000000' });
    expect(json.totals.weir_ms.p50).toBeGreaterThan(0);
    expect(json.groups.map(({ key, calls }: { key: string; calls: number[] }) => [key, sum(calls)])).toEqual([
      ['production', 3],
      ['staging', 1],
    ]);
    expect(json.groups[0].calls.length).toBe(json.buckets.length);
    expect(json.groups[0]).not.toHaveProperty('tokens');
    expect((await rest.read('/v1/stats?environment=staging')).json.totals.calls).toBe(1);
    expect(json.previous.calls).toBe(0);
  });

  it('cover whole buckets, by minute for an hour and by day for a quarter', async () => {
    const to = new Date(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS);
    const of = async (hours: number) => {
      const from = new Date(to.getTime() - hours * HOUR_MS).toISOString();
      return (await rest.read(`/v1/stats?from=${from}&to=${to.toISOString()}`)).json;
    };
    const [hour, day, quarter] = [await of(1), await of(24), await of(24 * 90)];
    expect([hour.step_seconds, hour.buckets.length]).toEqual([60, 60]);
    expect([day.step_seconds, day.buckets.length]).toEqual([1_800, 48]);
    expect(quarter.step_seconds).toBe(86_400);
    for (const { totals, groups } of [day, quarter]) {
      expect(totals.calls).toBe(4);
      expect(sum(groups.flatMap(({ calls }: { calls: number[] }) => calls))).toBe(4);
    }
  });

  it.each([
    ['step=7', 'step'],
    ['step=60&from=2026-01-01T00:00:00Z&to=2026-03-01T00:00:00Z', 'from'],
    ['from=2026-03-01T00:00:00Z&to=2026-01-01T00:00:00Z', 'from'],
    ['group_by=colour', 'group_by'],
    ['metrics=calls,,cost', 'metrics'],
    ['top=0', 'top'],
    ['colour=red', 'colour'],
    ['app=a&app=b', 'app'],
  ])('are refused for what cannot be: %s', async (query, path) => {
    const { status, json } = await rest.read(`/v1/stats?${query}`);
    expect([status, json.error.details.map((detail: { path: string }) => detail.path)]).toEqual([422, [path]]);
  });
});
