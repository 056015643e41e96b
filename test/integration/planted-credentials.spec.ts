/** Credentials in every field that a client fills: none of them is stored anywhere, whatever the name of the field. */
import { createHash } from 'node:crypto';
import { request } from 'undici';
import { PLUGINS } from '../../plugins/index.js';
import { Database } from '../../src/database/index.js';
import { RawUpstream } from '../support/raw-upstream.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { findPostgresBinaries, TestPostgres } from '../support/postgres.js';

/** A policy that flags credentials but admits calls, so that every event is stored completely. */
const POLICY = (environment: string, settings: string): string => `
apiVersion: weir/v1
kind: Policy
metadata: { id: ${environment}, title: Flags credentials, owner: tests@example.com }
environment: ${environment}
default: allow
${settings}
stages: { pre: { deadline_ms: 60000 }, post: { deadline_ms: 60000 }, tool: { deadline_ms: 60000 } }
detectors:
  secrets: { plugin: secrets@^1, timeout_ms: 60000 }
budgets:
  - { id: spent, scope: [model, provider, metadata.user], window: { per: total }, limit: { tokens: 1000000000 }, on_exceed: block }
rules:
${['pre', 'post', 'tool']
  .map(
    (stage) => `
  - id: secrets.${stage}
    title: Credentials are flagged
    stage: ${stage}
    severity: low
    when: { all: [ { secrets.count: { gte: 1 } } ] }
    then: { action: flag }
    on_unknown: no_match
`,
  )
  .join('')}`;

const POLICIES = {
  'production/policy.yaml': POLICY('production', 'content: redacted'),
  'staging/policy.yaml': POLICY('staging', 'content: none'),
  'development/policy.yaml': POLICY('development', 'content: redacted'),
};

const MARK = 'shpat_';
/** A distinct credential for each field, of lower-case letters, digits and underscores, as the strictest field requires. */
const credentialFor = (field: string): string => MARK + createHash('md5').update(field).digest('hex');

type Json = Record<string, unknown>;
interface Planted {
  readonly field: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body: (credential: string) => Json;
}

const messages = [{ role: 'user', content: 'hi' }];
const ai = (more: Json): Json => ({ type: 'ai.request', request_id: 'r', payload: { messages }, ...more });
const tool = (payload: Json, more: Json = {}): Json => ({
  type: 'agent.tool_call',
  payload: { tool: 'search', arguments: {}, ...payload },
  ...more,
});
const called = (name: string, id: string): Json => ({
  role: 'assistant',
  tool_calls: [{ id, type: 'function', function: { name, arguments: '{}' } }],
});

/** Submitted events with a credential, by the field that contains it. */
const EVENTS: Readonly<Record<string, (credential: string) => Json>> = {
  event_id: (c) => ai({ event_id: c }),
  request_id: (c) => ai({ request_id: c }),
  'request_id of an answer': (c) => ({ type: 'ai.response', request_id: c, payload: { output: 'x' } }),
  'request_id of an error': (c) => ({ type: 'ai.error', request_id: c, payload: { error: { type: 'e', message: 'm' } } }),
  'request_id of a tool call': (c) => tool({}, { request_id: c }),
  provider: (c) => ai({ provider: c }),
  'provider of an answer': (c) => ({ type: 'ai.response', request_id: 'r', provider: c, payload: { output: 'x' } }),
  'provider of an error': (c) => ({ type: 'ai.error', request_id: 'r', provider: c, payload: { error: { type: 'e', message: 'm' } } }),
  model: (c) => ai({ model: c }),
  'model of the payload': (c) => ai({ payload: { messages, model: c } }),
  'model of an answer': (c) => ({ type: 'ai.response', request_id: 'r', model: c, payload: { output: 'x' } }),
  'a metadata value': (c) => ai({ metadata: { user: c } }),
  'a metadata key': (c) => ai({ metadata: { [c]: 'x' } }),
  'a nested metadata key': (c) => ai({ metadata: { user: { [c]: 1 } } }),
  'a metadata key above a list': (c) => ai({ metadata: { a: { [c]: [{ b: 1 }] } } }),
  'metadata.session_id': (c) => ai({ metadata: { session_id: c } }),
  'payload.session_id': (c) => tool({ session_id: c }),
  'payload.tool': (c) => tool({ tool: c }),
  'payload.call_id': (c) => tool({ call_id: c }),
  'a key of arguments': (c) => tool({ arguments: { [c]: 'x' } }),
  'a key above a finding': (c) => tool({ arguments: { [c]: credentialFor('a value below a found key') } }),
  'a key of arguments as text': (c) => tool({ arguments: JSON.stringify({ [c]: 'x' }) }),
  'a key of a result': (c) => tool({ result: { [c]: { deep: 'x' } } }),
  'payload.error.type': (c) => ({ type: 'ai.error', request_id: 'r', payload: { error: { type: c, message: 'm' } } }),
  'payload.error.message': (c) => ({ type: 'ai.error', request_id: 'r', payload: { error: { type: 'e', message: c } } }),
  'an error that is a text': (c) => ({ type: 'ai.error', request_id: 'r', payload: { error: c } }),
  'a key of an error': (c) => ({ type: 'ai.error', request_id: 'r', payload: { error: { type: 'e', message: 'm', [c]: 1 } } }),
  'a role': (c) => ai({ payload: { messages: [{ role: c, content: 'x' }] } }),
  'the name of a speaker': (c) => ai({ payload: { messages: [{ role: 'user', name: c, content: 'x' }] } }),
  'a declared tool': (c) => ai({ payload: { messages, tools: [{ type: 'function', function: { name: c } }] } }),
  'a parameter of a declared tool': (c) => ai({ payload: { messages, tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: { [c]: { type: 'string' } } } } }] } }),
  'a past tool call': (c) => ai({ payload: { messages: [...messages, called(c, 'c1')] } }),
  'the id of a past tool call': (c) => ai({ payload: { messages: [...messages, called('f', c), { role: 'tool', tool_call_id: c, content: 'x' }] } }),
  'a tool call of an answer': (c) => ({ type: 'ai.response', request_id: 'r', payload: { output: [{ type: 'tool_use', id: 't', name: c, input: { a: 1 } }] } }),
  'an unknown key of the payload': (c) => ai({ payload: { messages, [c]: { a: 'x' } } }),
  'a value under an unknown key': (c) => ai({ payload: { messages, anything: { id: c } } }),
  'the type of a part': (c) => ai({ payload: { messages: [{ role: 'user', content: [{ type: c, text: 'x' }] }] } }),
  'an unknown key of the event': (c) => ai({ [c]: 1 }),
  'an unknown type': (c) => ai({ type: c }),
  'a declared environment': (c) => ai({ environment: c }),
}; // prettier-ignore

const header = (name: string): Planted => ({
  field: `${name} of an event`,
  path: '/v1/events',
  headers: { [name]: credentialFor(`${name} of an event`) },
  body: () => ai({}),
});

const OTHERS: readonly Planted[] = [
  ...['x-request-id', 'user-agent', 'traceparent', 'referer', 'origin', 'x-forwarded-for', 'x-anything'].map(header),
  { field: 'a query of an event', path: `/v1/events?a=${credentialFor('a query of an event')}`, body: () => ai({}) },
  { field: 'a path', path: `/v1/${credentialFor('a path')}/x`, body: () => ai({}) },
];

const CHAT = '/proxy/openai/v1/chat/completions';
const chat = (more: Json): Json => ({ model: 'm', messages, ...more });
/** Body, path and headers of proxied calls with a credential, by the field that contains it. */
const CALLS: Readonly<Record<string, (credential: string) => Omit<Planted, 'field' | 'body'> & { body: Json }>> = {
  'x-request-id': (c) => ({ path: CHAT, headers: { 'x-request-id': c }, body: chat({}) }),
  'x-service-session': (c) => ({ path: CHAT, headers: { 'x-service-session': c }, body: chat({}) }),
  'x-claude-code-session-id': (c) => ({ path: CHAT, headers: { 'x-claude-code-session-id': c }, body: chat({}) }),
  'a metadata value': (c) => ({ path: CHAT, headers: { 'x-service-metadata': JSON.stringify({ user: c }) }, body: chat({}) }),
  'a metadata key': (c) => ({ path: CHAT, headers: { 'x-service-metadata': JSON.stringify({ [c]: { a: 1 } }) }, body: chat({}) }),
  'user-agent': (c) => ({ path: CHAT, headers: { 'user-agent': c }, body: chat({}) }),
  'idempotency-key': (c) => ({ path: CHAT, headers: { 'idempotency-key': c }, body: chat({}) }),
  'openai-beta': (c) => ({ path: CHAT, headers: { 'openai-beta': c }, body: chat({}) }),
  'content-type': (c) => ({ path: CHAT, headers: { 'content-type': `application/json; a=${c}` }, body: chat({}) }),
  'the credential of the provider': (c) => ({ path: CHAT, headers: { authorization: `Bearer ${c}` }, body: chat({}) }),
  model: (c) => ({ path: CHAT, body: chat({ model: c }) }),
  'model in the path': (c) => ({ path: `/proxy/openai/v1/models/${c}:generateContent`, body: { contents: [{ parts: [{ text: 'hi' }] }] } }),
  'a key of the provider in the query': (c) => ({ path: `/proxy/openai/v1/models/m:generateContent?key=${c}`, body: { contents: [{ parts: [{ text: 'hi' }] }] } }),
  'a part of the path': (c) => ({ path: `/proxy/openai/v1/threads/${c}/runs`, body: { assistant_id: 'a' } }),
  'a name in the query': (c) => ({ path: `${CHAT}?${c}=1`, body: chat({}) }),
  'a value in the query': (c) => ({ path: `${CHAT}?api-version=${c}`, body: chat({}) }),
  user: (c) => ({ path: CHAT, body: chat({ user: c }) }),
  'a key of metadata': (c) => ({ path: CHAT, body: chat({ metadata: { [c]: 'x' } }) }),
  'prompt_cache_key': (c) => ({ path: CHAT, body: chat({ prompt_cache_key: c }) }),
  'service_tier': (c) => ({ path: CHAT, body: chat({ service_tier: c }) }),
  'previous_response_id': (c) => ({ path: '/proxy/openai/v1/responses', body: { model: 'm', input: 'x', previous_response_id: c } }),
  'a declared tool': (c) => ({ path: CHAT, body: chat({ tools: [{ type: 'function', function: { name: c } }] }) }),
  'a past tool call': (c) => ({ path: CHAT, body: chat({ messages: [...messages, called(c, 'c1')] }) }),
  'the id of a past tool call': (c) => ({ path: CHAT, body: chat({ messages: [...messages, called('f', c), { role: 'tool', tool_call_id: c, content: 'x' }] }) }),
  'a key of arguments': (c) => ({ path: CHAT, body: chat({ messages: [...messages, { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: JSON.stringify({ [c]: { deep: 'x' } }) } }] }] }) }),
  'an unknown key': (c) => ({ path: CHAT, body: chat({ [c]: { deep: ['x'] } }) }),
  'the name of a document': (c) => ({ path: '/proxy/openai/v1/model/m/converse', body: { messages: [{ role: 'user', content: [{ document: { name: c, format: 'txt', source: { bytes: 'aGVsbG8gd29ybGQ=' } } }] }] } }),
  'an unknown provider': (c) => ({ path: `/proxy/${c}/v1/chat/completions`, body: chat({}) }),
}; // prettier-ignore

/** Answers with a credential in a name that the provider chose instead of the client, which is not stored either. */
const ANSWERS: Readonly<Record<string, (credential: string) => Json>> = {
  'the id of an answer': (c) => ({ id: c, choices: [] }),
  'the model of an answer': (c) => ({ id: 'a', model: c, choices: [] }),
  'a tool call of an answer': (c) => ({ id: 'a', choices: [{ index: 0, message: { ...called(c, 'c') } }] }),
  'the id of a tool call of an answer': (c) => ({ id: 'a', choices: [{ index: 0, message: { ...called('f', c) } }] }),
  'a key of an answer': (c) => ({ id: 'a', choices: [], [c]: { a: 'x' } }),
  'the type of an error': (c) => ({ error: { type: c, message: 'm' } }),
};

const binaries = findPostgresBinaries();
const databases = ['embedded', 'PostgreSQL'].filter(
  (name) =>
    (name === 'embedded' || binaries !== undefined) &&
    (process.env['WEIR_TEST_DATABASE'] ?? name).toLowerCase() === name.toLowerCase(),
);

describe.each(databases)('A credential that a client writes into a field (%s)', (database) => {
  let upstream: RawUpstream;
  let postgres: TestPostgres | undefined;
  let app: TestApp;
  beforeAll(async () => {
    upstream = await RawUpstream.start();
    if (database === 'PostgreSQL') postgres = await TestPostgres.start(binaries!);
    app = await startTestApp({
      env: { WEIR_OPENAI_BASE_URL: `${upstream.url}/v1`, WEIR_ANTHROPIC_BASE_URL: upstream.url },
      policies: POLICIES,
      plugins: PLUGINS,
      ...(postgres === undefined ? {} : { databaseUrl: await postgres.newDatabase() }),
    });
  }, 60_000);
  afterAll(async () => {
    await app.close();
    await postgres?.stop();
    await upstream.close();
  });

  const send = async (path: string, headers: Record<string, string>, body: Json): Promise<number> => {
    const answer = await request(`${app.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    await answer.body.dump();
    return answer.statusCode;
  };

  const submit = (one: Planted, environment: 'production' | 'staging'): Promise<number> =>
    send(
      one.path,
      { authorization: `Bearer ${app.bootstrap.keys[environment]}`, ...one.headers },
      one.body(credentialFor(one.field)),
    );

  /** The fields whose credential is in one of these texts. */
  function kept(fields: readonly string[], texts: readonly string[]): string[] {
    return fields.filter((field) => texts.some((text) => text.includes(credentialFor(field))));
  }

  /** Every row of every table, as text. */
  async function everyRow(): Promise<{ table: string; row: string }[]> {
    const { sql } = app.weir.app.get(Database);
    const tables = await sql.forMaintenance().query<{ name: string }>(
      `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables
         WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const rows = await Promise.all(
      tables.map(({ name }) =>
        sql
          .forMaintenance()
          .query<{ table: string; row: string }>(`SELECT '${name}' AS table, t::text AS row FROM ${name} t`),
      ),
    );
    return rows.flat();
  }

  async function whereKept(fields: readonly string[]): Promise<string[]> {
    const rows = await everyRow();
    const places = new Map<string, readonly string[]>([
      ...[...Map.groupBy(rows, ({ table }) => table)].map(
        ([table, own]) => [table, own.map(({ row }) => row)] as const,
      ),
      ['the log', app.logs],
      ['the metrics', [await (await fetch(`${app.url}/metrics`)).text()]],
      [
        'the audit log',
        [
          await (
            await fetch(`${app.url}/v1/audit?limit=100`, {
              headers: { authorization: `Bearer ${app.bootstrap.token}` },
            })
          ).text(),
        ],
      ],
    ]);
    return [...places].flatMap(([place, texts]) => kept(fields, texts).map((field) => `${field}: in ${place}`));
  }

  it.each(['production', 'staging'] as const)(
    'is stored nowhere if an event submitted in %s contains it',
    async (environment) => {
      const planted: Planted[] = [
        ...Object.entries(EVENTS).map(([field, body]) => ({ field, path: '/v1/events', body })),
        ...OTHERS,
      ];
      const statuses = new Map<string, number>();
      for (const one of planted) statuses.set(one.field, await submit(one, environment));
      expect([...statuses].filter(([, status]) => ![200, 404, 422].includes(status))).toEqual([]);
      expect(await whereKept(planted.map(({ field }) => field))).toEqual([]);
    },
    120_000,
  );

  it('is stored nowhere if it is in a proxied call, or in a name that the answer contains', async () => {
    upstream.answerJson({ id: 'a', choices: [] });
    const key = { 'x-service-key': app.bootstrap.keys.production };
    const statuses = new Map<string, number>();
    const field = (name: string): string => `${name}, proxied`;
    for (const [name, call] of Object.entries(CALLS)) {
      const { path, headers = {}, body } = call(credentialFor(field(name)));
      statuses.set(name, await send(path, { authorization: 'Bearer p', ...key, ...headers }, body));
    }
    for (const [name, answer] of Object.entries(ANSWERS)) {
      upstream.answerJson(answer(credentialFor(field(name))), name === 'the type of an error' ? 400 : 200);
      statuses.set(name, await send(CHAT, { authorization: 'Bearer p', ...key }, chat({})));
    }
    expect([...statuses].filter(([, status]) => ![200, 400, 404, 422].includes(status))).toEqual([]);
    expect(await whereKept([...statuses.keys()].map(field))).toEqual([]);
  }, 120_000);

  it('would be found if it were stored: a planted plain word is found in the rows of events', async () => {
    // A plain word, in which no detector finds anything.
    const plant = 'planted-word-for-the-search';
    await send(
      '/v1/events',
      { authorization: `Bearer ${app.bootstrap.keys.production}` },
      ai({ provider: plant, metadata: { [plant]: 1 } }),
    );
    const rows = (await everyRow()).filter(({ row }) => row.includes(plant));
    expect(rows.some(({ table }) => table.includes('event'))).toBe(true);
  });

  it('is masked in the facts of a proxied call if it is the name of the model', async () => {
    upstream.answerJson({ id: 'a', choices: [] });
    const model = credentialFor('the model of a decision');
    await send(
      CHAT,
      { authorization: 'Bearer p', 'x-service-key': app.bootstrap.keys.production, 'x-request-id': 'model-in-facts' },
      chat({ model }),
    );
    const answer = await fetch(`${app.url}/v1/events?request_id=model-in-facts`, {
      headers: { authorization: `Bearer ${app.bootstrap.token}` },
    });
    const { data } = (await answer.json()) as { data: { type: string; model: string; facts: unknown }[] };
    const judged = data.filter(({ type }) => type !== 'policy.violation');
    expect(judged.map(({ type }) => type).sort()).toEqual(['ai.request', 'ai.response']);
    for (const { facts, model: stored } of judged) {
      expect(stored).toBe('[shopify_token]');
      expect(JSON.stringify(facts)).toContain('"model":{"name":"[MASKED]"}');
      expect(JSON.stringify(facts)).not.toContain(model);
    }
  });
});
