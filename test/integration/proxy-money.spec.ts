import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';
import zlib from 'node:zlib';
import { appWithUpstream } from '../support/app-with-upstream.js';
import { recordedAnswer, type RecordedEvent } from '../support/recorded-answer.js';
import { TEST_POLICIES, testPolicy } from '../support/test-app.js';

type Environment = 'development' | 'staging' | 'production';

const chunk = (content: string, rest = ''): string =>
  `data: {"id":"c","choices":[{"index":0,"delta":{"content":"${content}"}}]${rest}}\n\n`;
const USAGE = 'data: {"id":"c","choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7}}\n\n';
const DONE = 'data: [DONE]\n\n';
/** Long enough that no rule needs earlier chunks any more, so they are forwarded. */
const LATER = chunk('x y '.repeat(8));
const body = (more: object = {}): string =>
  JSON.stringify({ model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'x'.repeat(40) }], ...more });

describe('the cost of a proxied call', () => {
  const { app, upstream } = appWithUpstream({
    env: {
      WEIR_PROXY_STREAM_USAGE: 'on',
    },
    policies: {
      ...TEST_POLICIES,
      'staging/policy.yaml': testPolicy('staging', 'content: redacted\non_disconnect: drain'),
    },
  });
  beforeEach(() => {
    upstream().requests.length = 0;
    upstream().aborted = 0;
  });

  const headers = (environment: Environment, requestId: string): Record<string, string> => ({
    'x-service-key': app().bootstrap.keys[environment],
    'content-type': 'application/json',
    'x-request-id': requestId,
  });
  const call = (environment: Environment, requestId: string, text = body(), path = '/openai/v1/chat/completions') =>
    fetch(`${app().url}/proxy${path}`, { method: 'POST', headers: headers(environment, requestId), body: text });
  const answerOf = (requestId: string): Promise<RecordedEvent> => recordedAnswer(app(), requestId);
  /** Simulates a client that disconnects once its answer has begun; the provider writes the rest afterwards. */
  const leave = async (
    environment: Environment,
    requestId: string,
    path: string,
    first: string | Buffer,
    rest?: { readonly text: string | Buffer; readonly afterwards: () => void },
    coding?: string,
  ): Promise<void> => {
    let begun: () => void = () => undefined;
    const started = new Promise<void>((resolve) => (begun = resolve));
    let left: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => (left = resolve));
    upstream().answer(async (response) => {
      response.writeHead(200, {
        'content-type': 'text/event-stream',
        ...(coding === undefined ? {} : { 'content-encoding': coding }),
      });
      response.write(first, begun);
      if (rest === undefined) return;
      await gone;
      response.end(rest.text, rest.afterwards);
    });
    const client = httpRequest(`${app().url}/proxy${path}`, {
      method: 'POST',
      headers: headers(environment, requestId),
    });
    client.on('error', () => undefined);
    const response = new Promise<void>((resolve) => {
      client.on('response', (message) => message.once('data', () => resolve()));
    });
    client.end(body());
    await started;
    await response;
    client.destroy();
    await once(client, 'close');
    // Once this request is answered, the server has noticed the disconnect.
    await fetch(`${app().url}/healthz`);
    left();
  };

  describe.each<Environment>(['production', 'development'])('the token usage of a stream (%s)', (environment) => {
    it('is requested by Weir, and hidden from a client that did not request it', async () => {
      upstream().answerSse([chunk('one ', ',"usage":null'), chunk('two', ',"usage":null'), USAGE, DONE]);
      const response = await call(environment, `asked-${environment}`);
      expect(await response.text()).toBe(chunk('one ') + chunk('two') + DONE);
      expect(JSON.parse(upstream().last.body.toString('utf8'))).toEqual({
        ...(JSON.parse(body()) as object),
        stream_options: { include_usage: true },
      });
      expect(await answerOf(`asked-${environment}`)).toMatchObject({
        type: 'ai.response',
        usage: { prompt_tokens: 11, completion_tokens: 7, estimated: false },
      });
    });

    it('is forwarded unchanged if its client requested or declined it', async () => {
      for (const include_usage of [true, false]) {
        const text = body({ stream_options: { include_usage } });
        upstream().answerSse([chunk('one', ',"usage":null'), USAGE, DONE]);
        const response = await call(environment, `own-${include_usage}-${environment}`, text);
        expect(await response.text()).toBe(chunk('one', ',"usage":null') + USAGE + DONE);
        expect(upstream().last.body.toString('utf8')).toBe(text);
      }
    });

    it('is estimated if the provider reports none, and marked as estimated', async () => {
      upstream().answerSse([chunk('y'.repeat(20)), DONE]);
      await (await call(environment, `none-${environment}`)).text();
      expect(await answerOf(`none-${environment}`)).toMatchObject({
        usage: { prompt_tokens: expect.any(Number), completion_tokens: 5, estimated: true },
      });
    });
  });

  describe.each<Environment>(['production', 'development'])('a client that disconnects (%s)', (environment) => {
    it('aborts the call at the provider, and the usage up to that point is estimated', async () => {
      await leave(
        environment,
        `left-${environment}`,
        '/openai/v1/chat/completions',
        chunk('one two three four five ') + LATER,
      );
      await upstream().untilAborted();
      expect(await answerOf(`left-${environment}`)).toMatchObject({
        type: 'ai.response',
        reason: 'client_disconnected',
        usage: { completion_tokens: 14, estimated: true },
      });
    });

    it('keeps the token counts that the provider had already reported', async () => {
      const start =
        'event: message_start\ndata: {"type":"message_start","message":{"content":[],"usage":{"input_tokens":25,"output_tokens":1}}}\n\n';
      const text =
        'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"one two three four five "}}\n\n';
      const later = text.replace('one two three four five ', 'x y '.repeat(8));
      const requestId = `counted-${environment}`;
      await leave(environment, requestId, '/anthropic/v1/messages', start + text + later);
      expect(await answerOf(requestId)).toMatchObject({
        usage: { prompt_tokens: 25, completion_tokens: 14, estimated: true },
      });
    });
  });

  describe('an answer without a text', () => {
    const BEGINNING = 'data: {"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n';

    it('costs its input if the client disconnects before the first text', async () => {
      await leave('development', 'left-early', '/openai/v1/chat/completions', BEGINNING);
      await upstream().untilAborted();
      expect(await answerOf('left-early')).toMatchObject({
        type: 'ai.response',
        reason: 'client_disconnected',
        usage: { prompt_tokens: expect.any(Number), estimated: true },
      });
    });

    it('costs its input if the provider ends it before the first text', async () => {
      upstream().answerSse([BEGINNING]);
      await (await call('development', 'cut-early')).text();
      expect(await answerOf('cut-early')).toMatchObject({
        type: 'ai.response',
        reason: 'answer_incomplete',
        usage: { prompt_tokens: expect.any(Number), estimated: true },
      });
    });

    it('costs nothing that is known on an unrecognised route', async () => {
      await leave('development', 'left-other', '/openai/v1/vendor/thing', BEGINNING);
      await upstream().untilAborted();
      const { reason, usage = null } = await answerOf('left-other');
      expect([reason, usage]).toEqual(['client_disconnected', null]);
    });
  });

  it.each(['identity', 'gzip', 'br'])(
    'is exact although the client disconnects, if on_disconnect is drain: an answer in %s is read to its end',
    async (coding) => {
      let ended: () => void = () => undefined;
      const whole = new Promise<void>((resolve) => (ended = resolve));
      const first = chunk('one two three four ') + LATER;
      const [begin, rest] = await packed(coding, first, LATER.repeat(3_000) + chunk('and the rest') + USAGE + DONE);
      const requestId = `drained-${coding}`;
      const further = { text: rest, afterwards: () => ended() };
      await leave('staging', requestId, '/openai/v1/chat/completions', begin, further, coding);
      await whole;
      expect(await answerOf(requestId)).toMatchObject({
        type: 'ai.response',
        reason: 'client_disconnected',
        usage: { prompt_tokens: 11, completion_tokens: 7, estimated: false },
        payload: { texts: [{ text: `one two three four ${'x y '.repeat(8 * 3_001)}and the rest` }] },
      });
      expect(upstream().aborted).toBe(0);
    },
  );
});

/** A body in two parts, of which the first can be decompressed without the second. */
async function packed(coding: string, first: string, rest: string): Promise<readonly [Buffer, Buffer]> {
  if (coding === 'identity') return [Buffer.from(first), Buffer.from(rest)];
  const packer = coding === 'gzip' ? zlib.createGzip() : zlib.createBrotliCompress();
  packer.write(first);
  await new Promise<void>((resolve) => packer.flush(resolve));
  const begin = packer.read() as Buffer;
  packer.end(rest);
  return [begin, await buffer(packer)];
}
