import { PrefixCache } from '../support/prefix-cache.js';
import { appWithUpstream } from '../support/app-with-upstream.js';
import { type Respond } from '../support/raw-upstream.js';
import { TEST_POLICIES, testPolicy } from '../support/test-app.js';

const TOKEN = /\[MAIL_[bcdfghjklmnpqrstvwxz]{14}\]/g;
const POLICY = testPolicy('production', 'client_monitor_mode: ignore\ncontent: redacted').replace(
  "redact: { entities: [MAIL], with: '[{type}_{n}]', label: contains_pii }",
  'redact: { entities: [MAIL], tokens: stable, restore: true, label: contains_pii }',
);
/** The text of a turn, which repeats most words of earlier turns and adds a few new ones. */
const words = (turn: number): string =>
  `turn ${turn}: please tell mail-${turn % 4} and mail-7 about the meeting in room ${turn}, and do not forget the keys`;

describe('stable tokens', () => {
  const { app, upstream } = appWithUpstream({
    policies: { ...TEST_POLICIES, 'production/policy.yaml': POLICY },
  });
  beforeEach(() => void (upstream().requests.length = 0));

  const call = async (
    path: string,
    body: unknown,
    environment: 'production' | 'development' = 'production',
  ): Promise<string> => {
    const response = await fetch(`${app().url}/proxy${path}`, {
      method: 'POST',
      headers: { 'x-service-key': app().bootstrap.keys[environment], 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    return response.text();
  };
  const chat = (content: string, more: object = {}) => ({ model: 'm', messages: [{ role: 'user', content }], ...more });
  const sent = (): string => upstream().last.body.toString('utf8');
  const tokensIn = (text: string): string[] => text.match(TOKEN) ?? [];
  /** Returns the text of the request as a chat answer, complete or in chunks of the given length. */
  const echo =
    (pieceLength?: number): Respond =>
    (response, { body }) => {
      const { messages } = JSON.parse(body.toString('utf8')) as { messages: { content: string }[] };
      const content = messages.at(-1)!.content;
      if (pieceLength === undefined) {
        response.writeHead(200, { 'content-type': 'application/json' });
        return void response.end(JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content } }] }));
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let at = 0; at < content.length; at += pieceLength) {
        const delta = { content: content.slice(at, at + pieceLength) };
        response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`);
      }
      response.end('data: [DONE]\n\n');
    };
  const streamed = (text: string): string =>
    text
      .split('\n\n')
      .filter((frame) => frame.startsWith('data: {'))
      .map((frame) => JSON.parse(frame.slice(6)) as { choices: { delta: { content?: string } }[] })
      .map(({ choices }) => choices[0]?.delta.content ?? '')
      .join('');

  it('are the same bytes for the same request, and restored in the answer', async () => {
    upstream().answer(echo());
    const first = await call('/openai/v1/chat/completions', chat('write to mail-1 and mail-2, then mail-1'));
    const bytes = sent();
    const tokens = tokensIn(bytes);
    expect(tokens).toHaveLength(3);
    expect(new Set(tokens).size).toBe(2);
    expect(bytes).not.toContain('mail-');
    expect(JSON.parse(first)).toMatchObject({
      choices: [{ message: { content: 'write to mail-1 and mail-2, then mail-1' } }],
    });
    await call('/openai/v1/chat/completions', chat('write to mail-1 and mail-2, then mail-1'));
    expect(sent()).toBe(bytes);
  });

  it.each([1, 3, 7, 100])('are restored in streams with chunks of %d characters', async (length) => {
    upstream().answer(echo(length));
    const text = await call('/openai/v1/chat/completions', chat('write to mail-1 or "mail-2"', { stream: true }));
    expect(sent()).not.toContain('mail-');
    expect(streamed(text)).toBe('write to mail-1 or "mail-2"');
  });

  it('are restored in tool arguments, complete and streamed', async () => {
    const request = chat('call mail-1');
    upstream().answerJson({});
    await call('/openai/v1/chat/completions', request);
    const [token] = tokensIn(sent());
    const args = JSON.stringify({ to: token, raw: JSON.stringify({ to: [token] }) });
    const wanted = JSON.stringify({ to: 'mail-1', raw: JSON.stringify({ to: ['mail-1'] }) });
    const toolCall = { id: 'call_1', type: 'function', function: { name: 'send', arguments: args } };
    upstream().answerJson({ choices: [{ index: 0, message: { role: 'assistant', tool_calls: [toolCall] } }] });
    const whole = JSON.parse(await call('/openai/v1/chat/completions', request)) as {
      choices: { message: { tool_calls: { function: { arguments: string } }[] } }[];
    };
    expect(whole.choices[0]!.message.tool_calls[0]!.function.arguments).toBe(wanted);
    upstream().answerSse([
      `event: content_block_start\ndata: ${JSON.stringify({ type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'toolu_1', name: 'send', input: {} } })}\n\n`,
      ...[args.slice(0, 12), args.slice(12, 30), args.slice(30)].map(
        (piece) =>
          `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: piece } })}\n\n`,
      ),
      'event: message_stop\ndata: {"type":"message_stop"}\n\n',
    ]);
    const text = await call('/anthropic/v1/messages', { ...request, max_tokens: 9, stream: true });
    const pieces = [...text.matchAll(/^data: (.*)$/gm)]
      .map(([, data]) => JSON.parse(data!) as { delta?: { partial_json?: string } })
      .map(({ delta }) => delta?.partial_json ?? '');
    expect(JSON.parse(pieces.join(''))).toEqual(JSON.parse(wanted));
  });

  it('are not restored if the model has changed them, or if the request did not contain them', async () => {
    upstream().answerJson({});
    await call('/openai/v1/chat/completions', chat('call mail-1 and mail-2'));
    const [first, second] = tokensIn(sent());
    const cut = `${first!.slice(0, -3)}]`;
    const changed = `${cut} ${first!.toLowerCase()} ${second!}`;
    upstream().answerJson({ choices: [{ index: 0, message: { role: 'assistant', content: changed } }] });
    const answer = await call('/openai/v1/chat/completions', chat('call mail-1'));
    expect(JSON.parse(answer)).toMatchObject({ choices: [{ message: { content: changed } }] });
  });

  it('are not restored in the stored answer', async () => {
    upstream().answer(echo());
    await call('/openai/v1/chat/completions', chat('remember mail-9', { user: 'stored' }));
    const response = await fetch(`${app().url}/v1/events?type=ai.response&limit=1`, {
      headers: { authorization: `Bearer ${app().bootstrap.token}` },
    });
    const text = await response.text();
    expect(text).toContain('[MAIL_');
    expect(text).not.toContain('mail-9');
    expect(app().logs.join('')).not.toContain('mail-9');
  });

  it('do not reduce the hit rate of a prompt cache', async () => {
    const hitRate = async (environment: 'production' | 'development'): Promise<number> => {
      const cache = new PrefixCache();
      const reply: Respond = (response, request) => {
        const last = tokensIn(request.body.toString('utf8')).at(-1) ?? 'mail-7';
        response.writeHead(200, { 'content-type': 'application/json' });
        const message = { role: 'assistant', content: `I have told ${last} about it, as you asked me to do this time` };
        response.end(JSON.stringify({ choices: [{ index: 0, message }] }));
      };
      upstream().answer(cache.around(reply));
      const messages: object[] = [
        { role: 'system', content: 'You work for mail-7 and for nobody else in this house.' },
      ];
      for (let turn = 0; turn < 20; turn++) {
        messages.push({ role: 'user', content: words(turn) });
        const answer = await call('/openai/v1/chat/completions', { model: 'm', messages }, environment);
        const { choices } = JSON.parse(answer) as { choices: { message: { content: string } }[] };
        messages.push(choices[0]!.message);
      }
      return cache.hitRate;
    };
    const off = await hitRate('development');
    const on = await hitRate('production');
    expect(tokensIn(sent()).length).toBeGreaterThan(20);
    expect(on).toBe(off);
    expect(off).toBeGreaterThan(0.8);
  }, 60_000);
});
