import { once } from 'node:events';
import { Readable } from 'node:stream';
import { mock } from 'node:test';
import type { FastifyReply } from 'fastify';
import { CallRecord, type AdmittedCall } from '../calls/index.js';
import type { AppConfig } from '../config/index.js';
import type { Dialect, ProviderStyle } from '../core/index.js';
import { writeFrame, writeHeaders } from '../contents/index.js';
import { createLogger } from '../http/index.js';
import { StreamFailures } from './stream-failures.js';
import { StreamRelay } from './stream-relay.js';
import { KEEP_ALIVE_MS } from './stream-to-client.js';
import type { UpstreamExchange } from './upstream-exchange.js';

const CONFIG = { proxy: { answerLimitBytes: 1_000 } } as AppConfig;
const CALL = {
  eventId: 'e',
  requestId: 'r',
  policy: {
    digest: 'd',
    policy: { onDisconnect: 'abort', monitor: true, unread: { governed: 'flag', other: 'flag' } },
    detectors: [],
  },
  judgement: { action: 'allow', redactions: [], restorable: new Map() },
  target: { provider: { style: 'openai' }, path: '/v1/other', dialect: 'generic', governed: false },
} as unknown as AdmittedCall;

/** The style of the provider that a client calls, and its request. */
interface Asked {
  readonly style: ProviderStyle;
  readonly dialect?: Dialect;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Relays a stream with this content coding and type to a client.
 * @returns the provider's body, and the stream for the client
 */
async function relayed(coding: string | undefined, type = 'text/event-stream', asked: Asked = { style: 'openai' }) {
  const failures = { withoutAnswer: () => Promise.resolve() };
  const judge = { judge: () => Promise.resolve({} as never) };
  const { style, dialect = 'generic', path = '/v1/other' } = asked;
  const call = { ...CALL, target: { ...CALL.target, provider: { style }, dialect, path } };
  const record = new CallRecord(
    call as AdmittedCall,
    { sentMs: 0, overheadMs: 0 },
    { judge, failures },
    { bytes: 1, ratio: 1 },
  );
  const sent = Promise.withResolvers<Readable>();
  const reply = {
    request: { headers: asked.headers ?? {} },
    code: () => reply,
    headers: () => reply,
    send: (stream: Readable) => (sent.resolve(stream), reply),
  };
  const body = new Readable({ read: () => undefined });
  const headers = {
    'content-type': type,
    ...(coding === undefined ? {} : { 'content-encoding': coding }),
  };
  const exchange = {
    record,
    answer: { status: 200, headers, body },
    reply: reply as unknown as FastifyReply,
    signal: new AbortController().signal,
  } satisfies UpstreamExchange;
  await new StreamRelay(CONFIG, new StreamFailures(createLogger('fatal'))).passing(exchange);
  const chunks: string[] = [];
  const stream = await sent.promise;
  stream.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  await new Promise(setImmediate);
  return { body, stream, text: () => chunks.join('') };
}

describe('a stream that is forwarded unchanged', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  const afterSilence = async (coding: string | undefined, asked?: Asked): Promise<string> => {
    const { stream, text } = await relayed(coding, undefined, asked);
    mock.timers.tick(KEEP_ALIVE_MS);
    await new Promise(setImmediate);
    stream.destroy();
    return text();
  };

  it.each([[undefined], ['identity']])(
    'gets a keep-alive event during silence, with the content coding %s',
    async (coding) => {
      expect(await afterSilence(coding)).toBe(': keep-alive\n\n');
    },
  );

  it.each(['gzip', 'br', 'zstd', 'GZIP'])(
    'gets no keep-alive event between the bytes of its content coding %s',
    async (coding) => {
      expect(await afterSilence(coding)).toBe('');
    },
  );

  it.each([
    ['google-genai-sdk/1.30.0 gl-node/v24.0.0', '\n\n'],
    ['genai-js/0.24.1', ''],
  ])('gets a keep-alive event only if the client ignores it: %s', async (client, expected) => {
    const asked: Asked = { style: 'gemini', headers: { 'x-goog-api-client': client } };
    expect(await afterSilence(undefined, asked)).toBe(expected);
  });

  const PING = 'event: ping\ndata: {"type": "ping"}\n\n';
  const NAMED_ERROR = /^event: error\ndata: \{"type":"error",.*upstream_unreachable/;
  const MESSAGES: Asked = { style: 'openai', dialect: 'anthropic.messages' };
  const CHAT: Asked = { style: 'anthropic', dialect: 'openai.chat' };
  const OTHER: Asked = { style: 'openai', headers: { 'anthropic-version': '2023-06-01' } };

  it.each<[string, Asked, string]>([
    ['of chat completions at Anthropic', CHAT, ': keep-alive\n\n'],
    ['of messages at another provider', MESSAGES, PING],
    ['of Anthropic on an unrecognised route', OTHER, PING],
    ['of an unrecognised route at Anthropic', { style: 'anthropic' }, PING],
  ])('gets the keep-alive event that a client %s ignores', async (_client, asked, expected) => {
    expect(await afterSilence(undefined, asked)).toBe(expected);
  });

  it.each<[string, Asked, RegExp]>([
    ['of chat completions at Anthropic', CHAT, /^data: \{"error":\{.*"code":"upstream_unreachable"/],
    ['of messages at another provider', MESSAGES, NAMED_ERROR],
    ['of Anthropic on an unrecognised route', OTHER, NAMED_ERROR],
  ])('ends with the error event that a client %s reads when it is broken off', async (_client, asked, error) => {
    const { body, stream, text } = await relayed(undefined, undefined, asked);
    body.destroy(new Error('reset'));
    await once(stream, 'end');
    expect(text()).toMatch(error);
  });

  it.each([
    ['/v1/responses', [], 0],
    ['/v1/responses/resp_1?stream=true', ['{"type":"a","sequence_number":7}', '{"sequence_number": 8,"type":"b"}'], 9],
  ])('ends with the next event of a response if the provider breaks it off: %s', async (path, events, number) => {
    const { body, stream, text } = await relayed(undefined, undefined, { style: 'openai', path });
    const sent = events.map((data) => `data: ${data}\n\n`).join('');
    body.push(sent);
    await new Promise(setImmediate);
    body.destroy(new Error('reset'));
    await once(stream, 'end');
    const [, data] = /^event: error\ndata: (.*)\n\n$/.exec(text().slice(sent.length)) ?? [];
    expect(JSON.parse(data ?? '')).toMatchObject({
      type: 'error',
      sequence_number: number,
      error: { code: 'upstream_unreachable' },
    });
  });

  it('ends with an error event if the provider breaks it off', async () => {
    const { body, stream, text } = await relayed(undefined);
    body.destroy(new Error('reset'));
    await once(stream, 'end');
    expect(text()).toMatch(/^data: \{"error":.*upstream_unreachable/);
    expect(text()).toContain('"event_id":"e"');
  });

  it.each(['data: {"cho', 'data: {"choices":[]}', 'data: {"choices":[]}\n', 'data: {"choices":[]}\r\n\r'])(
    'ends an event that the provider breaks off before it sends the error event: %j',
    async (half) => {
      const { body, stream, text } = await relayed(undefined);
      body.push(half);
      await new Promise(setImmediate);
      body.destroy(new Error('reset'));
      await once(stream, 'end');
      expect(text().startsWith(half)).toBe(true);
      expect(text().slice(half.length)).toMatch(/^\n\ndata: \{"error":.*upstream_unreachable/);
    },
  );

  const FRAME = writeFrame(writeHeaders({ ':event-type': 'chunk' }), Buffer.from('{"text":"a"}'));
  const FRAMES = 'application/vnd.amazon.eventstream';

  it('ends with an exception frame if the provider breaks it off between two frames', async () => {
    const { body, stream, text } = await relayed(undefined, FRAMES);
    for (const part of [FRAME, FRAME.subarray(0, 3), FRAME.subarray(3)]) body.push(part);
    await new Promise(setImmediate);
    body.destroy(new Error('reset'));
    await once(stream, 'end');
    expect(text()).toContain('modelStreamErrorException');
  });

  it.each([2, 9, FRAME.length - 1])(
    'is closed without an unreadable frame if the provider breaks it off after %i bytes of a frame',
    async (bytes) => {
      const { body, stream, text } = await relayed(undefined, FRAMES);
      body.push(Buffer.concat([FRAME, FRAME.subarray(0, bytes)]));
      await new Promise(setImmediate);
      body.destroy(new Error('reset'));
      const [error] = (await once(stream, 'error')) as [unknown];
      expect(error).toMatchObject({ type: 'upstream_unreachable' });
      expect(text()).not.toContain('modelStreamErrorException');
    },
  );

  it('is closed without an unreadable error event if it is compressed and the provider breaks it off', async () => {
    const { body, stream, text } = await relayed('gzip');
    body.destroy(new Error('reset'));
    const [error] = (await once(stream, 'error')) as [unknown];
    expect(error).toMatchObject({ type: 'upstream_unreachable' });
    expect(text()).toBe('');
  });
});
