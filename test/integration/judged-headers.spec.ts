import { appWithUpstream } from '../support/app-with-upstream.js';
import { testPolicy } from '../support/test-app.js';

/** The test policy with a rule that refuses answers. */
const REFUSING = `${testPolicy('production', 'client_monitor_mode: ignore\ncontent: redacted')}
  - id: words.block-answer
    title: Number words stay inside
    stage: post
    severity: critical
    when: { all: [ { words.types: { any_of: [SSN] } } ] }
    then: { action: block, reason: content_policy_violation }
    on_unknown: match
`;
const CHAT = '{"choices":[{"index":0,"message":{"role":"assistant","content":"fine"}}]}';
const STREAM = 'data: {"choices":[{"index":0,"delta":{"content":"fine"}}]}\n\ndata: [DONE]\n\n';
/** Not the beginning of any text or document. */
const SOUND = Buffer.alloc(2_000, '\x01\xff\x02', 'latin1');

/** Answers of each kind: judged as a whole, judged while they are sent, and forwarded unread. */
const KINDS: readonly (readonly [kind: string, path: string, type: string, body: string | Buffer])[] = [
  ['a whole answer', '/openai/v1/chat/completions', 'application/json', CHAT],
  ['a stream', '/openai/v1/chat/completions', 'text/event-stream', STREAM],
  ['a file', '/openai/v1/audio/speech', 'audio/mpeg', SOUND],
];

describe('the headers of an answer', () => {
  const { app, upstream } = appWithUpstream({
    policies: {
      'production/policy.yaml': REFUSING,
      'staging/policy.yaml': testPolicy('staging', 'content: none'),
      'development/policy.yaml': testPolicy('development', 'mode: monitor'),
    },
  });

  const call = (requestId: string, path: string, environment: 'production' | 'development' = 'production') =>
    fetch(`${app().url}/proxy${path}`, {
      method: 'POST',
      headers: {
        'x-service-key': app().bootstrap.keys[environment],
        'content-type': 'application/json',
        'x-request-id': requestId,
      },
      body: '{"model":"m","messages":[]}',
    });
  const endOf = async (requestId: string) => {
    const response = await fetch(`${app().url}/v1/events?request_id=${requestId}&type=ai.response`, {
      headers: { authorization: `Bearer ${app().bootstrap.token}` },
    });
    return ((await response.json()) as { data: Record<string, unknown>[] }).data[0];
  };
  const answer = (type: string, body: string | Buffer, headers: Record<string, string>, status = 200): void =>
    upstream().answer((response) => void response.writeHead(status, { 'content-type': type, ...headers }).end(body));
  const idOf = (what: string, kind: string): string => `${what}-${kind.replaceAll(' ', '-')}`;

  it.each(KINDS)('are sent without one in which a rule would mask something: %s', async (kind, path, type, body) => {
    const requestId = idOf('masked', kind);
    answer(type, body, {
      'content-disposition': 'attachment; filename="to mail-1.txt"',
      'x-note': 'to%20mail-2',
      'x-other': 'a harmless note',
      'openai-version': '2020-10-01',
    });
    const response = await call(requestId, path);
    expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.from(body))).toBe(true);
    const names = ['content-disposition', 'x-note', 'x-other', 'openai-version'];
    expect(names.map((name) => response.headers.get(name))).toEqual([null, null, 'a harmless note', '2020-10-01']);
    const locations = ['headers.content-disposition', 'headers.x-note'];
    expect(await endOf(requestId)).toMatchObject({
      violations: [{ rule: 'words.redact-answer', locations, count: 2, enforced: true }],
    });
    expect(JSON.stringify(await endOf(requestId))).not.toContain('mail-');
  });

  it.each(KINDS)('refuse the answer if a rule refuses it for one of them: %s', async (kind, path, type, body) => {
    const requestId = idOf('refused', kind);
    answer(type, body, { 'x-note': 'to ssn-1' });
    const response = await call(requestId, path);
    expect([response.status, response.headers.get('x-note')]).toEqual([400, null]);
    expect(await response.json()).toMatchObject({ error: { code: 'content_policy_violation' } });
    expect(await endOf(requestId)).toMatchObject({
      decision: 'block',
      violations: expect.arrayContaining([
        expect.objectContaining({ rule: 'words.block-answer', locations: ['headers.x-note'], enforced: true }),
      ]) as unknown,
    });
  });

  it.each(KINDS)('are all sent where no rule is enforced, and reported: %s', async (kind, path, type, body) => {
    const requestId = idOf('watched', kind);
    answer(type, body, { 'x-note': 'to mail-1' });
    const response = await call(requestId, path, 'development');
    expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.from(body))).toBe(true);
    expect(response.headers.get('x-note')).toBe('to mail-1');
    expect(await endOf(requestId)).toMatchObject({ violations: [{ rule: 'words.redact-answer', enforced: false }] });
  });

  it('are judged with an error as well', async () => {
    answer('application/json', '{"error":{"message":"no"}}', { 'x-note': 'to mail-1', 'retry-after': '17' }, 429);
    const response = await call('of-an-error', '/openai/v1/chat/completions');
    expect([response.status, await response.text()]).toEqual([429, '{"error":{"message":"no"}}']);
    expect(['x-note', 'retry-after'].map((name) => response.headers.get(name))).toEqual([null, '17']);
  });
});
