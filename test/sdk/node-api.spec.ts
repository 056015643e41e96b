import { getEventListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import {
  pages,
  WeirApiError,
  weirApi,
  WeirConfigError,
  WeirConnectionError,
  type WeirApi,
  type WeirApiOptions,
} from '../../sdk/node/src/index.js';
import { GROUPS } from '../../sdk/node/src/api/groups.js';
import { OPERATIONS } from '../../sdk/node/src/api/operations.js';
import { freePort } from '../support/server-process.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { answerStatus, FakeWeir } from './fake-weir.js';

describe('the client of the complete API', () => {
  let app: TestApp;
  let api: WeirApi;
  beforeAll(async () => {
    app = await startTestApp();
    api = weirApi({ baseUrl: app.url, token: app.bootstrap.token, apiKey: app.bootstrap.keys.production });
  });
  afterAll(() => app.close());

  const submit = (content: string, request = 'request-1') =>
    api.events.submit({
      body: { type: 'ai.request', request_id: request, payload: { messages: [{ role: 'user', content }] } },
    });

  it('submits events and reads them back', async () => {
    const answer = await submit('write to mail-1');
    expect(answer).toMatchObject({ decision: 'redact', redactions: [{ type: 'contains_pii', count: 1 }] });
    const event = await api.events.get({ id: answer.event_id });
    expect(event).toMatchObject({ id: answer.event_id, type: 'ai.request', request_id: 'request-1' });
    expect((await api.events.count({ request_id: 'request-1' })) as object).toBeTruthy();
  });

  it('throws the details of a refusal', async () => {
    const error = await submit('my ssn-1').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WeirApiError);
    expect(error).toMatchObject({
      status: 400,
      type: 'content_policy_violation',
      decision: 'block',
      violations: [{ rule: 'words.block-ssn' }],
    });
    expect((error as WeirApiError).traceId).toBeTruthy();
  });

  it('names the invalid fields', async () => {
    const error = await api.events.submit({ body: { type: 'ai.request' } as never }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      status: 422,
      details: expect.arrayContaining([expect.objectContaining({ path: 'request_id' })]) as unknown,
    });
    expect((error as Error).message).toContain('request_id');
  });

  it.each([-1, Number.NaN, Infinity, Number.MAX_SAFE_INTEGER])(
    'refuses a timeout that no timer has: %d',
    (timeoutMs) => {
      expect(() => weirApi({ timeoutMs })).toThrow(WeirConfigError);
      expect(() => weirApi({ timeoutMs })).toThrow('timeoutMs: must be a number from 0 to 2147483647');
    },
  );

  it('leaves no listener on a signal that is used for many calls', async () => {
    const { signal } = new AbortController();
    await api.events.count({}, { signal });
    await expect(api.events.get({ id: 'unknown' }, { signal })).rejects.toBeInstanceOf(WeirApiError);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('iterates over all pages of a list', async () => {
    for (let index = 0; index < 5; index++) await submit('hello', 'request-pages');
    const ids: string[] = [];
    for await (const event of pages(api.events.list, { request_id: 'request-pages', limit: 2 })) ids.push(event.id);
    expect(new Set(ids).size).toBe(5);
  });

  it('creates apps and keys, and reads the audit log', async () => {
    const made = await api.apps.create({ body: { name: 'Made by the client' } });
    const { key, secret } = await api.keys.create({
      app: made.id,
      body: { name: 'first', environment: 'development' },
    });
    expect(secret).toMatch(/^sk_test_/);
    expect((await api.keys.list({ app: made.id })).data).toHaveLength(1);
    expect(await api.keys.delete({ app: made.id, id: key.id })).toBeUndefined();
    const { data } = await api.apps.list();
    expect(data.map(({ name }) => name)).toContain('Made by the client');
    expect((await api.audit.list({ limit: 50 })).data.length).toBeGreaterThan(0);
    expect(await api.policies.get({ environment: 'production' })).toBeTruthy();
    expect((await api.budgets.list({})).data).toEqual([]);
  });

  it('submits many events in one batch, and returns the result of each', async () => {
    const event = (prompt: string) => ({ type: 'ai.request' as const, request_id: 'many', payload: { prompt } });
    const { answers } = await api.events.submitMany({ body: [event('hello'), event('my ssn-1')] });
    expect(answers.map(({ status }) => status)).toEqual([200, 400]);
    expect(answers[0]!.body).toMatchObject({ decision: 'allow' });
  });

  it('returns files unchanged', async () => {
    const response = await api.events.export({ format: 'csv' });
    expect(await response.text()).toContain('event_id');
  });

  it('escapes path parameters, and rejects those that would change the path', async () => {
    await expect(api.apps.get({ app: '../account' })).rejects.toMatchObject({ status: 404, type: 'not_found' });
    for (const id of ['', '.', '..']) {
      await expect(api.apps.get({ app: id })).rejects.toBeInstanceOf(WeirConfigError);
    }
  });

  it('reports a missing credential before it sends a request', async () => {
    const without = weirApi({ baseUrl: app.url, apiKey: app.bootstrap.keys.production });
    await expect(without.apps.list()).rejects.toThrow('WEIR_TOKEN');
  });

  it.each([
    ['a line break', '\n'],
    ['a space', ' '],
    ['a character that no header has', '\u20ac'],
  ])('refuses a credential with %s at once, and does not show it', (_, inside) => {
    const [start, end] = ['wt_live_beginning', 'rest_of_the_token'];
    const refused = (options: WeirApiOptions): unknown => {
      try {
        return weirApi({ baseUrl: app.url, ...options });
      } catch (error) {
        return error;
      }
    };
    for (const name of ['token', 'apiKey'] as const) {
      const error = refused({ [name]: `${start}${inside}${end}` });
      expect(error).toBeInstanceOf(WeirConfigError);
      expect(inspect(error)).toContain(`${name}: must be printable ASCII`);
      expect(inspect(error)).not.toContain(start);
    }
  });

  it('accepts a token and a key with white space around them, as of a file with a secret', async () => {
    const token = ` ${app.bootstrap.token}\n`;
    const spaced = weirApi({ baseUrl: app.url, token, apiKey: `${app.bootstrap.keys.production}\r\n` });
    expect((await spaced.apps.list()).data).not.toEqual([]);
    const event = { type: 'ai.request' as const, request_id: 'spaced', payload: { prompt: 'hello' } };
    expect(await spaced.events.submit({ body: event })).toMatchObject({ decision: 'allow' });
  });

  it('refuses an unusable credential of the environment when an operation needs it, and does not show it', async () => {
    const before = process.env['WEIR_API_KEY'];
    process.env['WEIR_API_KEY'] = 'two words';
    try {
      const half = weirApi({ baseUrl: app.url, token: app.bootstrap.token });
      expect((await half.apps.list()).data).not.toEqual([]);
      const event = { type: 'ai.request' as const, request_id: 'r', payload: { prompt: 'hello' } };
      const error = await half.events.submit({ body: event }).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(WeirConfigError);
      expect(inspect(error)).toContain('WEIR_API_KEY: must be printable ASCII');
      expect(inspect(error)).not.toContain('two words');
    } finally {
      if (before === undefined) delete process.env['WEIR_API_KEY'];
      else process.env['WEIR_API_KEY'] = before;
    }
  });

  it.each<readonly [string, (answer: Response) => unknown]>([
    ['the answer itself', (answer) => answer],
    ['only a thenable', (answer) => ({ then: (done: (answer: Response) => void) => done(answer) })],
  ])('works with a fetch that returns %s, as those of tests do', async (_, returned) => {
    const fetch = (() => returned(Response.json({ data: [] }))) as typeof globalThis.fetch;
    expect(await weirApi({ baseUrl: app.url, token: 't', fetch }).apps.list()).toEqual({ data: [] });
  });

  it('reaches the service although there is white space around its address, and refuses what is no address', async () => {
    const spaced = weirApi({ baseUrl: `\t${app.url} \n`, token: app.bootstrap.token });
    expect((await spaced.apps.list()).data).not.toEqual([]);
    expect(() => weirApi({ baseUrl: 'weir.example' })).toThrow(WeirConfigError);
  });

  it('distinguishes an unreachable service from a refusal', async () => {
    const nowhere = weirApi({ baseUrl: `http://127.0.0.1:${await freePort()}`, token: 't', maxRetries: 0 });
    await expect(nowhere.apps.list()).rejects.toBeInstanceOf(WeirConnectionError);
  });

  it('retries only requests without side effects', async () => {
    const fake = await FakeWeir.start();
    const flaky = weirApi({ baseUrl: fake.url, token: 't', apiKey: 'k' });
    fake.answer((response, request) =>
      (fake.asked.length < 3 ? answerStatus(500, {}) : answerStatus(200, { data: [] }))(response, request),
    );
    expect(await flaky.apps.list()).toEqual({ data: [] });
    expect(fake.asked).toHaveLength(3);
    fake.asked.length = 0;
    fake.answer(answerStatus(500, {}));
    await expect(flaky.apps.create({ body: { name: 'x' } })).rejects.toMatchObject({ status: 500 });
    expect(fake.asked).toHaveLength(1);
    await fake.close();
  });

  it('repeats after 503 only what Weir has not done yet, and what it would do only once', async () => {
    const busy = await FakeWeir.start();
    const asking = weirApi({ baseUrl: busy.url, token: 't', apiKey: 'k' });
    const answers = (type: string) =>
      busy.answer(answerStatus(503, { error: { type, trace_id: 't', message: 'Not now' } }, { 'retry-after': '0.01' }));
    const countOf = async (request: () => Promise<unknown>): Promise<number> => {
      busy.asked.length = 0;
      await expect(request()).rejects.toMatchObject({ status: 503 });
      return busy.asked.length;
    };
    const event = { type: 'ai.request' as const, request_id: 'r', payload: { prompt: 'hello' } };
    answers('unavailable');
    expect(await countOf(() => asking.apps.create({ body: { name: 'x' } }))).toBe(1);
    expect(await countOf(() => asking.events.submit({ body: event }))).toBe(1);
    expect(await countOf(() => asking.events.submit({ body: { ...event, event_id: 'e-1' } }))).toBe(3);
    expect(await countOf(() => asking.apps.list())).toBe(3);
    answers('overloaded');
    expect(await countOf(() => asking.apps.create({ body: { name: 'x' } }))).toBe(3);
    await busy.close();
  });

  it('does not wait for an hour, although Weir or a server in front of it asks for that', async () => {
    const closed = await FakeWeir.start();
    closed.answer(answerStatus(503, {}, { 'retry-after': '3600' }));
    const patient = weirApi({ baseUrl: closed.url, token: 't' });
    await expect(patient.apps.list()).rejects.toMatchObject({ status: 503, retryAfterMs: 3_600_000 });
    expect(closed.asked).toHaveLength(1);
    await closed.close();
  });

  it.each([-1, Number.NaN, Infinity])('refuses a number of retries that is none: %d', (maxRetries) => {
    expect(() => weirApi({ maxRetries })).toThrow('maxRetries: must be a number of at least 0');
  });

  it('matches the OpenAPI document', () => {
    type Operation = { operationId?: string; security?: Record<string, unknown>[] };
    const { paths } = JSON.parse(readFileSync('docs/reference/openapi.json', 'utf8')) as {
      paths: Record<string, Record<string, Operation>>;
    };
    const all = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({ path, method, ...operation })),
    );
    const named = all.filter(({ operationId }) => operationId !== undefined);
    const written = Object.entries(OPERATIONS).map(([id, [method, path]]) => `${id} ${method} ${path}`);
    expect(written).toEqual(
      named.map(({ operationId, method, path }) => `${operationId} ${method.toUpperCase()} ${path}`),
    );
    const reached = new Set<string>(Object.values(GROUPS).flatMap((methods) => Object.values(methods)));
    const promised = named.filter(
      ({ path, security = [] }) =>
        path.startsWith('/v1/') && security.some((each) => 'management_token' in each || 'service_key' in each),
    );
    // The routes for guarded clients exchange raw bytes: only weir() and weirFetch() use them.
    const missing = promised.filter(
      ({ path, operationId }) => !path.startsWith('/v1/calls/') && !reached.has(operationId!),
    );
    expect(missing.map(({ operationId }) => operationId)).toEqual([]);
  });
});
