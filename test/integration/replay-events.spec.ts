import { eachApp } from '../support/each-app.js';
import { restClient, type Answer } from '../support/rest-client.js';

eachApp('An event that is resent with the same event_id', (current) => {
  const { submit, read, stored } = restClient(current);
  const request = (content: string, more: object = {}, payload: object = {}) => ({
    type: 'ai.request',
    request_id: 'r-1',
    ...more,
    payload: { messages: [{ role: 'user', content }], ...payload },
  });

  it('receives the first answer byte for byte, even if its JSON is formatted differently, and is not recorded again', async () => {
    const first = await submit(
      `{"type":"ai.request","event_id":"again-1","request_id":"r","payload":{"prompt":"mail-1","n":1.0}}`,
    );
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    const again = await submit(
      `{ "payload":{"n":1,"prompt":"mail\\u002d1"},\n"request_id":"r","event_id":"again-1","type":"ai.request" }`,
    );
    expect(again.status).toBe(200);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const { json } = await read('/v1/events?q=again-1&limit=200');
    expect(json.data.filter((event: Answer['json']) => event.event_id === 'again-1').length).toBeLessThanOrEqual(1);
  });

  it('is blocked again under the first trace id', async () => {
    const body = request('ssn-4', { event_id: 'again-2' });
    const first = await submit(body, 'production', { 'x-request-id': 'first-trace' });
    const again = await submit(body, 'production', { 'x-request-id': 'second-trace' });
    expect([again.status, again.text]).toEqual([400, first.text]);
    expect(again.headers.get('x-request-id')).toBe('first-trace');
    expect(again.headers.get('x-should-retry')).toBe('false');
  });

  it('is refused if its body differs, and the first event is kept', async () => {
    const first = await submit(request('one', { event_id: 'again-3' }));
    const other = await submit(request('two', { event_id: 'again-3' }));
    expect([other.status, other.json.error.type]).toEqual([422, 'event_id_conflict']);
    expect((await stored('again-3')).payload.messages[0].content).toBe('one');
    expect((await submit(request('one', { event_id: 'again-3' }))).text).toBe(first.text);
  });

  it('is refused if it names the id that the service gave to an event without one', async () => {
    const sent = request('no id of its own');
    const first = await submit(sent);
    expect(first.status).toBe(200);
    const { event_id: given } = first.json;
    for (const body of [{ ...sent, event_id: given }, request('another text', { event_id: given })]) {
      const other = await submit(body);
      expect([other.status, other.json.error.type]).toEqual([422, 'event_id_conflict']);
    }
    expect((await stored(given)).payload.messages[0].content).toBe('no id of its own');
    expect((await submit(sent)).json.event_id).not.toBe(given);
  });

  it('is accepted after a 422, which is not stored', async () => {
    expect((await submit({ ...request('x', { event_id: 'again-4' }), payload: { messages: [] } })).status).toBe(422);
    expect((await submit(request('x', { event_id: 'again-4' }))).status).toBe(200);
  });

  it('is a separate event in another environment', async () => {
    const first = await submit(request('mail-1', { event_id: 'again-5' }));
    const other = await submit(request('other', { event_id: 'again-5' }), 'staging');
    expect([first.status, other.status]).toEqual([200, 200]);
    const { status, json } = await read('/v1/events/again-5');
    expect([status, json.error.details]).toEqual([422, [{ path: 'environment', message: expect.any(String) }]]);
  });

  it('receives a recomputed payload if none is stored', async () => {
    for (const environment of ['staging', 'production'] as const) {
      // In production the flagged token keeps the answer's payload from being stored.
      const body = request('mail-1 then token-2', { event_id: 'again-6' });
      const first = await submit(body, environment);
      expect(first.json).toMatchObject({
        decision: 'redact',
        payload: { messages: [{ content: '[MAIL_1] then token-2' }] },
      });
      const again = await submit(body, environment);
      expect(again.text).toBe(first.text);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
    }
  });

  it('is stored once for a hundred concurrent requests, which all receive the same answer', async () => {
    const body = request('mail-1', { event_id: 'again-7', request_id: 'hundred' });
    const answers = await Promise.all(Array.from({ length: 100 }, () => submit(body)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    const { json } = await read('/v1/events?request_id=hundred');
    expect(json.data.filter(({ type }: { type: string }) => type === 'ai.request')).toHaveLength(1);
  });
});
