/** `WEIR_RECORD=beside`: the provider is called while the request is stored, and its answer is held until then. */
import { COUNTED, expectExactBudgets } from '../support/budget-audit.js';
import { describeOnPostgres } from '../support/describe-on-postgres.js';
import { HeldLog } from '../support/held-log.js';
import { PaidUpstream, type Manner } from '../support/paid-upstream.js';
import { TestPostgres } from '../support/postgres.js';
import { startTestApp, TEST_POLICIES, testPolicy, type TestApp } from '../support/test-app.js';

const PROMPT = 'a prompt that nobody else has';
const BILL = { promptTokens: 40, completionTokens: 2 };
/** A budget that counts every call and refuses none. */
const WATCHED = COUNTED.split('\n').filter((line) => !line.includes('on_exceed: block'));
/** A rule that overrides `default: block`. */
const ALLOWED = `  - id: model.allowed
    title: A model that may be asked
    stage: pre
    severity: low
    when: { all: [ { model.name: gpt-4o } ] }
    then: { action: allow }
`;

interface StoredEvent {
  readonly id: string;
  readonly type: string;
  readonly parent_id: string | null;
  readonly reason: string | null;
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number | null } | null;
}

describeOnPostgres('A call that is forwarded while it is recorded', (binaries) => {
  let postgres: TestPostgres;
  let upstream: PaidUpstream;
  let app: TestApp;
  let databaseUrl: string;

  beforeAll(async () => {
    postgres = await TestPostgres.start(binaries);
    upstream = await PaidUpstream.start(
      () => BILL,
      () => 0,
    );
    databaseUrl = await postgres.newDatabase();
    app = await startTestApp({
      databaseUrl,
      policies: {
        ...TEST_POLICIES,
        'production/policy.yaml': testPolicy(
          'production',
          ['mode: monitor', 'content: redacted', ...WATCHED].join('\n'),
        ),
        'staging/policy.yaml': testPolicy('staging', `content: none\n${COUNTED}`),
        'development/policy.yaml': `${testPolicy('development', 'content: none').replace('default: allow', 'default: block')}${ALLOWED}`,
      },
      env: { WEIR_OPENAI_BASE_URL: upstream.url, WEIR_RECORD: 'beside' },
    });
  }, 60_000);
  afterAll(async () => {
    await app.close();
    await upstream.close();
    await postgres.stop();
  });

  type Environment = keyof TestApp['bootstrap']['keys'];

  /** @returns the answer, and whether any of it has arrived */
  function proxied(stream = false, environment: Environment = 'production') {
    const seen = { begun: false };
    const answer = fetch(`${app.url}/proxy/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-service-key': app.bootstrap.keys[environment], 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o', stream, messages: [{ role: 'user', content: PROMPT }] }),
    }).then(async (response) => {
      seen.begun = true;
      return { status: response.status, headers: response.headers, text: await response.text() };
    });
    return { seen, answer };
  }

  async function events(): Promise<StoredEvent[]> {
    const headers = { authorization: `Bearer ${app.bootstrap.token}` };
    const response = await fetch(`${app.url}/v1/events?limit=200`, { headers });
    return response.status === 200 ? ((await response.json()) as { data: StoredEvent[] }).data : [];
  }

  /** Waits for this many answers to other requests, a time in which a call that is not held is answered. */
  async function answersTo(others: number): Promise<void> {
    for (let time = 0; time < others; time++) await (await fetch(`${app.url}/healthz`)).text();
  }

  async function untilArrived(calls: number): Promise<void> {
    while (upstream.arrived < calls) await new Promise(setImmediate);
  }

  async function untilRecorded(): Promise<void> {
    const empty = async (): Promise<boolean> =>
      /^weir_journal_records 0$/m.test(await (await fetch(`${app.url}/metrics`)).text());
    while (!(await empty())) await new Promise(setImmediate);
  }

  async function untilBack(): Promise<void> {
    while ((await proxied(false, 'staging').answer).status !== 200);
  }

  it.each<[string, boolean, Manner]>([
    ['an answer', false, 'answer'],
    ['a stream that has begun', true, 'begin and wait'],
  ])(
    'reaches its provider before it is recorded, and %s waits for the record',
    async (_what, stream, manner) => {
      upstream.manner = manner;
      const before = upstream.arrived;
      const log = await HeldLog.of(databaseUrl);
      const { seen, answer } = proxied(stream);
      await untilArrived(before + 1);
      await log.untilSomebodyWaits();
      await answersTo(30);
      expect(seen.begun).toBe(false);
      await log.release();
      upstream.release();
      const { status, text } = await answer;
      expect(status).toBe(200);
      expect(text).toMatch(/"ok"|\[DONE\]/);
    },
    60_000,
  );

  it.each<[string, Environment]>([
    ['a budget may refuse', 'staging'],
    ['a policy refuses by default', 'development'],
  ])(
    'that %s is not forwarded before it is recorded',
    async (_why, environment) => {
      upstream.manner = 'answer';
      const before = upstream.arrived;
      const log = await HeldLog.of(databaseUrl);
      const { answer } = proxied(false, environment);
      await log.untilSomebodyWaits();
      await answersTo(30);
      expect(upstream.arrived).toBe(before);
      await log.release();
      expect([(await answer).status, upstream.arrived]).toEqual([200, before + 1]);
    },
    60_000,
  );

  it.each([false, true])(
    'is refused with 503 if the log cannot store it, is aborted at the provider, and is counted (stream: %s)',
    async (stream) => {
      await untilBack();
      const known = (await events()).map(({ id }) => id);
      upstream.manner = stream ? 'begin and wait' : 'wait';
      const before = { ...upstream };
      const log = await HeldLog.of(databaseUrl);
      const { answer } = proxied(stream);
      await untilArrived(before.arrived + 1);
      await log.untilSomebodyWaits();
      await postgres.crash();
      const { status, headers, text } = await answer;
      expect([status, headers.get('retry-after')]).toEqual([503, '1']);
      expect(JSON.parse(text)).toMatchObject({ error: { code: 'unavailable' } });
      while (upstream.aborted === before.aborted) await new Promise(setImmediate);

      // No provider is called until the log is available again.
      const refused = await proxied(false).answer;
      expect([refused.status, upstream.arrived]).toEqual([503, before.arrived + 1]);

      await log.release();
      await postgres.restart();
      upstream.manner = 'answer';
      upstream.release();
      await untilRecorded();
      const now = (await events()).filter(({ id }) => !known.includes(id));
      const request = now.find(({ type }) => type === 'ai.request');
      expect(now.filter(({ parent_id: parent }) => parent === request?.id)).toMatchObject([
        {
          type: 'ai.error',
          reason: 'unavailable',
          usage: { prompt_tokens: expect.any(Number), completion_tokens: null },
        },
      ]);
      await untilBack();
      await expectExactBudgets(app);
    },
    60_000,
  );
});
