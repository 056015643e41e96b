import { request as httpRequest } from 'node:http';
import { EventLog } from '../../src/events/index.js';
import { appWithUpstream } from '../support/app-with-upstream.js';
import { recordedAnswer, recordedEvents, type RecordedEvent } from '../support/recorded-answer.js';

type Environment = 'development' | 'staging' | 'production';

const chunk = (content: string): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'gpt-4o', choices: [{ index: 0, delta: { content } }] })}\n\n`;
const DONE = 'data: [DONE]\n\n';
const CHAT = JSON.stringify({ model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'x' }] });

describe('streams through the proxy', () => {
  const { app, upstream } = appWithUpstream({
    env: {
      WEIR_PROXY_BODY_LIMIT: '64KiB',
      WEIR_PROXY_ANSWER_LIMIT: '64KiB',
      WEIR_UPSTREAM_HEADERS_TIMEOUT: '1s',
      WEIR_UPSTREAM_IDLE_TIMEOUT: '1s',
    },
  });

  const headers = (environment: Environment, requestId: string): Record<string, string> => ({
    'x-service-key': app().bootstrap.keys[environment],
    'content-type': 'application/json',
    'x-request-id': requestId,
  });
  const stream = (environment: Environment, requestId: string): Promise<Response> =>
    fetch(`${app().url}/proxy/openai/v1/chat/completions`, {
      method: 'POST',
      headers: headers(environment, requestId),
      body: CHAT,
    });
  const events = (requestId: string): Promise<readonly RecordedEvent[]> => recordedEvents(app(), requestId);
  const answerOf = (requestId: string): Promise<RecordedEvent> => recordedAnswer(app(), requestId);

  it.each<Environment>(['production', 'development'])(
    'forwards the exact bytes of a stream without redactions (%s)',
    async (environment) => {
      const frames = [
        ': hi\r\n\r\n',
        'data: {"choices":[{"index":0,"delta":{"content":"\\u00e9 ok"}}]}\r\n\r\n',
        'event: odd\ndata: {"x": 1e400}\n\n',
        DONE,
        'data: after\n\n',
      ];
      upstream().answerSse(frames);
      const response = await stream(environment, `bytes-${environment}`);
      expect(await response.text()).toBe(frames.join(''));
      expect(response.headers.get('content-type')).toBe('text/event-stream');
      expect(await answerOf(`bytes-${environment}`)).toMatchObject({ type: 'ai.response', upstream_status: 200 });
    },
  );

  it('changes only the chunks that contain a match, and keeps the frames', async () => {
    upstream().answerSse([chunk('to ma'), chunk('il'), chunk('-1'), chunk('2 and on'), DONE]);
    const response = await stream('production', 'cut');
    expect(await response.text()).toBe(chunk('to [MAIL_1]') + chunk('') + chunk('') + chunk(' and on') + DONE);
    // Headers are sent before the answer arrives, so they contain the decision about the request.
    expect(response.headers.get('x-weir-decision')).toBe('allow');
    expect(await answerOf('cut')).toMatchObject({
      decision: 'redact',
      payload: {
        stream: true,
        texts: [{ path: 'choices[0].message.content', role: 'assistant', text: 'to [MAIL] and on' }],
      },
    });
  });

  it('forwards chunks as they arrive if no rule could change them', async () => {
    let goOn: () => void = () => undefined;
    const more = new Promise<void>((resolve) => (goOn = resolve));
    upstream().answer(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunk('first'));
      await more;
      response.end(DONE);
    });
    const response = await stream('development', 'live');
    const reader = response.body!.getReader();
    const first = await reader.read();
    expect(Buffer.from(first.value!).toString()).toBe(chunk('first'));
    goOn();
    let rest = '';
    for (let next = await reader.read(); !next.done; next = await reader.read())
      rest += Buffer.from(next.value).toString();
    expect(rest).toBe(DONE);
    expect(await answerOf('live')).toMatchObject({ type: 'ai.response', decision: 'allow' });
  });

  it.each<Environment>(['production', 'development'])(
    'aborts the call at the provider if the client disconnects, and records the received part (%s)',
    async (environment) => {
      upstream().aborted = 0;
      let begun: () => void = () => undefined;
      const started = new Promise<void>((resolve) => (begun = resolve));
      upstream().answer((response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(chunk('partial'), begun);
      });
      const client = httpRequest(`${app().url}/proxy/openai/v1/chat/completions`, {
        method: 'POST',
        headers: headers(environment, `gone-${environment}`),
      });
      client.on('error', () => undefined);
      client.end(CHAT);
      await started;
      client.destroy();
      await upstream().untilAborted();
      expect(await answerOf(`gone-${environment}`)).toMatchObject({
        type: 'ai.response',
        reason: 'client_disconnected',
      });
    },
  );

  it('responds with 504 if the provider does not answer, and with 502 if it is unreachable', async () => {
    upstream().answer(() => undefined);
    const late = await stream('production', 'late');
    expect(late.status).toBe(504);
    expect(await late.json()).toMatchObject({ error: { type: 'api_error', code: 'upstream_timeout' } });
    expect(await answerOf('late')).toMatchObject({ type: 'ai.error', reason: 'upstream_timeout' });
    upstream().answer((response) => void response.destroy());
    const gone = await stream('production', 'unreachable');
    expect(gone.status).toBe(502);
    expect(await answerOf('unreachable')).toMatchObject({ type: 'ai.error', reason: 'upstream_unreachable' });
  });

  it.each(['production', 'development'] as const)(
    'records that a stream ended before the end marker of its provider (%s)',
    async (environment) => {
      upstream().answerSse([chunk('half')]);
      await (await stream(environment, `cut-${environment}`)).text();
      expect(await answerOf(`cut-${environment}`)).toMatchObject({ type: 'ai.response', reason: 'answer_incomplete' });
      upstream().answerSse([chunk('whole'), DONE]);
      await (await stream(environment, `whole-${environment}`)).text();
      expect((await answerOf(`whole-${environment}`))?.reason ?? null).toBeNull();
    },
  );

  it('sends an error of the dialect if a stream breaks off or times out', async () => {
    let breakOff = (): void => undefined;
    upstream().answer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunk('half'));
      breakOff = () => void response.destroy();
    });
    const broken = await stream('development', 'broken');
    breakOff();
    const text = await broken.text();
    upstream().answer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunk('half'), () => response.destroy());
    });
    expect(text.startsWith(chunk('half'))).toBe(true);
    expect(text).toContain('"code":"upstream_unreachable"');
    expect(text).not.toContain('[DONE]');
    const held = await stream('production', 'broken-held');
    expect(held.status).toBe(502);
    upstream().answer(
      (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(chunk('half')),
    );
    expect(await (await stream('development', 'silent')).text()).toContain('"code":"upstream_timeout"');
  });

  it('ends an event that the provider breaks off before it sends an error of the dialect', async () => {
    const half = 'data: {"id":"c","cho';
    let breakOff = (): void => undefined;
    upstream().answer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunk('whole') + half);
      breakOff = () => void response.destroy();
    });
    const broken = await stream('development', 'broken-within');
    breakOff();
    const text = await broken.text();
    expect(text.startsWith(`${chunk('whole')}${half}\n\ndata: {"error":`)).toBe(true);
    expect(text).toContain('"code":"upstream_unreachable"');
  });

  it('responds with 503 if a guardrail cannot be evaluated, as an outage without violations', async () => {
    upstream().requests.length = 0;
    const body = JSON.stringify({ messages: [{ role: 'user', content: 'explode' }] });
    const response = await fetch(`${app().url}/proxy/anthropic/v1/messages`, {
      method: 'POST',
      headers: headers('production', 'outage'),
      body,
    });
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(response.headers.get('x-should-retry')).toBeNull();
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: { type: 'api_error', weir: { code: 'guardrail_unavailable', decision: 'block', violations: [] } },
    });
    expect(upstream().requests).toHaveLength(0);
    const stored = await events('outage');
    expect(stored).toMatchObject([{ type: 'ai.request', decision: 'block', reason: 'guardrail_unavailable' }]);
    expect(JSON.stringify(stored)).not.toContain('explode');
  });

  it('refuses, in the dialect of the provider, a body over the limit', async () => {
    const body = JSON.stringify({ messages: [{ role: 'user', content: 'x'.repeat(70_000) }] });
    const response = await fetch(`${app().url}/proxy/anthropic/v1/messages`, {
      method: 'POST',
      headers: headers('production', 'large'),
      body,
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: { type: 'request_too_large', weir: { code: 'payload_too_large' } },
    });
  });

  it('refuses an answer that is too large to be judged instead of forwarding it unjudged', async () => {
    upstream().answerJson({ choices: [{ message: { content: 'x'.repeat(70_000) } }] });
    expect((await stream('production', 'huge')).status).toBe(502);
    upstream().answerSse([chunk('x'.repeat(70_000)), DONE]);
    expect((await stream('production', 'huge-stream')).status).toBe(502);
  });

  it('counts judged calls in the metrics', async () => {
    const text = await (await fetch(`${app().url}/metrics`)).text();
    expect(text).toMatch(/weir_decisions_total\{source="proxy",environment="production",decision="redact"\} [1-9]/);
  });

  // This test must be the last one, because the log cannot be reopened.
  it('sends nothing to the provider if the log cannot store the request', async () => {
    await app().weir.app.get(EventLog, { strict: false }).drain();
    upstream().requests.length = 0;
    const response = await stream('production', 'no-log');
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ error: { type: 'api_error', code: 'unavailable' } });
    expect(upstream().requests).toHaveLength(0);
  });
});
