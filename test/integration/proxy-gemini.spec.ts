import { appWithUpstream } from '../support/app-with-upstream.js';
import { recordedAnswer, recordedEvents } from '../support/recorded-answer.js';
import { TEST_POLICIES, testPolicy } from '../support/test-app.js';

const MODELS = '/proxy/gemini/v1beta/models/gemini-2.5-flash';
const KEY = ['AIza', 'SyA1234567890abcdefghijklmnopqrstuv'].join('');
const USAGE = { promptTokenCount: 11, candidatesTokenCount: 5, thoughtsTokenCount: 2, cachedContentTokenCount: 4 };

const entry = (text: string, more: object = {}): object => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0, ...more }],
  modelVersion: 'gemini-2.5-flash',
});
const ENTRIES = [
  entry('to ma'),
  entry('il-1'),
  { ...entry('2 and on', { finishReason: 'STOP' }), usageMetadata: USAGE },
];
const ask = (text: string, more: object = {}): object => ({ contents: [{ role: 'user', parts: [{ text }] }], ...more });
const textOf = (entries: readonly object[]): string =>
  (entries as { candidates: { content: { parts: { text: string }[] } }[] }[])
    .flatMap(({ candidates }) => candidates[0]!.content.parts)
    .reduce((all, { text }) => all + text, '');

describe('Gemini through the proxy', () => {
  const { app, upstream } = appWithUpstream({
    policies: {
      ...TEST_POLICIES,
      'staging/policy.yaml': testPolicy('staging', 'content: full\ndefault_max_tokens: 99'),
    },
  });

  const send = (
    path: string,
    body: object,
    { id, environment = 'production' }: { id?: string; environment?: 'production' | 'staging' } = {},
  ): Promise<Response> =>
    fetch(app().url + path, {
      method: 'POST',
      headers: {
        'x-service-key': app().bootstrap.keys[environment],
        'x-goog-api-key': KEY,
        'content-type': 'application/json',
        ...(id === undefined ? {} : { 'x-request-id': id }),
      },
      body: JSON.stringify(body),
    });
  const sent = (): unknown => JSON.parse(upstream().last.body.toString());

  it('masks a value that is split over the entries of a stream, as SSE and as a JSON array', async () => {
    upstream().answerSse(ENTRIES.map((each) => `data: ${JSON.stringify(each)}\r\n\r\n`));
    const events = await (await send(`${MODELS}:streamGenerateContent?alt=sse`, ask('hi'), { id: 'g-sse' })).text();
    const read = events
      .split('\r\n\r\n')
      .filter((event) => event !== '')
      .map((event) => JSON.parse(event.slice('data: '.length)) as object);
    expect(textOf(read)).toBe('to [MAIL_1] and on');
    upstream().answerJson(JSON.stringify(ENTRIES));
    const list = await send(`${MODELS}:streamGenerateContent`, ask('hi'), { id: 'g-list' });
    expect(textOf((await list.json()) as object[])).toBe('to [MAIL_1] and on');
    for (const id of ['g-sse', 'g-list']) {
      const answer = await recordedAnswer(app(), id);
      expect(answer).toMatchObject({
        decision: 'redact',
        model: 'gemini-2.5-flash',
        usage: { prompt_tokens: 11, completion_tokens: 7, cache_read_tokens: 4, reasoning_tokens: 2 },
        // 7 input tokens at 0.30, 4 cached tokens at 0.03 and 7 output tokens at 2.50 dollars per million.
        cost_nano_usd: '19720',
      });
      expect(answer.reason ?? null).toBeNull();
    }
  });

  it('refuses a truncated JSON array, because its texts may be incomplete', async () => {
    upstream().answerJson(`[${JSON.stringify(entry('to ma'))},${JSON.stringify(entry('il-12 and on'))}`);
    const response = await send(`${MODELS}:streamGenerateContent`, ask('hi'));
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { code: 502, status: 'UNAVAILABLE' } });
  });

  it('records an answer as incomplete if its JSON array has no finish reason', async () => {
    upstream().answerJson(JSON.stringify(ENTRIES.slice(0, 2)));
    await send(`${MODELS}:streamGenerateContent`, ask('hi'), { id: 'g-torn' });
    expect(await recordedAnswer(app(), 'g-torn')).toMatchObject({ reason: 'answer_incomplete' });
  });

  it('ends a stream with an error in the format of Google if a rule refuses the last entry', async () => {
    const call = { functionCall: { name: 'run_shell', args: { command: 'ls' } } };
    const last = { candidates: [{ content: { role: 'model', parts: [call] }, index: 0, finishReason: 'STOP' }] };
    const far = entry('x y '.repeat(40));
    upstream().answerSse([far, far, last].map((each) => `data: ${JSON.stringify(each)}\n\n`));
    const text = await (await send(`${MODELS}:streamGenerateContent?alt=sse`, ask('hi'))).text();
    expect(text).not.toContain('run_shell');
    const error = JSON.parse(
      text
        .trim()
        .split('\n\n')
        .at(-1)!
        .replace(/^data: /, ''),
    ) as unknown;
    expect(error).toMatchObject({
      error: {
        code: 400,
        status: 'INVALID_ARGUMENT',
        details: [{ reason: 'TOOL_USE_BLOCKED' }, { '@type': 'weir', code: 'tool_use_blocked' }],
        weir: { code: 'tool_use_blocked' },
      },
    });
  });

  it('reads instructions, tool results and the text of files, and masks them in place', async () => {
    upstream().answerJson(entry('ok', { finishReason: 'STOP' }));
    const data = Buffer.from('name,mail\nann,mail-4\n').toString('base64');
    const body = {
      system_instruction: { parts: [{ text: 'ask mail-1' }] },
      contents: [
        { role: 'user', parts: [{ text: 'mail-2' }] },
        { role: 'model', parts: [{ functionCall: { name: 'look', args: { who: 'mail-3' } } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'look', response: { result: 'mail-5' } } }] },
        { role: 'user', parts: [{ inlineData: { mimeType: 'text/csv', data } }] },
      ],
    };
    await send(`${MODELS}:generateContent`, body);
    const received = sent() as typeof body;
    expect(JSON.stringify(received)).not.toMatch(/mail-\d/);
    expect(received.system_instruction.parts[0]!.text).toMatch(/^ask \[MAIL_\d\]$/);
    const file = (received.contents[3]!.parts[0] as { inlineData: { data: string } }).inlineData.data;
    expect(Buffer.from(file, 'base64').toString()).toMatch(/^name,mail\nann,\[MAIL_\d\]\n$/);
  });

  it('adds the output limit of the policy to requests without a limit', async () => {
    upstream().answerJson(entry('ok', { finishReason: 'STOP' }));
    const capped = async (more: object): Promise<unknown> => {
      await send(`${MODELS}:generateContent`, ask('hi', more), { environment: 'staging' });
      const { contents: _, ...rest } = sent() as Record<string, unknown>;
      return rest;
    };
    expect(await capped({})).toEqual({ generationConfig: { maxOutputTokens: 99 } });
    expect(await capped({ generationConfig: {} })).toEqual({ generationConfig: { maxOutputTokens: 99 } });
    expect(await capped({ generation_config: { topK: 1 } })).toEqual({
      generation_config: { topK: 1, maxOutputTokens: 99 },
    });
    const own = { generationConfig: { max_output_tokens: 7 } };
    expect(await capped(own)).toEqual(own);
    await send(`${MODELS}:countTokens`, ask('hi'), { environment: 'staging' });
    expect(sent()).toEqual(ask('hi'));
  });

  it('estimates the tokens of embeddings, whose answers never report usage', async () => {
    upstream().answerJson({ embeddings: [{ values: [0.25, -1.5e-7] }] });
    const path = '/proxy/gemini/v1beta/models/gemini-embedding-001:batchEmbedContents';
    const requests = [{ model: 'models/gemini-embedding-001', content: { parts: [{ text: 'abcd efg mail-1' }] } }];
    await send(path, { requests }, { id: 'g-embed' });
    expect(JSON.stringify(sent())).toContain('abcd efg [MAIL_1]');
    expect(await recordedAnswer(app(), 'g-embed')).toMatchObject({
      model: 'gemini-embedding-001',
      usage: { completion_tokens: 0, estimated: true },
      cost_nano_usd: expect.stringMatching(/^[1-9]\d*$/) as string,
    });
  });

  it('forwards the key in its header and in the URL, and neither judges nor stores it', async () => {
    upstream().answerJson(entry('ok', { finishReason: 'STOP' }));
    await send(`${MODELS}:generateContent?key=${KEY}`, ask('hi'), { id: 'g-key', environment: 'staging' });
    expect(upstream().last.url).toBe(`/v1beta/models/gemini-2.5-flash:generateContent?key=${KEY}`);
    expect(upstream().last.headers['x-goog-api-key']).toBe(KEY);
    const answer = await recordedAnswer(app(), 'g-key');
    const events = await recordedEvents(app(), 'g-key');
    expect(JSON.stringify([answer, events])).not.toContain(KEY.slice(4));
  });

  it.each([
    ['alt=proto', 'url'],
    ['%24alt=media', 'url'],
    ['callback=run', 'url'],
  ])('refuses a request for an answer in an unreadable format: %s', async (query, path) => {
    const before = upstream().requests.length;
    const response = await send(`${MODELS}:generateContent?${query}`, ask('hi'));
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      error: { status: 'INVALID_ARGUMENT', weir: { details: [{ path }] } },
    });
    expect(upstream().requests).toHaveLength(before);
  });

  it('refuses a request for streamed function arguments, which it cannot assemble', async () => {
    const toolConfig = { functionCallingConfig: { streamFunctionCallArguments: true } };
    const response = await send(`${MODELS}:streamGenerateContent?alt=sse`, ask('hi', { toolConfig }));
    expect(response.status).toBe(422);
    expect(JSON.stringify(await response.json())).toContain('streamFunctionCallArguments');
  });

  it('recognizes its routes in every spelling that a lenient server would accept', async () => {
    upstream().answerJson(entry('ok', { finishReason: 'STOP' }));
    for (const path of [
      '/v1beta/models/m%3AgenerateContent',
      '/v1/models/m:GENERATECONTENT',
      '/v1beta/tunedModels/m:generateContent/',
      '/v1/projects/p/locations/l/publishers/google/models/m:generateContent',
    ]) {
      const response = await send(`/proxy/gemini${path}`, ask('ssn-1'));
      expect([path, response.status]).toEqual([path, 400]);
    }
  });
});
