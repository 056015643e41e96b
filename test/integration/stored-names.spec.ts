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

  it('are masked where their text is: a session in metadata, the type of an error', async () => {
    const metadata = { session_id: 'mail-41' };
    expect(await submit({ type: 'ai.error', metadata, payload: { error: { type: 'mail-42', message: 'm' } } })).toBe(
      200,
    );
    expect(await submit({ type: 'ai.request', metadata, payload: { prompt: 'ssn-43' } })).toBe(400);
    const events = await stored('limit=10');
    expect(events.map(({ type, session_id: session }) => [type, session]).sort()).toEqual([
      ['ai.error', '[MAIL]'],
      ['ai.request', '[MAIL]'],
      ['policy.violation', '[MAIL]'],
    ]);
    expect(JSON.stringify(events)).not.toMatch(/mail-4\d/);
  });

  it('stay as they are when nothing is found in them', async () => {
    const error = { type: 'overloaded_error', message: 'mail-44' };
    expect(await submit({ type: 'ai.error', metadata: { session_id: 's-1' }, payload: { error } })).toBe(200);
    expect(await stored('session=s-1')).toMatchObject([{ session_id: 's-1', reason: 'overloaded_error' }]);
  });
});
