import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import type { ProviderStyle } from '../core/index.js';
import { WeirError } from '../http/index.js';
import { HeldReply } from './held-reply.js';

const NEVER_MS = 3_600_000;
const REFUSAL = new WeirError('tool_use_blocked', { message: 'No shell' });
const CANNED = new WeirError('tool_use_blocked', { canned: { contentType: 'application/json', body: '{}' } });

describe('HeldReply', () => {
  let server: FastifyInstance;
  let held: HeldReply;
  let begun: () => void;
  afterEach(() => server.close());

  /** Sends a request, whose answer is held. */
  async function ask(headers: Readonly<Record<string, string>> = {}): Promise<{ answer: Promise<IncomingMessage> }> {
    const holding = new Promise<void>((resolve) => (begun = resolve));
    const { port } = server.server.address() as AddressInfo;
    const client = request({ port, host: '127.0.0.1', headers }).end();
    const answer = once(client, 'response').then(([response]) => response as IncomingMessage);
    await holding;
    return { answer };
  }

  /** Starts a server that holds its answers, and sends it a request. */
  async function hold(style: ProviderStyle, keepAliveMs: number, headers?: Readonly<Record<string, string>>) {
    server = fastify();
    server.get('/', (_request, reply) => {
      const headers = { 'content-type': 'text/event-stream' };
      held = new HeldReply(reply, style, headers, keepAliveMs, { path: '/v1/chat/completions', number: 0 });
      begun();
      return reply;
    });
    await server.listen({ port: 0, host: '127.0.0.1' });
    return ask(headers);
  }
  const textOf = async (response: IncomingMessage): Promise<string> => (await response.toArray()).map(String).join('');

  it('answers an early refusal with its status, as if there were no stream', async () => {
    const { answer } = await hold('openai', NEVER_MS);
    await held.refuse(REFUSAL, { requestId: 'r', eventId: 'e' }, { 'x-weir-decision': 'block' });
    const response = await answer;
    expect(response.statusCode).toBe(400);
    expect(response.headers).toMatchObject({ 'x-weir-decision': 'block', 'x-should-retry': 'false' });
    expect(JSON.parse(await textOf(response))).toMatchObject({
      error: { code: 'tool_use_blocked', weir: { event_id: 'e' } },
    });
  });

  it.each<[string, ProviderStyle, WeirError, string | undefined]>([
    ['names the request in a refusal to a client of Anthropic', 'anthropic', REFUSAL, 'r'],
    ["names the request in a rule's canned answer to such a client", 'anthropic', CANNED, 'r'],
    ['does not repeat `x-request-id`, which other clients read', 'openai', REFUSAL, undefined],
  ])('%s', async (_what, style, error, id) => {
    const { answer } = await hold(style, NEVER_MS);
    await held.refuse(error, { requestId: 'r' }, {});
    const response = await answer;
    expect(response.headers['request-id']).toBe(id);
    await textOf(response);
  });

  it.each<[ProviderStyle, string, RegExp]>([
    ['openai', ': keep-alive\n\n', /data: \{"error":\{.*"code":"tool_use_blocked".*\}\}\n\n$/],
    [
      'anthropic',
      'event: ping\ndata: {"type": "ping"}\n\n',
      /event: error\ndata: \{"type":"error",.*"code":"tool_use_blocked".*\}\n\n$/,
    ],
  ])('keeps a slow %s stream alive, and refuses inside it', async (style, frame, refusal) => {
    const response = await (await hold(style, 5)).answer;
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('text/event-stream');
    const [first] = (await once(response, 'data')) as [Buffer];
    expect(first.toString().startsWith(frame)).toBe(true);
    await held.refuse(REFUSAL, { requestId: 'r' }, {});
    const rest = await textOf(response);
    expect(rest).toMatch(refusal);
    expect(rest).not.toContain('[DONE]');
  });

  it('sends nothing before the verdict to a client that would misread keep-alive events', async () => {
    const { answer } = await hold('gemini', 5, { 'x-goog-api-client': 'genai-js/0.24.1' });
    const silent = held;
    // When a later client has received such an event, this client would have received one as well.
    const other = await (await ask()).answer;
    expect(String(((await once(other, 'data')) as [Buffer])[0])).toMatch(/^\n\n/);
    await held.release({}, '');
    await silent.release({ 'content-type': 'text/event-stream' }, 'data: judged\n\n');
    expect(await textOf(await answer)).toBe('data: judged\n\n');
    await textOf(other);
  });

  it('sends the judged body after the keep-alive events', async () => {
    const response = await (await hold('openai', 5)).answer;
    await once(response, 'data');
    await held.release({}, 'data: judged\n\n');
    expect((await textOf(response)).endsWith('data: judged\n\n')).toBe(true);
  });
});
