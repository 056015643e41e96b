/** How often exceptions softened rules: in events, in the statistics of rules and in the list of exceptions. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Database } from '../../src/database/index.js';
import { eachApp } from '../support/each-app.js';
import { urlOf } from '../support/ports.js';
import { restClient } from '../support/rest-client.js';
import { rollupDifferences } from '../support/rollup-check.js';
import { secondAccount } from '../support/second-account.js';
import { startTestApp, TEST_POLICIES, testPolicy, type TestApp } from '../support/test-app.js';

const HOUR_MS = 3_600_000;
const ends = 'because: Agreed, approved_by: dpo@example.com, ticket: T-1, expires: 2099-01-01T00:00:00Z';
const EXCEPTIONS = `exceptions:
  - { id: EX-SKIP, rules: [words.block-ssn, words.flag-token], when: { metadata.team: { eq: hr } }, client_controlled: accepted, effect: skip, ${ends} }
  - { id: EX-WATCH, rules: [words.block-ssn, tool.block-shell], when: { metadata.team: { eq: labs } }, client_controlled: accepted, effect: monitor, ${ends} }
  - { id: EX-ANSWER, rules: [words.redact-answer], effect: skip, ${ends} }
  - { id: EX-NEVER, rules: [words.redact-mail], when: { metadata.team: { eq: nobody } }, client_controlled: accepted, effect: skip, ${ends} }
`;
const policies = {
  ...TEST_POLICIES,
  'production/policy.yaml': `${testPolicy('production', 'client_monitor_mode: ignore\ncontent: redacted')}${EXCEPTIONS}`,
};

interface Listed {
  readonly id: string;
  readonly hits_30d: number;
  readonly kept_30d: number;
  readonly last_hit: string | null;
}

eachApp(
  'An exception that softens a rule',
  (current) => {
    const rest = restClient(current);
    const ask = async (prompt: string, team: string) => {
      const event = { type: 'ai.request', request_id: crypto.randomUUID(), model: 'm', metadata: { team } };
      return (await rest.submit({ ...event, payload: { prompt } })).json;
    };
    const exceptedIn = async (answer: { event_id: string }) => (await rest.stored(answer.event_id)).excepted;
    const stats = async () => {
      const { data } = (await rest.read('/v1/policies/production/rules/stats')).json;
      return Object.fromEntries(
        data.map(({ rule, excepted, hits, monitored }: Record<string, unknown>) => [
          rule,
          { excepted, hits, monitored },
        ]),
      );
    };
    const listed = async (): Promise<Record<string, Omit<Listed, 'id'>>> => {
      const { data } = (await rest.read('/v1/policies/production/exceptions')).json as { data: Listed[] };
      return Object.fromEntries(
        data.map(({ id, hits_30d, kept_30d, last_hit }) => [id, { hits_30d, kept_30d, last_hit }]),
      );
    };

    it('is stored in the event, for each rule with the action that it prevented', async () => {
      const skipped = await ask('ssn-1 and token-1', 'hr');
      expect(skipped).toMatchObject({ decision: 'allow', violations: [] });
      expect(await exceptedIn(skipped)).toEqual([
        { rule: 'words.block-ssn', exception: 'EX-SKIP', kept: 'block' },
        { rule: 'words.flag-token', exception: 'EX-SKIP', kept: null },
      ]);
      expect(await exceptedIn(await ask('ssn-2', 'labs'))).toEqual([
        { rule: 'words.block-ssn', exception: 'EX-WATCH', kept: 'block' },
      ]);
      expect(await exceptedIn(await ask('only a token-3', 'hr'))).toEqual([
        { rule: 'words.flag-token', exception: 'EX-SKIP', kept: null },
      ]);
      const refused = await ask('ssn-4', 'sales');
      expect(refused.decision ?? refused.error?.decision).toBe('block');
      const events = (await rest.read('/v1/events?environment=production&fields=summary&type=ai.request&limit=200'))
        .json;
      expect(events.data.map(({ excepted }: { excepted: object[] }) => excepted.length)).toEqual([0, 1, 1, 2]);
    });

    it('can be used, or negated, as a filter of events and calls', async () => {
      for (const view of ['events', 'calls']) {
        const of = async (filter: string): Promise<string[][]> => {
          const path = `/v1/events?environment=production&view=${view}&type=ai.request&limit=200&order=asc&${filter}`;
          const { data } = (await rest.read(path)).json as { data: { excepted: { exception: string }[] }[] };
          return data.map(({ excepted }) => [...new Set(excepted.map(({ exception }) => exception))]);
        };
        expect(await of('exception=EX-SKIP')).toEqual([['EX-SKIP'], ['EX-SKIP']]);
        expect(await of('exception=EX-SKIP,EX-WATCH')).toEqual([['EX-SKIP'], ['EX-WATCH'], ['EX-SKIP']]);
        expect(await of('exception=EX-NEVER')).toEqual([]);
        expect(await of('not.exception=EX-SKIP')).toEqual([['EX-WATCH'], []]);
        expect(await of('exception=EX-SKIP&decision=block')).toEqual([]);
      }
    });

    it('is counted for a submitted answer as well, although it prevents no action there', async () => {
      const payload = { text: 'write to mail-1' };
      const answer = await rest.submit({ type: 'ai.response', request_id: crypto.randomUUID(), payload });
      expect(await exceptedIn(answer.json)).toEqual([
        { rule: 'words.redact-answer', exception: 'EX-ANSWER', kept: null },
      ]);
    });

    it('is counted by rule, separately from hits', async () => {
      const counted = await stats();
      expect(counted['words.block-ssn']).toEqual({ excepted: 2, hits: 2, monitored: 1 });
      expect(counted['words.flag-token']).toEqual({ excepted: 2, hits: 0, monitored: 0 });
      expect(counted['words.redact-answer']).toEqual({ excepted: 1, hits: 0, monitored: 0 });
      expect(counted['words.redact-mail']).toEqual({ excepted: 0, hits: 0, monitored: 0 });
    });

    it('is counted once per call, and separately for calls in which it prevented an action', async () => {
      const counted = await listed();
      const last_hit = expect.stringMatching(/^20.*Z$/);
      expect(counted).toEqual({
        'EX-SKIP': { hits_30d: 2, kept_30d: 1, last_hit },
        'EX-WATCH': { hits_30d: 1, kept_30d: 1, last_hit },
        'EX-ANSWER': { hits_30d: 1, kept_30d: 0, last_hit },
        'EX-NEVER': { hits_30d: 0, kept_30d: 0, last_hit: null },
      });
    });

    it('has the time of its last use, even if that is more than thirty days ago', async () => {
      await current()
        .weir.app.get(Database)
        .sql.query(
          `INSERT INTO exception_rollups (account_id, environment, exception, rule, hour, app_id, writer, excepted, kept, hits, kept_hits, first_at, last_at)
           SELECT account_id, environment, 'EX-NEVER', rule, hour - n.ago, app_id, writer, 3, 3, 3, 3, hour - n.ago, hour - n.ago + interval '7 minutes'
           FROM exception_rollups r, (VALUES (interval '50 days'), (interval '40 days')) n (ago)
           WHERE r.exception = 'EX-WATCH'`,
        );
      const { 'EX-NEVER': old } = await listed();
      expect(old).toMatchObject({ hits_30d: 0, kept_30d: 0 });
      const days = (Date.now() - Date.parse(old!.last_hit!)) / (24 * HOUR_MS);
      expect(Math.round(days)).toBe(40);
    });

    it('has counts that agree with the log and cover only one account', async () => {
      const accountId = (await rest.read('/v1/me')).json.account.id;
      const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
      const differences = await current()
        .weir.app.get(Database)
        .sql.forAccounts(accountId)
        .transaction((sql) =>
          rollupDifferences(sql, accountId, new Date(hour - HOUR_MS), new Date(hour + 2 * HOUR_MS)),
        );
      expect(differences).toEqual([]);
      const second = await secondAccount(current(), 'exceptions');
      const { json } = await rest.call('GET', '/v1/policies/production/exceptions', {
        authorization: `Bearer ${second.token}`,
      });
      expect(json.data.map(({ hits_30d, last_hit }: Listed) => [hits_30d, last_hit])).toEqual(
        json.data.map(() => [0, null]),
      );
    });
  },
  { policies },
);

describe('An exception that softens rules for a proxied call', () => {
  let app: TestApp;
  let provider: Server;
  beforeAll(async () => {
    const answer = { choices: [{ index: 0, message: { role: 'assistant', content: 'write to mail-9' } }] };
    provider = createServer((request, response) => {
      request.resume().on('end', () => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(answer));
      });
    });
    provider.listen(0, '127.0.0.1');
    await once(provider, 'listening');
    const upstream = urlOf(provider);
    app = await startTestApp({ env: { WEIR_OPENAI_BASE_URL: upstream }, policies });
  }, 60_000);
  afterAll(async () => {
    await app.close();
    provider.close();
  });

  it('is stored in the event of the stage to which it applied', async () => {
    const response = await fetch(`${app.url}/proxy/openai/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'x-service-key': app.bootstrap.keys.production,
        'x-service-metadata': JSON.stringify({ team: 'hr' }),
        'content-type': 'application/json',
      },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'my ssn-1' }] }),
    });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('mail-9')]);
    const { data } = (await restClient(() => app).read('/v1/events?environment=production&order=asc')).json;
    expect(data.map(({ type, excepted }: { type: string; excepted: object[] }) => [type, excepted])).toEqual([
      ['ai.request', [{ rule: 'words.block-ssn', exception: 'EX-SKIP', kept: 'block' }]],
      ['ai.response', [{ rule: 'words.redact-answer', exception: 'EX-ANSWER', kept: 'redact' }]],
    ]);
    const [call] = (await restClient(() => app).read('/v1/events?environment=production&view=calls')).json.data;
    expect(call.excepted.map(({ exception }: { exception: string }) => exception)).toEqual(['EX-SKIP', 'EX-ANSWER']);
  });
});
