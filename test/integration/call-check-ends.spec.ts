/**
 * Events between asking about a call and reporting its end: limits, replicas, restarts, expired leases and expired
 * answers.
 */
import zlib from 'node:zlib';
import { KeyAuthenticator } from '../../src/access/index.js';
import { sweepLapsed } from '../../src/budgets/ledger/ledger.js';
import { OpenCalls } from '../../src/call-checks/open-calls.js';
import { endId } from '../../src/calls/index.js';
import { Database } from '../../src/database/index.js';
import { EventLog } from '../../src/events/index.js';
import { BodyRooms } from '../../src/limits/index.js';
import { describeOnPostgres } from '../support/describe-on-postgres.js';
import { TestPostgres } from '../support/postgres.js';
import { startTestApp, TEST_POLICIES, testPolicy, type TestApp } from '../support/test-app.js';

const BUDGET =
  'client_monitor_mode: honor\ncontent: none\ndefault_max_tokens: 50\nbudgets:\n  - { id: tokens, limit: { tokens: 1000 }, window: { per: total }, scope: [], on_exceed: block }';
/** A rule about answers that fires if the budget fact is known. */
const BUDGET_RULE = `  - id: budget.known
    title: The budget is known
    stage: post
    severity: low
    when: { all: [ { budgets.tokens.used_ratio: { gte: 0 } } ] }
    then: { action: flag }
    on_unknown: no_match
`;
const POLICIES = {
  ...TEST_POLICIES,
  'development/policy.yaml': `${testPolicy('development', BUDGET)}${BUDGET_RULE}`,
  'staging/policy.yaml': testPolicy('staging', BUDGET),
};

const chat = (content: string): string =>
  JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content }], stream: true });
const completion = (content: string): string =>
  JSON.stringify({
    ...{ id: 'c', object: 'chat.completion', model: 'gpt-4o' },
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
  });

type Environment = 'development' | 'staging' | 'production';

const post = (app: TestApp, path: string, body: string | Buffer, headers: Record<string, string>, of: Environment) =>
  fetch(`${app.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.bootstrap.keys[of]}`, 'content-type': 'application/json', ...headers },
    body,
  });

async function ask(app: TestApp, body: string, headers: Record<string, string> = {}, of: Environment = 'production') {
  const response = await post(app, '/v1/calls/openai/v1/chat/completions', body, headers, of);
  return { status: response.status, headers: response.headers, text: await response.text() };
}
const callOf = ({ headers }: { readonly headers: Headers }): string => headers.get('x-weir-call') ?? '';

async function report(
  app: TestApp,
  call: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
  of: Environment = 'production',
) {
  const response = await post(app, `/v1/calls/${call}/answer`, body, { 'x-weir-status': '200', ...headers }, of);
  const json = (await response.json()) as { event_id: string; violations: object[] };
  return { status: response.status, headers: response.headers, json };
}

/** Reads from the management API; each test states the expected shape. */
async function read<Body>(app: TestApp, path: string): Promise<Body> {
  const response = await fetch(`${app.url}${path}`, { headers: { authorization: `Bearer ${app.bootstrap.token}` } });
  return (await response.json()) as Body;
}

async function used(app: TestApp): Promise<{ settled: string; reserved: string }> {
  const { data } = await read<{ data: { used: string; reserved: string }[] }>(app, '/v1/budgets?environment=staging');
  return { settled: data[0]?.used ?? '0', reserved: data[0]?.reserved ?? '0' };
}

/** A session in the scope of the only account. */
async function tables(app: TestApp) {
  const caller = await app.weir.app.get(KeyAuthenticator, { strict: false }).authenticate(app.bootstrap.keys.staging);
  return app.weir.app.get(Database, { strict: false }).sql.forAccounts(caller!.accountId);
}

/** Simulates the end of the retention of stored answers: the ids remain, the answers are deleted. */
function forgetting(app: TestApp, ids: ReadonlySet<string>): void {
  const log = app.weir.app.get(EventLog, { strict: false });
  const remembered = log.remembered.bind(log);
  log.remembered = async (...of) => {
    const answer = await remembered(...of);
    return answer !== null && ids.has(of[2]) ? { ...answer, body: '' } : answer;
  };
}

describe('the rate limit of /v1/calls', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ env: { WEIR_RATE_CALLS: '3/3600', WEIR_RATE_PROXY: '1/3600' } });
  }, 120_000);
  afterAll(() => app.close());

  it('counts requests and their retries, but neither reported ends nor submitted events', async () => {
    const first = await ask(app, chat('hello'), { 'idempotency-key': 'k-1' });
    expect(first.headers.get('ratelimit-policy')).toBe('"calls";q=3;w=3600');
    expect((await ask(app, chat('hello'), { 'idempotency-key': 'k-1' })).headers.get('idempotent-replayed')).toBe(
      'true',
    );
    const second = await ask(app, chat('ssn-7'));
    expect([first.status, second.status]).toEqual([204, 400]);
    for (const nth of [1, 2, 3, 4, 5])
      expect((await report(app, callOf(first), completion(`${nth}`))).status).toBe(200);
    const refused = await ask(app, chat('hello'));
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await report(app, callOf(first), completion('again'))).status).toBe(200);
    const event = { type: 'ai.request', request_id: 'r', payload: { prompt: 'hello' } };
    expect((await post(app, '/v1/events', JSON.stringify(event), {}, 'production')).status).toBe(200);
  });

  it('is shown in the usage of the app, separately from proxied calls', async () => {
    const { data } = await read<{ data: [{ id: string }] }>(app, '/v1/apps');
    const { usage } = await read<{ usage: object }>(app, `/v1/apps/${data[0].id}`);
    expect(usage).toMatchObject({
      calls: { count: 3, seconds: 3_600, used: 3 },
      proxy: { count: 1, seconds: 3_600, used: 0 },
    });
  });
});

describe('the end of a call', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ policies: POLICIES });
  }, 120_000);
  afterAll(() => app.close());

  it('is assumed when the lease expires without a report: the upper bound counts until a report arrives', async () => {
    const asked = await ask(app, chat('hello'), {}, 'staging');
    const { reserved } = await used(app);
    expect(Number(reserved)).toBeGreaterThan(50);
    const sql = await tables(app);
    await sql.query(`UPDATE budget_reservations SET expires_at = expires_at - interval '1 day'`);
    await sql.transaction(sweepLapsed);
    expect(await used(app)).toEqual({ settled: reserved, reserved: '0' });
    expect((await report(app, callOf(asked), completion('late'), {}, 'staging')).status).toBe(200);
    expect(await used(app)).toEqual({ settled: '18', reserved: '0' });
  });

  it.each(['gzip', 'deflate', 'br', 'zstd'])(
    'is judged and recorded with the part of a %s answer that arrived before the answer was aborted',
    async (coding) => {
      const chunks = Array.from(
        { length: 20_000 },
        (_, nth) => `data: {"id":"c","choices":[{"index":0,"delta":{"content":"word ${nth * 7919} "}}]}\n\n`,
      );
      chunks[3] = 'data: {"id":"c","choices":[{"index":0,"delta":{"content":"mail-7 "}}]}\n\n';
      const packed = {
        gzip: zlib.gzipSync,
        deflate: zlib.deflateSync,
        br: (body: Buffer) => zlib.brotliCompressSync(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }),
        zstd: zlib.zstdCompressSync,
      }[coding]!(Buffer.from(chunks.join('')));
      const cut = packed.subarray(0, packed.length - 20);
      const headers = { 'content-type': 'text/event-stream', 'content-encoding': coding };
      const asked = await ask(app, chat('hello'));
      const answered = await report(app, callOf(asked), cut, { ...headers, 'x-weir-ended': 'aborted' });
      expect(answered.json.violations).toMatchObject([{ rule: 'words.redact-answer' }]);
      const event = await read<{ payload: unknown }>(app, `/v1/events/${encodeURIComponent(answered.json.event_id)}`);
      expect(event).toMatchObject({ type: 'ai.response', reason: 'client_disconnected' });
      const payload = JSON.stringify(event.payload);
      expect(payload).toContain('word 7919 ');
      expect(payload).not.toContain('mail-7');
      const whole = await report(app, callOf(await ask(app, chat('hello'))), cut, headers);
      // Not reported as aborted, the body does not match its content coding and is recorded without its texts.
      expect([whole.status, whole.json.violations]).toEqual([200, []]);
    },
  );

  it('can be reported again if there was no memory to unpack its answer', async () => {
    const call = callOf(await ask(app, chat('hello')));
    const others = { party: ['others', 'key'], announced: 1e12, giveUp: () => undefined } as const;
    const hold = app.weir.app.get(BodyRooms, { strict: false }).callers.open(others);
    // A body that is larger than all memory is accepted while there is no other body.
    expect(hold.reach(1e12)).toBe(true);
    hold.isHere();
    const packed = zlib.gzipSync(completion(`mail-7 ${'x'.repeat(500_000)}`));
    const headers = { 'content-encoding': 'gzip' };
    const refused = await report(app, call, packed, headers);
    expect(refused).toMatchObject({ status: 503, json: { error: { type: 'overloaded' } } });
    hold.end();
    const answered = await report(app, call, packed, headers);
    expect([answered.status, answered.json.violations]).toMatchObject([200, [{ rule: 'words.redact-answer' }]]);
  });

  it('refuses a packed request, and records nothing of it, while there is no memory to unpack it', async () => {
    const others = { party: ['others', 'key'], announced: 1e12, giveUp: () => undefined } as const;
    const hold = app.weir.app.get(BodyRooms, { strict: false }).callers.open(others);
    expect(hold.reach(1e12)).toBe(true);
    hold.isHere();
    const packed = zlib.gzipSync(chat('x'.repeat(500_000)));
    const send = () =>
      post(app, '/v1/calls/openai/v1/chat/completions', packed, { 'content-encoding': 'gzip' }, 'production');
    const refused = await send();
    expect([refused.status, refused.headers.get('x-weir-call')]).toEqual([503, null]);
    hold.end();
    // Its client is told to send the content that was judged, and no longer its own packed bytes.
    expect((await send()).status).toBe(200);
  });

  it('is refused with a clear error if the earlier response for the same id is no longer stored', async () => {
    const question = { 'idempotency-key': 'old-1' };
    const asked = await ask(app, chat('mail-7'), question);
    expect((await report(app, callOf(asked), completion('hi'))).status).toBe(200);
    const event = JSON.stringify({ type: 'ai.request', event_id: 'old-2', request_id: 'r', payload: {} });
    expect((await post(app, '/v1/events', event, {}, 'production')).status).toBe(200);
    const old = new Set(['old-1', 'old-2', endId(callOf(asked))]);
    forgetting(app, old);
    const again = await ask(app, chat('mail-7'), question);
    expect([again.status, JSON.parse(again.text).error.code]).toEqual([422, 'event_id_conflict']);
    expect(again.text).toContain('is no longer stored');
    const other = await ask(app, chat('mail-8'), question);
    expect([other.status, JSON.parse(other.text).error.code]).toEqual([422, 'event_id_conflict']);
    const answered = await report(app, callOf(asked), completion('hi'));
    expect(answered).toMatchObject({
      status: 422,
      json: { error: { type: 'invalid_request', details: [{ path: 'call' }] } },
    });
    const replayed = await post(app, '/v1/events', event, {}, 'production');
    expect([replayed.status, ((await replayed.json()) as { error: { type: string } }).error.type]).toEqual([
      ...[422, 'event_id_conflict'],
    ]);
    const waiting = await ask(app, chat('hello'), { 'idempotency-key': 'old-3' });
    old.add('old-3');
    app.weir.app.get(OpenCalls, { strict: false }).delete(callOf(waiting));
    // Its end can still be reported because the call is in the log.
    expect((await report(app, callOf(waiting), completion('mail-7'))).status).toBe(200);
  });
});

describeOnPostgres('a call that was admitted by one replica', (binaries) => {
  let postgres: TestPostgres;
  let databaseUrl: string;
  let first: TestApp;
  const replicas: TestApp[] = [];
  const start = async (): Promise<TestApp> => {
    const replica = await startTestApp({ databaseUrl, policies: POLICIES, replicaOf: first });
    replicas.push(replica);
    return replica;
  };
  beforeAll(async () => {
    postgres = await TestPostgres.start(binaries);
    databaseUrl = await postgres.newDatabase();
    first = await startTestApp({ databaseUrl, policies: POLICIES });
    await start();
  }, 120_000);
  afterAll(async () => {
    for (const replica of [first, ...replicas]) await replica.close();
    await postgres.stop();
  });

  it('can be ended at another replica, and only once', async () => {
    const [second] = replicas;
    const call = callOf(await ask(first, chat('write to mail-7')));
    const ends = await Promise.all(
      [first, second!, first, second!].map((replica) => report(replica, call, completion('mail-7'))),
    );
    expect(ends.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(ends.map(({ json }) => JSON.stringify(json))).size).toBe(1);
    expect(ends.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect(ends[0]!.json.violations).toMatchObject([{ rule: 'words.redact-answer' }]);
    const { data } = await read<{ data: object[] }>(first, '/v1/events?type=ai.response');
    expect(data).toMatchObject([{ parent_id: call, usage: { prompt_tokens: 11, completion_tokens: 7 } }]);
  });

  it('is judged with its budget facts by any replica to which its answer is reported', async () => {
    const [second] = replicas;
    for (const replica of [first, second!]) {
      const call = callOf(await ask(first, chat('hello'), {}, 'development'));
      const answered = await report(replica, call, completion('fine'), {}, 'development');
      expect(answered.json.violations).toMatchObject([{ rule: 'budget.known' }]);
    }
  });

  it('has the same answer from another replica for the same idempotency key', async () => {
    const [second] = replicas;
    const answers = await Promise.all(
      [first, second!].map((replica) => ask(replica, chat('mail-7'), { 'idempotency-key': 'both' })),
    );
    expect(new Set(answers.map(callOf)).size).toBe(1);
    expect(answers.map(({ status, text }) => [status, text])).toEqual(Array(2).fill([200, chat('[MAIL_1]')]));
  });

  it('can be ended after a restart, which frees its reservation', async () => {
    const dying = await startTestApp({ databaseUrl, policies: POLICIES, replicaOf: first });
    const held = await ask(dying, chat('hello'), { 'idempotency-key': 'before' }, 'staging');
    expect(Number((await used(first)).reserved)).toBeGreaterThan(50);
    await dying.close();
    const risen = await start();
    const again = await ask(risen, chat('hello'), { 'idempotency-key': 'before' }, 'staging');
    expect([callOf(again), again.text]).toEqual([callOf(held), held.text]);
    const answered = await report(risen, callOf(held), completion('mail-7'), {}, 'staging');
    expect(answered.json.violations).toMatchObject([{ rule: 'words.redact-answer' }]);
    expect(await used(first)).toEqual({ settled: '18', reserved: '0' });
  });
});
