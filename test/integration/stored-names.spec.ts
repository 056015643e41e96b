import { eachApp } from '../support/each-app.js';

eachApp('Names that are stored beside the texts of an event', (current) => {
  async function submit(event: object): Promise<number> {
    const response = await fetch(`${current().url}/v1/events`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${current().bootstrap.keys.production}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ request_id: 'r', ...event }),
    });
    return response.status;
  }

  async function stored(query: string): Promise<Record<string, unknown>[]> {
    const response = await fetch(`${current().url}/v1/events?${query}`, {
      headers: { authorization: `Bearer ${current().bootstrap.token}` },
    });
    return ((await response.json()) as { data: Record<string, unknown>[] }).data;
  }

  it('are masked in their columns as in the payload: the id of a session, the type of an error', async () => {
    const metadata = { session_id: 'mail-41' };
    expect(await submit({ type: 'ai.error', metadata, payload: { error: { type: 'mail-42', message: 'm' } } })).toBe(
      200,
    );
    expect(await submit({ type: 'ai.request', metadata, payload: { prompt: 'ssn-43' } })).toBe(400);
    const events = await stored('limit=10');
    const session = events[0]?.['session_id'] as string;
    expect(session).toMatch(/^\[MAIL\]\[ID_[a-z]{14}\]$/);
    expect(events.map(({ type, session_id: id }) => [type, id]).sort()).toEqual([
      ['ai.error', session],
      ['ai.request', session],
      ['policy.violation', session],
    ]);
    expect(JSON.stringify(events)).not.toMatch(/mail-4\d/);
  });

  it('stay distinct if they are ids of two sessions that are masked alike', async () => {
    for (const session_id of ['mail-45', 'mail-46', 'mail-45'])
      expect(await submit({ type: 'ai.request', metadata: { session_id }, payload: { prompt: 'n' } })).toBe(200);
    const [third, second, first] = (await stored('limit=3')).map(({ session_id: id }) => id);
    expect([third === first, second === first]).toEqual([true, false]);
  });

  it('are unchanged if no detector finds anything in them', async () => {
    const error = { type: 'overloaded_error', message: 'mail-44' };
    expect(await submit({ type: 'ai.error', metadata: { session_id: 's-1' }, payload: { error } })).toBe(200);
    expect(await stored('session=s-1')).toMatchObject([{ session_id: 's-1', reason: 'overloaded_error' }]);
  });

  it('are masked in request ids and models, and two request ids stay distinct', async () => {
    for (const id of ['a/token-51', 'a/token-52', 'a/token-51']) {
      expect(await submit({ type: 'ai.request', request_id: id, model: 'of token-53', payload: { prompt: 'n' } })).toBe(
        200,
      );
    }
    const events = (await stored('limit=3')) as { request_id: string; model: string }[];
    const ids = events.map(({ request_id: id }) => id);
    expect(ids.every((id) => /^a\/\[TOKEN\]\[ID_[a-z]{14}\]$/.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(2);
    expect(events[0]!.model).toBe('of [TOKEN]');
    expect(JSON.stringify(events)).not.toMatch(/token-5\d/);
  });

  it('are masked in the facts that are stored with a decision: the name of a tool', async () => {
    const payload = { tool: 'run of token-58', arguments: {} };
    expect(await submit({ type: 'agent.tool_call', payload })).toBe(200);
    const [event] = await stored('type=agent.tool_call&limit=1');
    expect(JSON.stringify(event!['facts'])).toContain('"name":"[MASKED]"');
    expect(JSON.stringify(event)).not.toContain('token-58');
  });

  it('are refused if they are an event id with a finding: the error names only the field, and nothing is recorded', async () => {
    const before = (await stored('limit=1'))[0]!['id'];
    const response = await fetch(`${current().url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${current().bootstrap.keys.production}`, 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'ai.request', request_id: 'r', event_id: 'e:token-54', payload: { prompt: 'n' } }),
    });
    const text = await response.text();
    expect([response.status, text]).toEqual([422, expect.stringContaining('"path":"event_id"')]);
    expect(text).not.toContain('token-54');
    expect((await stored('limit=1'))[0]!['id']).toBe(before);
  });

  it('are masked everywhere if they are the id of a request: in log lines, in the refusal and in its replay', async () => {
    const send = async (environment: 'production' | 'development', id: string, event: object) => {
      const response = await fetch(`${current().url}/v1/events`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${current().bootstrap.keys[environment]}`,
          'content-type': 'application/json',
          'x-request-id': id,
        },
        body: JSON.stringify({ type: 'ai.request', request_id: 'r', payload: { prompt: 'ssn-61' }, ...event }),
      });
      const json = (await response.json()) as { error?: { trace_id: string } };
      return { status: response.status, header: response.headers.get('x-request-id'), trace: json.error?.trace_id };
    };
    const first = await send('production', 'b/token-62', { event_id: 'kept-62' });
    expect(first).toMatchObject({ status: 400, header: first.trace });
    expect(first.trace).toMatch(/^b\/\[TOKEN\]\[ID_[a-z]{14}\]$/);
    expect(await send('production', 'other', { event_id: 'kept-62' })).toEqual(first);
    await send('development', 'b/token-63', {});
    const logged = current().logs.join('');
    expect(logged).toContain(`"trace_id":"${first.trace}"`);
    expect(logged).not.toMatch(/token-6\d/);
  });

  it('are not in log lines if no detector has read them, but are returned to their sender', async () => {
    for (const [path, id] of [
      ['/v1/apps', 'token-64'],
      ['/v1/nowhere', 'token-65'],
      ['/proxy/openai/v1/models', 'token-66'],
      ['/v1/events/', 'token-67'],
    ] as const) {
      const response = await fetch(`${current().url}${path}`, { headers: { 'x-request-id': id } });
      expect([path, response.status >= 400, response.headers.get('x-request-id')]).toEqual([path, true, id]);
    }
    const uuid = crypto.randomUUID();
    await fetch(`${current().url}/v1/apps`, { headers: { 'x-request-id': uuid } });
    const logged = current().logs.join('');
    expect(logged).toContain(`"trace_id":"${uuid}"`);
    expect(logged).not.toMatch(/token-6\d/);
  });
});
