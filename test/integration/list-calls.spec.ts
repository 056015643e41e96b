import { eachApp } from '../support/each-app.js';
import { restClient } from '../support/rest-client.js';

eachApp('The list of events', (current) => {
  const rest = restClient(current);
  const ids = async (query: string): Promise<string[]> =>
    (await rest.read(`/v1/events?${query}`)).json.data.map((event: { event_id: string }) => event.event_id);

  beforeAll(async () => {
    const send = (body: object, environment?: 'staging') => rest.submit(body, environment);
    await send({
      type: 'ai.request',
      event_id: 'one',
      request_id: 'r-1',
      metadata: { team: 'ads' },
      payload: { model: 'm', prompt: 'hello' },
    });
    await send({ type: 'ai.response', event_id: 'one-a', request_id: 'r-1', payload: { output: 'hi', cost_usd: 0.5 } });
    await send({ type: 'ai.request', event_id: 'two', request_id: 'r-2', payload: { model: 'n', prompt: 'hello' } });
    const failed = { provider: 'openai', model: 'n', error: { type: 'overloaded', message: 'busy' } };
    await send({ type: 'ai.error', event_id: 'two-a', request_id: 'r-2', payload: failed });
    await send({ type: 'ai.request', event_id: 'three', request_id: 'r-3', payload: { prompt: 'hello' } }, 'staging');
    await send({ type: 'ai.response', event_id: 'alone', request_id: 'r-4', payload: { output: 'nobody asked' } });
  });

  it('has one entry per call, with the outcome and cost of all its events', async () => {
    expect(await ids('view=calls')).toEqual(['alone', 'three', 'two', 'one']);
    const { data } = (await rest.read('/v1/events?view=calls&order=asc&fields=summary')).json;
    expect(data[0]).toMatchObject({ event_id: 'one', outcome: 'allowed', cost_nano_usd: '500000000' });
    expect(data[1]).toMatchObject({ event_id: 'two', outcome: 'error' });
    expect(data[0]).not.toHaveProperty('payload');
    expect(data[0]).not.toHaveProperty('facts');
  });

  it('filters calls by their outcome', async () => {
    expect(await ids('view=calls&outcome=error')).toEqual(['two']);
    expect(await ids('view=calls&outcome=allowed,error&order=asc')).toEqual(['one', 'two', 'three', 'alone']);
    expect(await ids('view=calls&outcome=blocked')).toEqual([]);
  });

  it('accepts several values and negated filters, and has pages in either order', async () => {
    expect(await ids('type=ai.error,ai.response')).toEqual(['alone', 'two-a', 'one-a']);
    expect(await ids('not.environment=production')).toEqual(['three']);
    expect(await ids('view=calls&not.environment=staging')).toEqual(['alone', 'two', 'one']);
    expect(await ids('min_cost_usd=0.4')).toEqual(['one-a']);
    const walked: string[] = [];
    let cursor = '';
    do {
      const { data, next_cursor: next } = (await rest.read(`/v1/events?order=asc&limit=1${cursor}`)).json;
      walked.push(...data.map((event: { event_id: string }) => event.event_id));
      cursor = next === null ? '' : `&cursor=${next}`;
    } while (cursor !== '');
    expect(walked).toEqual(['one', 'one-a', 'two', 'two-a', 'three', 'alone']);
  });

  it('has a count of events and a count of calls', async () => {
    expect((await rest.read('/v1/events/count')).json).toEqual({ count: 6, capped: false, searched_to: null });
    expect((await rest.read('/v1/events/count?view=calls&not.outcome=error')).json).toEqual({
      count: 3,
      capped: false,
      searched_to: null,
    });
  });

  it('has counts of the values of fields, for events and for calls', async () => {
    const facets = async (query: string): Promise<unknown> => (await rest.read(`/v1/events/facets?${query}`)).json;
    expect(await facets('field=outcome,type')).toEqual({
      sampled: false,
      of: 6,
      searched_to: null,
      data: {
        outcome: [
          { value: 'allowed', label: null, count: 5 },
          { value: 'error', label: null, count: 1 },
        ],
        type: [
          { value: 'ai.request', label: null, count: 3 },
          { value: 'ai.response', label: null, count: 2 },
          { value: 'ai.error', label: null, count: 1 },
        ],
      },
    });
    expect(await facets('view=calls&field=outcome,app,rule,metadata,metadata.team')).toMatchObject({
      of: 4,
      data: {
        outcome: [
          { value: 'allowed', count: 3 },
          { value: 'error', count: 1 },
        ],
        app: [{ label: 'default', count: 4 }],
        rule: [],
        metadata: [{ value: 'team', count: 1 }],
        'metadata.team': [{ value: 'ads', count: 1 }],
      },
    });
    expect(await facets('view=calls&outcome=error&field=model&limit=1')).toMatchObject({
      of: 1,
      data: { model: [{ value: 'n', count: 1 }] },
    });
  });

  it('finds a call by text in any of its events', async () => {
    expect(await ids('view=calls&q=nobody')).toEqual(['alone']);
    expect(await ids('view=calls&q=busy')).toEqual(['two']);
    // The event in staging is stored without its text.
    expect(await ids('view=calls&q=hello')).toEqual(['two', 'one']);
    expect((await rest.read('/v1/events/count?view=calls&q=hello')).json).toEqual({
      count: 2,
      capped: false,
      searched_to: null,
    });
  });

  it('finds a call if different events of it match different filters', async () => {
    expect(await ids('view=calls&min_cost_usd=0.5&decision=allow&outcome=allowed&model=m')).toEqual(['one']);
    expect(await ids('view=calls&min_cost_usd=0.5&outcome=error')).toEqual([]);
    expect(await ids('view=calls&metadata.team=ads')).toEqual(['one']);
    expect(await ids('view=calls&not.metadata.team=ads')).toEqual(['alone', 'three', 'two']);
    expect(await ids('view=calls&not.decision=allow')).toEqual([]);
    expect(await ids('view=calls&request_id=r-2')).toEqual(['two']);
    expect(await ids('view=calls&from=2100-01-01')).toEqual([]);
    expect(await ids('view=calls&outcome=allowed,error&from=2020-01-01&to=2100-01-01')).toHaveLength(4);
  });

  it.each([
    ['/v1/events?outcome=fine', 'outcome'],
    ['/v1/events?not.limit=3', 'not.limit'],
    ['/v1/events?order=up', 'order'],
    ['/v1/events?min_cost_usd=-1', 'min_cost_usd'],
    ['/v1/events/count?limit=3', 'limit'],
    ['/v1/events/facets?field=payload', 'field'],
    ['/v1/events/facets?limit=0', 'limit'],
    ['/v1/events/tail?view=calls', 'view'],
    ['/v1/events?not.metadata.=1', 'not.metadata.'],
    ['/v1/events?model=a,,b', 'model'],
    ['/v1/events/export?order=asc', 'order'],
  ])('refuses invalid parameters: %s', async (path, name) => {
    const { status, json } = await rest.read(path);
    expect([status, json.error.details[0].path]).toEqual([422, name]);
  });
});
