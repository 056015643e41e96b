/** The masks of a stored event with their places, and the excerpt that lists show for a call. */
import type { StoredMask } from '../../src/core/stored/index.js';
import { Database } from '../../src/database/index.js';
import { eachApp } from '../support/each-app.js';
import { restClient } from '../support/rest-client.js';
import { SimulatedProvider } from '../support/simulated-provider.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

interface Stored {
  readonly payload: unknown;
  readonly masks: readonly StoredMask[] | null;
  readonly excerpt: string | null;
}

/** The text of the payload at the place of each mask; paths continue into JSON in a string. */
function shownAt({ payload, masks }: Stored): readonly string[] {
  return (masks ?? []).map(({ path, start, end }) => {
    let at: unknown = payload;
    for (const [, item, name] of path === '$' ? [] : path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)) {
      if (typeof at === 'string') at = JSON.parse(at);
      at = (at as Record<string, unknown>)[item ?? name!];
    }
    return String(at).slice(start, end);
  });
}

eachApp('A stored event', (current) => {
  const rest = restClient(current);
  const send = async (event: { readonly event_id: string }, environment?: 'development' | 'staging') => {
    await rest.submit(event, environment);
    return (await rest.stored(event.event_id)) as Stored;
  };
  const asked = (event_id: string, content: string) => ({
    ...{ type: 'ai.request', event_id, request_id: event_id },
    payload: { messages: [{ role: 'user', content }] },
  });

  it('contains each mask with its place, entity, detector and strictest rule', async () => {
    const stored = await send(asked('masked', 'to mail-1 and mail-22, once more mail-1; token-3'));
    const mail = { path: 'messages[0].content', entity: 'MAIL', detector: 'words', rule: 'words.redact-mail' };
    expect(stored.masks).toEqual([
      { ...mail, start: 3, end: 9, n: 1 },
      { ...mail, start: 14, end: 20, n: 2 },
      { ...mail, start: 32, end: 38, n: 1 },
      { ...mail, start: 40, end: 47, entity: 'TOKEN', rule: 'words.flag-token', n: 1 },
    ]);
    expect(shownAt(stored)).toEqual(['[MAIL]', '[MAIL]', '[MAIL]', '[TOKEN]']);
    expect(stored).toMatchObject({
      masks_left_out: 0,
      excerpt: 'to [MAIL] and [MAIL], once more [MAIL]; [TOKEN]',
    });
  });

  it('names the rule that blocked, and has paths into arguments that are JSON in a string', async () => {
    expect((await send(asked('blocked', 'it is ssn-1'))).masks).toMatchObject([{ rule: 'words.block-ssn', start: 6 }]);
    const tool = await send({
      ...{ type: 'agent.tool_call', event_id: 'tool' },
      payload: { tool: 'send', arguments: JSON.stringify({ to: 'mail-1', note: 'ask "mail-2"' }) },
    } as never);
    expect(tool.masks).toMatchObject([{ path: 'arguments.to', rule: 'tool.redact-mail' }, { path: 'arguments.note' }]);
    expect(shownAt(tool)).toEqual(['[MAIL]', '[MAIL]']);
  });

  it('has masks without numbers if their values cannot be compared with those of the call', async () => {
    const answer = { type: 'ai.response', event_id: 'answer', request_id: 'masked', payload: { output: 'mail-1' } };
    expect((await send(answer)).masks).toMatchObject([{ path: 'output', entity: 'MAIL', n: null }]);
  });

  it('has its excerpt in lists, and its masks only together with its texts', async () => {
    const [listed] = (await rest.read('/v1/events?view=calls&fields=summary&request_id=masked')).json.data;
    expect(listed.excerpt).toBe('to [MAIL] and [MAIL], once more [MAIL]; [TOKEN]');
    expect(Object.keys(listed)).not.toEqual(expect.arrayContaining(['masks']));
    const [whole] = (await rest.read('/v1/events?view=calls&request_id=masked')).json.data;
    expect(whole.masks).toHaveLength(4);
  });

  it('has neither masks nor an excerpt if texts are not stored, and no masks if they are stored in full', async () => {
    const none = await send(asked('none', 'to mail-1'), 'staging');
    expect(none).toMatchObject({ payload: null, masks: null, masks_left_out: 0, excerpt: null });
    const full = await send(asked('full', 'to mail-1'), 'development');
    expect(full).toMatchObject({ masks: [], excerpt: 'to mail-1' });
    for (const { masks, excerpt } of (await rest.read('/v1/events?type=policy.violation')).json.data) {
      expect([masks, excerpt]).toEqual([null, null]);
    }
  });

  it('has null as masks and as excerpt if an earlier version stored it', async () => {
    await send(asked('older', 'to mail-1'));
    const { sql } = current().weir.app.get(Database);
    await sql.query(`UPDATE events SET masks = NULL, excerpt = NULL WHERE event_id = 'older'`);
    expect(await rest.stored('older')).toMatchObject({ masks: null, masks_left_out: 0, excerpt: null });
    const [listed] = (await rest.read('/v1/events?view=calls&fields=summary&request_id=older')).json.data;
    expect(listed.excerpt).toBeNull();
  });

  it('has a mask UNSCANNED in place of a complete text if a detector failed', async () => {
    const stored = await send(asked('outage', 'explode mail-1'));
    expect(stored).toMatchObject({
      masks: [{ path: 'messages[0].content', entity: 'UNSCANNED', detector: null, rule: null, n: null }],
      excerpt: '[UNSCANNED]',
    });
  });
});

describe('A proxied call', () => {
  let provider: SimulatedProvider;
  let app: TestApp;
  const rest = restClient(() => app);
  beforeAll(async () => {
    provider = await SimulatedProvider.start();
    app = await startTestApp({ env: { WEIR_OPENAI_BASE_URL: provider.url } });
  });
  afterAll(async () => {
    await app.close();
    await provider.stop();
  });
  const post = async (path: string, type: string, body: string): Promise<void> => {
    const headers = { 'x-service-key': app.bootstrap.keys.production, 'content-type': type };
    const response = await fetch(`${app.url}/proxy/openai${path}`, { method: 'POST', headers, body });
    await response.text();
  };
  const newest = async (type: string): Promise<Stored> =>
    (await rest.read(`/v1/events?type=${type}&limit=1`)).json.data[0];

  it.each([
    ['a plain answer', false],
    ['a stream', true],
  ])('has masks with the same number for equal values in the request and %s', async (_name, stream) => {
    provider.say('who is', 'It is mail-9, not mail-7');
    const messages = [{ role: 'user', content: 'who is mail-8 or mail-9?' }];
    await post('/v1/chat/completions', 'application/json', JSON.stringify({ model: 'm', messages, stream }));
    const [request, answer] = [await newest('ai.request'), await newest('ai.response')];
    expect(request.masks!.map(({ n }) => n)).toEqual([1, 2]);
    expect(shownAt(answer)).toEqual(['[MAIL]', '[MAIL]']);
    expect(answer.masks!.map(({ n, rule }) => [n, rule])).toEqual([
      [2, 'words.redact-answer'],
      [3, 'words.redact-answer'],
    ]);
    expect(answer.excerpt).toBe('It is [MAIL], not [MAIL]');
  });

  it.each([
    ['a form', 'application/x-www-form-urlencoded', 'prompt=to+mail-1&x=%6dail-2'],
    ['JSON lines', 'application/jsonl', '{"prompt":"to mail-1"}\n{"prompt":"mail-2"}\n'],
    ['a text', 'text/plain', 'to mail-1 and mail-2'],
    [
      'parts',
      'multipart/form-data; boundary=b',
      '--b\r\ncontent-disposition: form-data; name="f"\r\n\r\nto mail-1, mail-2\r\n--b--\r\n',
    ],
  ])('has masks whose places refer to the stored form of %s', async (_name, type, body) => {
    await post('/v1/other', type, body);
    const stored = await newest('ai.request');
    expect(JSON.stringify(stored)).not.toMatch(/mail-\d/);
    expect(shownAt(stored)).toEqual(['[MAIL]', '[MAIL]']);
  });
});
