import { eachApp } from '../support/each-app.js';
import { restClient, type Answer } from '../support/rest-client.js';

const request = (content: string, more: object = {}) => ({
  type: 'ai.request',
  request_id: 'r-1',
  ...more,
  payload: { messages: [{ role: 'user', content }] },
});
const statuses = ({ json }: Answer): number[] => (json.answers as { status: number }[]).map(({ status }) => status);

eachApp('POST /v1/events:batch', (current) => {
  const { call, submit, read, stored } = restClient(current);
  const batch = (body: unknown, type = 'application/json'): Promise<Answer> =>
    call(
      'POST',
      '/v1/events:batch',
      { authorization: `Bearer ${current().bootstrap.keys.production}`, 'content-type': type },
      typeof body === 'string' ? body : JSON.stringify(body),
    );
  const bodies = ({ json }: Answer): Answer['json'][] => json.answers.map(({ body }: Answer['json']) => body);
  const countOf = async (requestId: string): Promise<number> =>
    (await read(`/v1/events/count?request_id=${requestId}`)).json.count as number;

  it('answers each event as it would have been answered alone, in order', async () => {
    const events = [
      request('hello', { request_id: 'alike-1' }),
      request('ask mail-1', { request_id: 'alike-2' }),
      request('my ssn-1', { request_id: 'alike-3' }),
      { type: 'ai.error', request_id: 'alike-4', payload: { error: { message: 'none' } } },
      { type: 'ai.nothing' },
      { type: 'policy.violation' },
      7,
    ];
    const alone = [];
    for (const event of events) alone.push(await submit(event));
    const answer = await batch(events);
    expect([answer.status, statuses(answer)]).toEqual([200, alone.map(({ status }) => status)]);
    const withoutIds = (body: Answer['json']): unknown =>
      JSON.parse(JSON.stringify(body).replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'an id'));
    expect(bodies(answer).map(withoutIds)).toEqual(alone.map(({ json }) => withoutIds(json)));
  });

  it('stores each event as it was answered', async () => {
    const [first, second] = bodies(await batch([request('hello'), request('ask mail-1')]));
    expect(await stored(first.event_id)).toMatchObject({
      decision: 'allow',
      payload: { messages: [{ content: 'hello' }] },
    });
    expect(await stored(second.event_id)).toMatchObject({ decision: 'redact' });
    expect(JSON.stringify(await stored(second.event_id))).not.toContain('mail-1');
  });

  it('accepts one event per line, and answers an invalid line separately', async () => {
    const lines = [JSON.stringify(request('one')), '{"type":', JSON.stringify(request('two'))].join('\r\n');
    const answer = await batch(`${lines}\n\n`, 'application/x-ndjson');
    expect(statuses(answer)).toEqual([200, 422, 200]);
    expect(bodies(answer)[1].error).toMatchObject({ type: 'invalid_request', message: 'The body is not valid JSON' });
  });

  it('records an event once, however often and in whichever request its id is repeated', async () => {
    const events = [1, 2, 3].map((n) =>
      request(`text ${n}`, { event_id: `batch-again-${n}`, request_id: 'batch-again' }),
    );
    const first = await batch(events);
    const again = await batch([...events.toReversed(), request('other', { event_id: 'batch-again-1' })]);
    expect(statuses(again)).toEqual([200, 200, 200, 422]);
    expect(again.json.answers.map(({ replayed }: Answer['json']) => replayed)).toEqual([true, true, true, undefined]);
    expect(bodies(again).slice(0, 3)).toEqual(bodies(first).toReversed());
    expect((await submit(events[0])).headers.get('idempotent-replayed')).toBe('true');
    expect(await countOf('batch-again')).toBe(3);
  });

  it('records an event once that a batch contains twice', async () => {
    const twice = request('twice', { event_id: 'batch-twice', request_id: 'batch-twice' });
    const answer = await batch([twice, twice]);
    expect(statuses(answer)).toEqual([200, 200]);
    expect(await countOf('batch-twice')).toBe(1);
  });

  it('judges an answer with the request that precedes it in the batch', async () => {
    const look = { name: 'look', arguments: '{"city":"Bern"}' };
    const asksForTool = { role: 'assistant', tool_calls: [{ id: 'c-1', type: 'function', function: look }] };
    const pair = (name: string) => [
      request('hello', { request_id: name }),
      { type: 'ai.response', request_id: name, payload: { output: { choices: [{ message: asksForTool }] } } },
    ];
    const known = async (eventId: string): Promise<unknown> => (await stored(eventId)).facts.stages;
    const [first, second] = pair('batch-pair-alone');
    await submit(first);
    const alone = await known((await submit(second)).json.event_id);
    const together = bodies(await batch(pair('batch-pair')));
    expect(await known(together[1].event_id)).toEqual(alone);
    const reversed = bodies(await batch(pair('batch-pair-reversed').toReversed()));
    expect(await known(reversed[0].event_id)).not.toEqual(alone);
  });

  it('accepts 1,000 events and records each of them', async () => {
    const events = Array.from({ length: 1_000 }, (_, n) => request(`text ${n}`, { request_id: `batch-many-${n % 7}` }));
    const answer = await batch(events);
    expect(statuses(answer).filter((status) => status === 200)).toHaveLength(1_000);
    let count = 0;
    for (let n = 0; n < 7; n += 1) count += await countOf(`batch-many-${n}`);
    expect(count).toBe(1_000);
    expect(new Set(bodies(answer).map(({ event_id }) => event_id)).size).toBe(1_000);
  }, 60_000);

  it('refuses invalid batches and unauthorized callers as a whole', async () => {
    for (const body of ['{}', '[]', '[{}', '']) expect((await batch(body)).status).toBe(422);
    expect((await batch('[{}]', 'text/plain')).status).toBe(422);
    expect((await call('POST', '/v1/events:batch', { 'content-type': 'application/json' }, '[{}]')).status).toBe(401);
  });

  it('refuses a single event that is too large, and accepts the others', async () => {
    const answer = await batch([request('x'.repeat(1_100_000)), request('small')]);
    expect(statuses(answer)).toEqual([413, 200]);
  });
});

eachApp(
  'The limit of batches',
  (current) => {
    const { call } = restClient(current);
    const batch = (count: number): Promise<Answer> =>
      call(
        'POST',
        '/v1/events:batch',
        { authorization: `Bearer ${current().bootstrap.keys.production}`, 'content-type': 'application/json' },
        JSON.stringify(Array(count).fill(request('hello'))),
      );

    it('counts events, admits a batch completely or not at all, and reports the remaining quota', async () => {
      const tooMany = await batch(6);
      expect([tooMany.status, tooMany.json.error.message]).toEqual([
        429,
        '6 events at once exceed the limit of 5 within 3600 s: send fewer at a time',
      ]);
      const first = await batch(3);
      expect([first.status, first.headers.get('ratelimit')]).toEqual([
        200,
        expect.stringMatching(/^"batch";r=2;t=\d+$/),
      ]);
      const refused = await batch(3);
      expect([refused.status, refused.headers.get('ratelimit')]).toEqual([
        429,
        expect.stringMatching(/^"batch";r=2;t=\d+$/),
      ]);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await batch(2)).status).toBe(200);
    });
  },
  { env: { WEIR_RATE_BATCH: '5/3600' } },
);
