import { eachApp } from '../support/each-app.js';
import { restClient, type Environment } from '../support/rest-client.js';

interface Session {
  readonly session_id: string;
}

eachApp('Sessions', (current) => {
  const rest = restClient(current);
  const submit = async (session: string, event: object, environment: Environment = 'production') => {
    const { status } = await rest.submit({ ...event, metadata: { session_id: session } }, environment);
    expect([200, 400]).toContain(status);
  };
  const read = async (query = ''): Promise<{ data: Session[]; next_cursor: string | null }> => {
    const { status, json } = await rest.read(`/v1/sessions${query}`);
    expect(status).toBe(200);
    return json;
  };
  const idsOf = async (query = '') => (await read(query)).data.map(({ session_id: id }) => id);

  beforeAll(async () => {
    const call = { type: 'ai.request', request_id: 'r-1', payload: { model: 'm-1', prompt: 'hello' } };
    await submit('talk', call);
    const usage = { output: 'hi', cost_usd: 0.25, usage: { prompt_tokens: 7, completion_tokens: 5 } };
    await submit('talk', { type: 'ai.response', request_id: 'r-1', model: 'm-2', payload: usage });
    await submit('talk', { type: 'agent.tool_call', request_id: 'r-2', payload: { tool: 'run_shell', arguments: {} } });
    for (const name of ['a', 'b', 'c']) await submit(name, { ...call, request_id: name });
    await submit('staged', { ...call, request_id: 's' }, 'staging');
    await rest.submit({ ...call, request_id: 'alone' });
  });

  it('are listed latest first, with the outcomes of their calls', async () => {
    expect(await idsOf()).toEqual(['staged', 'c', 'b', 'a', 'talk']);
    const [talk] = (await read('?session=talk')).data;
    expect(talk).toMatchObject({
      ...{
        environment: 'production',
        calls: 2,
        tool_calls: 1,
        tokens: 12,
        cost_nano_usd: '250000000',
        without_price: 0,
      },
      outcomes: { allowed: 1, blocked: 1, redacted: 0 },
      models: expect.arrayContaining(['m-2']) as string[],
      app: { name: expect.any(String) as string },
    });
  });

  it('can be filtered by environment, app, model, outcome and time', async () => {
    expect(await idsOf('?environment=staging')).toEqual(['staged']);
    expect(await idsOf('?environment=staging,production&outcome=blocked')).toEqual(['talk']);
    expect(await idsOf('?model=m-2')).toEqual(['talk']);
    expect(await idsOf('?app=no-such-app')).toEqual([]);
    expect(await idsOf('?to=2020-01-01')).toEqual([]);
    expect(await idsOf('?from=2099-01-01')).toEqual([]);
  });

  it('are listed in pages without gaps or duplicates', async () => {
    const seen: string[] = [];
    for (let query = '?limit=2'; query !== '';) {
      const { data, next_cursor: cursor } = await read(query);
      seen.push(...data.map(({ session_id: id }) => id));
      query = cursor === null ? '' : `?limit=2&cursor=${cursor}`;
    }
    expect(seen).toEqual(['staged', 'c', 'b', 'a', 'talk']);
  });

  it.each([
    ['cursor=x', 'cursor'],
    [`cursor=${Buffer.from('["1","production","x","s"]').toString('base64url')}`, 'cursor'],
    ['limit=0', 'limit'],
    ['outcome=fine', 'outcome'],
    ['colour=red', 'colour'],
  ])('are refused for invalid parameters: %s', async (query, path) => {
    const { status, json } = await rest.read(`/v1/sessions?${query}`);
    expect([status, json.error.details.map((detail: { path: string }) => detail.path)]).toEqual([422, [path]]);
  });

  it('with a given id contain the time that Weir added to their calls and the rules that fired', async () => {
    const events = (await rest.read('/v1/events?session=talk')).json.data as {
      readonly type: string;
      readonly latency_ms: { readonly weir: number | null };
    }[];
    // The answer belongs to the call of its request.
    const calls = events.filter(({ type }) => type === 'ai.request' || type === 'agent.tool_call');
    const addedMs = calls.reduce((sum, { latency_ms: latency }) => sum + (latency.weir ?? 0), 0);
    expect([calls.length, addedMs > 0]).toEqual([2, true]);
    const fired = (await rest.read('/v1/events?session=talk&type=policy.violation')).json.data as {
      readonly violations: readonly { readonly rule: string }[];
    }[];
    expect(fired.length).toBeGreaterThan(0);
    expect((await read('?session=talk')).data).toEqual([
      expect.objectContaining({
        weir_ms: expect.closeTo(addedMs, 6) as number,
        rules: [...new Set(fired.flatMap(({ violations }) => violations.map(({ rule }) => rule)))].sort(),
      }),
    ]);
    expect((await read('?session=a')).data).toEqual([expect.objectContaining({ rules: [] })]);
    const [listed] = (await read('?environment=staging')).data;
    expect(listed).not.toHaveProperty('rules');
  });

  it('contain the number of calls that their cost leaves out because they have no price', async () => {
    const call = { request_id: 'unpriced', model: 'no-such-model' };
    await submit('unpriced', { ...call, type: 'ai.request', payload: { prompt: 'hello' } });
    const payload = { output: 'hi', usage: { prompt_tokens: 7, completion_tokens: 5 } };
    await submit('unpriced', { ...call, type: 'ai.response', payload });
    const [session] = (await read('?session=unpriced')).data;
    expect(session).toMatchObject({ calls: 1, tokens: 12, cost_nano_usd: '0', without_price: 1 });
  });
});
