/** Errors of providers with the shipped policies: they can contain the answer of a model, and are judged like any answer. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import zlib from 'node:zlib';
import { PLUGINS } from '../../plugins/index.js';
import { ENVIRONMENTS } from '../../src/core/index.js';
import { appWithUpstream } from '../support/app-with-upstream.js';

const SHIPPED = ['_shared/baseline.yaml', '_shared/lists.yaml', ...ENVIRONMENTS.map((name) => `${name}/policy.yaml`)];
const TOKEN = 'ghp' + '_x7Kq2mZt9LwYb4RfNs8VcD1hJ6gP3uEaQ0iT';
const CHAT = '/openai/v1/chat/completions';
/** Bytes in no known format. */
const UNREAD = Buffer.alloc(2_000, '\x01\xff\x02', 'latin1');

/** The error of Groq for an answer whose tool calls it cannot read. */
const failed = (failed_generation: string): string =>
  JSON.stringify({
    error: {
      message: "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
      ...{ type: 'invalid_request_error', code: 'tool_use_failed', failed_generation },
    },
  });
const SHELL = '<function=run_shell>{"cmd":"ls"}</function>';
const including = (violation: object): unknown => expect.arrayContaining([expect.objectContaining(violation)]);

describe('an error of a provider', () => {
  const { app, upstream } = appWithUpstream({
    policies: Object.fromEntries(SHIPPED.map((path) => [path, readFileSync(join('policies', path), 'utf8')])),
    plugins: PLUGINS,
  });

  const call = (
    requestId: string,
    { path = CHAT, environment = 'production' as 'production' | 'development', stream = false } = {},
  ) =>
    fetch(`${app().url}/proxy${path}`, {
      method: 'POST',
      headers: {
        'x-service-key': app().bootstrap.keys[environment],
        'content-type': 'application/json',
        'x-request-id': requestId,
      },
      body: JSON.stringify({ model: 'm', stream, messages: [{ role: 'user', content: 'hi' }] }),
    });
  /** The stored end of a call. */
  const endOf = async (requestId: string) => {
    const response = await fetch(`${app().url}/v1/events?request_id=${requestId}`, {
      headers: { authorization: `Bearer ${app().bootstrap.token}` },
    });
    const { data } = (await response.json()) as { data: { type: string; [name: string]: unknown }[] };
    return data.find(({ type }) => type === 'ai.error' || type === 'ai.response');
  };
  const answer = (status: number, body: string | Buffer, headers: Record<string, string> = {}): void =>
    upstream().answer(
      (response) => void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body),
    );

  it.each([429, 500, 503, 529])('is forwarded unchanged with the status %d, and is no violation', async (status) => {
    const error = '{ "error": {"type":"overloaded_error", "message":"Try again later"} }';
    answer(status, error, { 'retry-after': '17', 'x-request-id': 'req-upstream', 'x-ratelimit-limit-requests': '9' });
    const response = await call(`plain-${status}`);
    expect([response.status, await response.text()]).toEqual([status, error]);
    const names = ['retry-after', 'x-request-id', 'x-ratelimit-limit-requests'];
    expect(names.map((name) => response.headers.get(name))).toEqual(['17', 'req-upstream', '9']);
    expect(await endOf(`plain-${status}`)).toMatchObject({
      ...{ type: 'ai.error', reason: 'overloaded_error', upstream_status: status, decision: 'allow', violations: [] },
    });
  });

  it.each<[string, string, Record<string, string>]>([
    ['its message', JSON.stringify({ error: { message: `Invalid: ${TOKEN}` } }), {}],
    ['its details', JSON.stringify([{ error: { details: [{ reason: TOKEN }] } }]), {}],
    ['the answer in it', failed(`I use ${TOKEN}`), {}],
    ['the arguments of a call in it', failed(`<function=search>{"q":"${TOKEN}"}</function>`), {}],
    ['a plain text', `upstream said ${TOKEN}`, { 'content-type': 'text/plain' }],
    ['an event stream', `event: error\ndata: {"error":"${TOKEN}"}\n\n`, { 'content-type': 'text/event-stream' }],
  ])('is masked with its status if a credential is in %s', async (what, error, headers) => {
    const requestId = `masked-${what.replaceAll(' ', '-')}`;
    answer(422, error, { 'x-request-id': 'req-upstream', ...headers });
    const response = await call(requestId);
    const text = await response.text();
    expect([response.status, response.headers.get('x-request-id')]).toEqual([422, 'req-upstream']);
    const [before = '', after = ''] = error.split(TOKEN);
    expect(text.startsWith(before) && text.endsWith(after)).toBe(true);
    expect(text).not.toContain(TOKEN);
    const end = await endOf(requestId);
    expect(end).toMatchObject({
      ...{ type: 'ai.error', upstream_status: 422, decision: 'redact' },
      violations: including({ rule: 'secrets.redact-leaked-credential', enforced: true }),
    });
    expect(JSON.stringify(end)).not.toContain(TOKEN);
  });

  it.each<[string, string]>([
    ['of a function', SHELL],
    ['in a tag', '<tool_call>{"name":"run_shell","arguments":{"cmd":"ls"}}</tool_call>'],
    ['of a server', '<function=mcp__ops__run_shell>{"cmd":"ls"}'],
    ['as JSON', '{"name":"run_shell","parameters":{"cmd":"ls"}}'],
    ['that breaks off', '{"name": "run_shell", "arguments": {"cmd": "l'],
  ])('is refused if the answer in it has a dangerous tool call %s, and recorded so', async (how, generation) => {
    const requestId = `shell-${how.replaceAll(' ', '-')}`;
    answer(400, failed(generation), { 'retry-after': '1' });
    const response = await call(requestId);
    const text = await response.text();
    expect(response.status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'tool_use_blocked', weir: { decision: 'block' } } });
    expect(text).not.toContain('run_shell');
    expect(await endOf(requestId)).toMatchObject({
      ...{ type: 'ai.error', decision: 'block', reason: 'tool_use_blocked', upstream_status: 400 },
      violations: including({ rule: 'tool.block-dangerous', enforced: true }),
    });
  });

  it('is refused inside a stream as well, before any part of the tool call has been sent', async () => {
    const first = 'data: {"choices":[{"index":0,"delta":{"content":"Hello there. "}}]}\n\n';
    upstream().answerSse([first, `event: error\ndata: ${failed(SHELL)}\n\n`, 'data: [DONE]\n\n']);
    const text = await (await call('in-stream', { stream: true })).text();
    expect(text).toContain('tool_use_blocked');
    expect(text).not.toContain('run_shell>');
    expect(await endOf('in-stream')).toMatchObject({ type: 'ai.response', decision: 'block' });
  });

  it('is masked inside a stream', async () => {
    upstream().answerSse([`event: error\ndata: {"error":{"message":"Invalid ${TOKEN}"}}\n\n`]);
    const text = await (await call('masked-in-stream', { stream: true })).text();
    expect(text).toMatch(/^event: error\ndata: \{"error":\{"message":"Invalid \[/);
    expect(text).not.toContain(TOKEN);
  });

  it('is forwarded decompressed, as it was judged', async () => {
    const error = JSON.stringify({ error: { message: 'Try again later' } });
    answer(503, zlib.gzipSync(error), { 'content-encoding': 'gzip' });
    const response = await call('packed');
    expect([response.status, response.headers.get('content-encoding')]).toEqual([503, null]);
    expect(await response.text()).toBe(error);
  });

  it('follows the setting for unread content if it cannot be read', async () => {
    answer(500, UNREAD, { 'content-type': 'application/octet-stream' });
    const refused = await call('unread');
    expect(await refused.json()).toMatchObject({ error: { code: 'content_policy_violation' } });
    expect(await endOf('unread')).toMatchObject({
      ...{ type: 'ai.error', decision: 'block' },
      violations: [{ rule: 'unread' }],
    });
    const passed = await call('unread-elsewhere', { path: '/openai/v1/other' });
    expect([passed.status, Buffer.from(await passed.arrayBuffer()).equals(UNREAD)]).toEqual([500, true]);
    expect(await endOf('unread-elsewhere')).toMatchObject({ type: 'ai.error', violations: [{ action: 'flag' }] });
  });

  it('is forwarded unchanged where the policy only monitors, with a report of what the rules found', async () => {
    const error = failed(SHELL);
    answer(400, error);
    const response = await call('watched', { environment: 'development' });
    expect([response.status, await response.text()]).toEqual([400, error]);
    expect(await endOf('watched')).toMatchObject({
      ...{ type: 'ai.error', reason: 'invalid_request_error', decision: 'allow' },
      violations: including({ rule: 'tool.block-dangerous', enforced: false }),
    });
  });
});
