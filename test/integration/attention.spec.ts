import { Database } from '../../src/database/index.js';
import { eachApp } from '../support/each-app.js';
import { restClient } from '../support/rest-client.js';
import { secondAccount } from '../support/second-account.js';
import { TEST_POLICIES, testPolicy } from '../support/test-app.js';

interface Item {
  readonly id: string;
  readonly kind: string;
  readonly severity: string;
  readonly environment: string | null;
  readonly text_args: Readonly<Record<string, string | number | null>>;
  readonly count: number | null;
  readonly since: string | null;
  readonly link: string | null;
}

const DAY_MS = 86_400_000;
const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();
const POLICY = testPolicy(
  'production',
  `client_monitor_mode: ignore
content: redacted
budgets:
  - { id: tight, window: { per: day, timezone: UTC }, scope: [app], limit: { tokens: 10 } }`,
);
const EXCEPTION = `
exceptions:
  - id: EX-1
    rules: [words.flag-token]
    effect: monitor
    because: a test
    approved_by: dpo@example.com
    ticket: T-1
    expires: ${inDays(5)}
`;

eachApp(
  'The list of items that need attention',
  (current) => {
    const rest = restClient(current);
    const sql = () => current().weir.app.get(Database).sql;
    const headers = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' });
    const own = () => current().bootstrap.token;
    const look = async (query = '', token = own()): Promise<Item[]> =>
      (await rest.call('GET', `/v1/attention${query}`, headers(token))).json.data;
    const ofKind = async (kind: string, query = '', token = own()): Promise<Item[]> =>
      (await look(query, token)).filter((item) => item.kind === kind);
    const snooze = async (id: string, until: string, token = own()): Promise<number> => {
      const response = await fetch(`${current().url}/v1/attention/${encodeURIComponent(id)}/snooze`, {
        method: 'PUT',
        headers: headers(token),
        body: JSON.stringify({ until }),
      });
      await response.text();
      return response.status;
    };
    const account = async (): Promise<string> => (await rest.read('/v1/me')).json.account.id;
    const ask = (prompt: string) =>
      rest.submit({ type: 'ai.request', request_id: crypto.randomUUID(), model: 'm', payload: { prompt } });
    const prompts = async (count: number, prompt: string): Promise<void> => {
      for (let sent = 0; sent < count; sent += 1) expect((await ask(prompt)).status).toBe(200);
    };

    it('includes a rule only if it fires three times as often as in the week before', async () => {
      await prompts(21, 'this is token-1');
      // The account is new, so its usual rate is unknown.
      expect(await ofKind('rule_spike')).toEqual([]);
      await sql().query(
        `INSERT INTO event_rollups SELECT account_id, grain, bucket - interval '3 days', environment, app_id, model, key_id, writer, calls,
           tool_calls, allowed_n, flagged_n, would_block_n, redacted_n, error_n, unavailable_n, blocked_n, cost_nano_usd, prompt_tokens, completion_tokens
         FROM event_rollups WHERE grain = 3600`,
      );
      const [spike, ...others] = await ofKind('rule_spike', '?environment=production');
      expect(others).toEqual([]);
      expect(spike).toMatchObject({
        severity: 'warn',
        environment: 'production',
        text_args: { rule: 'words.flag-token', times: null },
        count: 21,
        link: '/events?env=production&range=24h&rule=words.flag-token',
      });
      expect(await ofKind('rule_spike', '?environment=staging')).toEqual([]);
      // It fired at the same rate in the days before, so the rate is usual.
      const before = (hits: number) =>
        sql().query(
          `INSERT INTO rule_rollups (account_id, environment, rule, hour, app_id, writer, hits, enforced, monitored, blocked, redacted, first_at, last_at)
           SELECT account_id, environment, rule, hour - interval '3 days', app_id, writer, $1::integer, 0, 0, 0, 0, first_at, last_at FROM rule_rollups
           WHERE hour > now() - interval '24 hours' AND rule = 'words.flag-token'
           ON CONFLICT (account_id, environment, rule, hour, app_id, writer) DO UPDATE SET hits = excluded.hits`,
          [hits],
        );
      await before(7);
      expect((await ofKind('rule_spike'))[0]?.text_args).toEqual({ rule: 'words.flag-token', times: 21 });
      await before(21 * 7);
      expect(await ofKind('rule_spike')).toEqual([]);
    });

    it('includes exceptions that end within two weeks', async () => {
      expect(await ofKind('exception_ending')).toMatchObject([
        {
          environment: 'production',
          severity: 'info',
          text_args: { exception: 'EX-1', days: expect.any(Number) },
          link: '/policies/production/exceptions?env=production',
        },
      ]);
    });

    it('includes budgets whose limit was reached', async () => {
      const about = { request_id: crypto.randomUUID(), model: 'm' };
      await rest.submit({ type: 'ai.request', ...about, payload: { prompt: 'hello' } });
      const usage = { prompt_tokens: 40, completion_tokens: 0 };
      await rest.submit({ type: 'ai.response', ...about, payload: { output: 'x', usage } });
      expect(await ofKind('budget_forecast')).toMatchObject([
        {
          severity: 'warn',
          text_args: { budget: 'tight', over: 'yes' },
          link: '/budgets/production/tight?env=production',
        },
      ]);
    });

    it('includes unused keys, and used keys that expire soon, but only for tokens that may see keys', async () => {
      const [app] = (await rest.read('/v1/apps')).json.data;
      const made = async (name: string): Promise<string> => {
        const { json } = await rest.call(
          'POST',
          `/v1/apps/${app.id}/keys`,
          headers(own()),
          JSON.stringify({ name, environment: 'staging' }),
        );
        return json.key.id;
      };
      const [ending, idle, calm] = [await made('ending'), await made('idle'), await made('calm')];
      await sql().query(
        `UPDATE api_keys SET expires_at = now() + interval '3 days', last_used_at = now() WHERE key_id = $1`,
        [ending],
      );
      await sql().query(`UPDATE api_keys SET created_at = now() - interval '40 days' WHERE key_id = $1`, [idle]);
      const keys = (items: Item[]) =>
        items.map(({ kind, severity, text_args: args }) => [kind, severity, args['name']]);
      const all = (await look('?environment=staging')).filter(({ kind }) => kind.startsWith('key_'));
      expect(keys(all)).toEqual([
        ['key_expiring', 'warn', 'ending'],
        ['key_unused', 'info', 'idle'],
      ]);
      expect(JSON.stringify(all)).not.toContain(calm);
      const { secret } = (
        await rest.call('POST', '/v1/tokens', headers(own()), JSON.stringify({ name: 'r', scopes: ['events:read'] }))
      ).json;
      expect((await look('', secret)).map(({ kind }) => kind)).not.toContain('key_unused');
      expect((await look('', secret)).map(({ kind }) => kind)).not.toContain('exception_ending');
    });

    it('includes detectors whose failure caused calls to be refused', async () => {
      expect((await ask('explode')).status).toBe(503);
      expect(await ofKind('detector_failing')).toMatchObject([
        { severity: 'critical', environment: 'production', count: 1, text_args: { reason: 'failed' } },
      ]);
    });

    it('includes each rule that has decisions marked wrong or missed, until the rule changes', async () => {
      const { json } = await ask('the token-9');
      const set = async (rule: string, mark: string, event = json.event_id) =>
        (await rest.call('PUT', `/v1/events/${event}/marks/${rule}`, headers(own()), JSON.stringify({ mark }))).status;
      expect(await set('words.flag-token', 'right')).toBe(200);
      expect(await ofKind('marks_open')).toEqual([]);
      expect(await set('words.flag-token', 'wrong')).toBe(200);
      expect(await set('words.block-ssn', 'missed')).toBe(200);
      expect(await ofKind('marks_open', '?environment=production')).toMatchObject([
        {
          ...{ severity: 'info', environment: 'production', count: 1, since: expect.any(String) },
          text_args: { rule: 'words.block-ssn', wrong: 0, missed: 1 },
          link: '/events?env=production&range=90d&mark=missed&rule=words.block-ssn',
        },
        {
          text_args: { rule: 'words.flag-token', wrong: 1, missed: 0 },
          link: '/events?env=production&range=90d&mark=wrong&rule=words.flag-token',
        },
      ]);
      expect(await ofKind('marks_open', '?environment=staging')).toEqual([]);
      // The link lists the calls marked wrong, so the number is theirs.
      expect(await set('words.flag-token', 'missed', (await ask('nothing to see')).json.event_id)).toBe(200);
      const both = (await ofKind('marks_open')).find(({ text_args: args }) => args['rule'] === 'words.flag-token');
      expect(both).toMatchObject({ count: 1, text_args: { wrong: 1, missed: 1 } });
      // As if the rule had changed since it was marked.
      await sql().query(`UPDATE event_marks SET rule_state = 'other' WHERE rule = 'words.flag-token'`);
      expect((await ofKind('marks_open')).map(({ text_args: args }) => args['rule'])).toEqual(['words.block-ssn']);
    });

    it('is sorted by severity, with critical items first', async () => {
      const severities = (await look()).map(({ severity }) => severity);
      const rank = ['critical', 'warn', 'info'];
      expect(severities).toEqual([...severities].sort((a, b) => rank.indexOf(a) - rank.indexOf(b)));
      expect(new Set(severities)).toEqual(new Set(rank));
    });

    it('can be hidden for a time by one reader, and remains visible to others', async () => {
      const [item] = await ofKind('exception_ending');
      const { secret: other } = (
        await rest.call(
          'POST',
          '/v1/tokens',
          headers(own()),
          JSON.stringify({ name: 'o', scopes: ['events:read', 'policy:read'] }),
        )
      ).json;
      expect(await snooze(item!.id, inDays(1))).toBe(204);
      expect(await ofKind('exception_ending')).toEqual([]);
      expect(await ofKind('exception_ending', '', other)).toHaveLength(1);
      await sql().query(`UPDATE attention_snoozes SET until = now() - interval '1 second' WHERE item = $1`, [item!.id]);
      expect(await ofKind('exception_ending')).toHaveLength(1);
      expect(await snooze(item!.id, inDays(-1))).toBe(422);
      expect(await snooze(item!.id, inDays(100))).toBe(422);
      expect(await snooze(item!.id, 'tomorrow')).toBe(422);
      expect(await snooze('nonsense', inDays(1))).toBe(404);
      const [entry] = (await rest.read('/v1/audit?action=attention.snoozed')).json.data;
      expect(entry.subject).toBe(item!.id);
    });

    it('contains only items of the own account, and of the environment to which the token is bound', async () => {
      const bert = await secondAccount(current(), 'bert of attention');
      expect(JSON.stringify(await look('', bert.token))).not.toMatch(
        /rule_spike|budget_forecast|key_|detector_failing/,
      );
      const { secret: bound } = (
        await rest.call(
          'POST',
          '/v1/tokens',
          headers(own()),
          JSON.stringify({ name: 'b', scopes: ['events:read', 'policy:read'], environment: 'staging' }),
        )
      ).json;
      expect((await look('', bound)).map(({ environment }) => environment)).not.toContain('production');
      expect((await rest.call('GET', '/v1/attention?environment=production', headers(bound))).status).toBe(403);
      expect(await account()).not.toBe(bert.id);
    });
  },
  { policies: { ...TEST_POLICIES, 'production/policy.yaml': POLICY + EXCEPTION } },
);
