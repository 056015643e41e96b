import { appWithUpstream } from '../support/app-with-upstream.js';
import { testPolicy } from '../support/test-app.js';

type Environment = 'development' | 'staging' | 'production';
interface Refused {
  readonly error: {
    readonly message: string;
    readonly param?: string | null;
    readonly violations?: readonly { readonly locations?: readonly string[] }[];
  };
}

const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });

describe('a conversation with a blocked message in its history', () => {
  const { app, upstream } = appWithUpstream({
    policies: {
      'development/policy.yaml': testPolicy('development', 'content: redacted'),
      'staging/policy.yaml': testPolicy('staging', 'content: none\non_blocked_history: replace'),
      'production/policy.yaml': testPolicy('production', 'content: redacted\non_blocked_history: drop'),
    },
  });
  beforeEach(() => {
    upstream().requests.length = 0;
    upstream().answerJson({ choices: [{ index: 0, message: { role: 'assistant', content: 'fine' } }] });
  });

  const proxy = (environment: Environment, messages: unknown[], path = '/openai/v1/chat/completions') =>
    fetch(`${app().url}/proxy${path}`, {
      method: 'POST',
      headers: { 'x-service-key': app().bootstrap.keys[environment], 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', max_tokens: 9, messages }),
    });
  const sent = (): unknown[] => (JSON.parse(upstream().last.body.toString('utf8')) as { messages: unknown[] }).messages;
  const rest = (environment: Environment, messages: unknown[], eventId?: string) =>
    fetch(`${app().url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app().bootstrap.keys[environment]}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        type: 'ai.request',
        request_id: 'r-1',
        ...(eventId === undefined ? {} : { event_id: eventId }),
        payload: { messages },
      }),
    });

  const poisoned = [user('one'), assistant('uno'), user('it is ssn-1'), assistant('no'), user('two mail-1')];

  it('is refused with the index of the offending message, unless the policy says otherwise', async () => {
    const response = await proxy('development', poisoned);
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as Refused;
    expect(error.message).toContain('messages[2].content');
    expect(error.param).toBe('messages[2].content');
    const refused = (await (await rest('development', poisoned)).json()) as Refused;
    expect(refused.error.message).toContain('messages[2].content');
    expect(refused.error.violations![0]!.locations).toEqual(['messages[2].content']);
    expect(upstream().requests).toHaveLength(0);
  });

  it('continues without the blocked turn if the policy drops it', async () => {
    const response = await proxy('production', poisoned);
    expect(response.status).toBe(200);
    expect(sent()).toEqual([user('one'), assistant('uno'), user('two [MAIL_1]')]);
    expect(response.headers.get('x-weir-decision')).toBe('redact');
    expect(response.headers.get('x-weir-redactions')).toBe('contains_pii=1,blocked_history=1');
  });

  it('continues with the blocked text replaced if the policy replaces it', async () => {
    expect((await proxy('staging', poisoned)).status).toBe(200);
    expect(sent()).toEqual([
      user('one'),
      assistant('uno'),
      user('[removed by policy]'),
      assistant('no'),
      user('two [MAIL_1]'),
    ]);
  });

  it('continues over many turns, and is refused only while the blocked message is the newest', async () => {
    const messages: unknown[] = [];
    for (let turn = 0; turn < 10; turn++) {
      messages.push(user(turn === 3 ? 'ssn-7' : `question ${turn}`));
      const response = await proxy('production', messages);
      expect(response.status).toBe(turn === 3 ? 400 : 200);
      if (turn !== 3) messages.push(assistant(`answer ${turn}`));
    }
    expect(JSON.stringify(sent())).not.toContain('ssn-7');
    expect(sent()).toHaveLength(17);
  });

  it('loses a tool call together with its blocked result', async () => {
    const claude = [
      user('a'),
      assistant([{ type: 'tool_use', id: 't1', name: 'read', input: {} }]),
      user([{ type: 'tool_result', tool_use_id: 't1', content: 'ssn-2' }]),
      assistant('done'),
      user('b'),
    ];
    expect((await proxy('production', claude, '/anthropic/v1/messages')).status).toBe(200);
    expect(sent()).toEqual([user('b')]);
    // If the result is the newest message, the request is refused.
    expect((await proxy('production', claude.slice(0, 3), '/anthropic/v1/messages')).status).toBe(400);
  });

  it('is recorded with an enforced violation and a redaction', async () => {
    const response = await proxy('production', poisoned);
    const id = response.headers.get('x-weir-event-id');
    const read = (path: string) =>
      fetch(`${app().url}${path}`, { headers: { authorization: `Bearer ${app().bootstrap.token}` } });
    const event = (await (await read(`/v1/events/${id}`)).json()) as Record<string, unknown>;
    expect(event).toMatchObject({
      decision: 'redact',
      redactions: [
        { type: 'contains_pii', count: 1 },
        { type: 'blocked_history', count: 1 },
      ],
      facts: { repair: { mode: 'drop', dropped: [2, 3], count: 1 } },
    });
    expect(event['violations']).toEqual([
      expect.objectContaining({ rule: 'words.block-ssn', enforced: true, locations: ['messages[2].content'] }),
      expect.objectContaining({ rule: 'words.redact-mail', enforced: true, locations: ['messages[4].content'] }),
    ]);
    expect(JSON.stringify(event)).toContain('[SSN]');
    expect(JSON.stringify(event)).not.toContain('ssn-1');
  });

  it.each(['production', 'staging'] as const)(
    'receives a repaired payload over REST in %s, and the same payload in a replay',
    async (environment) => {
      const kept = environment === 'production' ? [0, 1, 4] : [0, 1, 2, 3, 4];
      const texts = ['one', 'uno', '[removed by policy]', 'no', 'two [MAIL_1]'];
      const first = await (await rest(environment, poisoned, `conversation-${environment}`)).text();
      const { decision, payload } = JSON.parse(first) as {
        decision: string;
        payload: { messages: { content: string }[] };
      };
      expect(decision).toBe('redact');
      expect(payload.messages.map(({ content }) => content)).toEqual(kept.map((index) => texts[index]));
      const again = await rest(environment, poisoned, `conversation-${environment}`);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(await again.text()).toBe(first);
    },
  );
});
