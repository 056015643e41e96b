import { eachApp } from '../support/each-app.js';
import { restClient } from '../support/rest-client.js';

const HOUR_MS = 3_600_000;

interface Group {
  readonly key: string;
  readonly label: string;
  readonly calls: readonly number[];
  readonly previous: { readonly calls: number };
}

eachApp('Statistics over time', (current) => {
  const rest = restClient(current);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

  it('count each call once, with its outcome, its cost and the latency of Weir', async () => {
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
    expect(json.groups[0].previous).toEqual({ calls: 0, cost_nano_usd: '0' });
  });

  it('contain the previous period of each group, even of a group without current calls', async () => {
    const soon = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 60_000);
    const range = `from=${soon.toISOString()}&to=${new Date(soon.getTime() + HOUR_MS).toISOString()}&step=60`;
    const { groups, totals, previous } = (await rest.read(`/v1/stats?${range}&group_by=environment`)).json;
    expect([totals.calls, previous.calls]).toEqual([0, 4]);
    expect(groups.map(({ key, calls, previous: before }: Group) => [key, sum(calls), before])).toEqual([
      ['production', 0, { calls: 3, cost_nano_usd: '750000000' }],
      ['staging', 0, { calls: 1, cost_nano_usd: '0' }],
    ]);
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
    ['rule=words.flag-token', 'rule'],
    ['group_by=rule&model=m', 'model'],
    ['group_by=rule&key=sk_live_wr1_x', 'key'],
    ['group_by=rule&step=300', 'step'],
    ['app=a&app=b', 'app'],
  ])('are refused for invalid parameters: %s', async (query, path) => {
    const { status, json } = await rest.read(`/v1/stats?${query}`);
    expect([status, json.error.details.map((detail: { path: string }) => detail.path)]).toEqual([422, [path]]);
  });

  it('count the hits of each rule, with the same result as the log', async () => {
    for (const prompt of ['ssn-1', 'a token-1', 'a token-2']) {
      await rest.submit({ type: 'ai.request', request_id: prompt, model: 'm', payload: { prompt } });
    }
    const staged = { type: 'ai.request', request_id: 'staged hit', model: 'm', payload: { prompt: 'a token-3' } };
    await rest.submit(staged, 'staging');
    const hits = async (query = '') => {
      const { groups, step_seconds: step } = (await rest.read(`/v1/stats?group_by=rule${query}`)).json;
      expect(step % 3_600).toBe(0);
      return groups.map(({ key, calls }: Group) => [key, sum(calls)]);
    };
    expect(await hits()).toEqual([
      ['words.flag-token', 3],
      ['words.block-ssn', 1],
    ]);
    expect(await hits('&environment=production&rule=words.flag-token')).toEqual([['words.flag-token', 2]]);
    expect(await hits('&top=1')).toEqual([
      ['words.flag-token', 3],
      ['other', 1],
    ]);
    expect(await hits('&app=nobody')).toEqual([]);
    const logged = (await rest.read('/v1/events?type=policy.violation&limit=200')).json.data;
    expect(logged.length).toBe(4);
  });

  it('name the groups with most calls, and add up all others, in the range and in the one before it', async () => {
    const models = ['ranked-a', 'ranked-a', 'ranked-a', 'ranked-b', 'ranked-b', 'ranked-c', 'ranked-d'];
    for (const [nth, model] of models.entries()) {
      const event = { type: 'ai.request', request_id: `ranked-${nth}`, model, payload: { prompt: 'hello' } };
      expect((await rest.submit(event, 'development')).status).toBe(200);
    }
    const of = async (query: string) => (await rest.read(`/v1/stats?environment=development&${query}`)).json;
    const now = await of('group_by=model&top=2');
    expect(now.groups.map(({ key, label, calls }: Group) => [key, label, sum(calls)])).toEqual([
      ['ranked-a', 'ranked-a', 3],
      ['ranked-b', 'ranked-b', 2],
      ['other', '2 others', 2],
    ]);
    expect(now.totals.calls).toBe(7);
    const soon = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 60_000);
    const range = `from=${soon.toISOString()}&to=${new Date(soon.getTime() + HOUR_MS).toISOString()}&step=60`;
    const later = await of(`group_by=model&top=1&${range}`);
    expect(later.groups.map(({ key, calls, previous }: Group) => [key, sum(calls), previous.calls])).toEqual([
      ['ranked-a', 0, 3],
      ['other', 0, 4],
    ]);
    expect((await of('group_by=model&top=50')).groups.map(({ key }: Group) => key)).toEqual([
      ...['ranked-a', 'ranked-b', 'ranked-c', 'ranked-d'],
    ]);
    const { groups } = await of('group_by=app&top=1');
    expect(groups).toMatchObject([{ label: 'default' }]);
    expect(groups[0].weir_ms.p50.some((ms: number | null) => ms !== null)).toBe(true);
    expect((await of('group_by=key&top=1')).groups[0].label).toEqual(expect.not.stringMatching(/^$|others/));
  });

  it('contain the number of blocked calls of each app', async () => {
    const payload = { messages: [{ role: 'user', content: 'ssn-7' }] };
    const refused = await rest.submit({ type: 'ai.request', request_id: 'blocked', payload });
    expect(refused.status).toBe(400);
    const { groups, totals } = (await rest.read('/v1/stats?group_by=app&environment=production')).json;
    expect(totals.blocked).toBeGreaterThan(0);
    expect(sum(groups[0].blocked)).toBe(totals.blocked);
  });

  it('contain the number of calls that the cost leaves out because they have no price', async () => {
    const usage = { prompt_tokens: 7, completion_tokens: 5 };
    const answers = [{ usage }, { usage }, { usage, cost_usd: 0.5 }, {}];
    for (const [nth, payload] of answers.entries()) {
      const call = { request_id: `price-${nth}`, model: nth === 0 ? 'no-such-model-a' : 'no-such-model-b' };
      await rest.submit({ ...call, type: 'ai.request', payload: { prompt: 'hello' } }, 'staging');
      const answer = { ...call, type: 'ai.response', payload: { output: 'hi', ...payload } };
      expect((await rest.submit(answer, 'staging')).status).toBe(200);
    }
    const { groups, totals } = (await rest.read('/v1/stats?environment=staging&group_by=model&metrics=cost')).json;
    expect(totals).toMatchObject({ cost_nano_usd: '500000000', without_price: 2 });
    const known = groups.filter(({ key }: Group) => key.startsWith('no-such-model'));
    expect(
      known.map((group: { key: string; without_price: number[] }) => [group.key, sum(group.without_price)]),
    ).toEqual([
      ['no-such-model-b', 1],
      ['no-such-model-a', 1],
    ]);
  });
});
