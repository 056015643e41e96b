import { COMMANDS } from '../../cli/commands/index.js';
import { Database } from '../../src/database/index.js';
import { eachApp } from '../support/each-app.js';
import { restClient } from '../support/rest-client.js';
import { runWeir } from '../support/run-weir.js';
import { TEST_POLICIES, testPolicy } from '../support/test-app.js';

const POLICY = testPolicy(
  'production',
  `client_monitor_mode: ignore
content: redacted
prices: { gpt-4o: { input_usd_per_million: 1000, output_usd_per_million: 1000 } }
budgets:
  - { id: team-day, window: { per: day, timezone: UTC }, scope: [metadata.team], limit: { usd: 1 } }
  - { id: all-time, window: { per: total, timezone: UTC }, scope: [app], limit: { tokens: 1000 } }`,
);
const HOUR_MS = 3_600_000;

eachApp(
  'The course of a budget',
  (current) => {
    const rest = restClient(current);
    const sql = () => current().weir.app.get(Database).sql;
    const authorization = () => ({
      authorization: `Bearer ${current().bootstrap.token}`,
      'content-type': 'application/json',
    });

    async function charge(team: string, tokens: number): Promise<void> {
      const about = { request_id: crypto.randomUUID(), model: 'gpt-4o', metadata: { team } };
      await rest.submit({ type: 'ai.request', ...about, payload: { prompt: 'hello' } });
      const usage = { prompt_tokens: tokens, completion_tokens: 0 };
      expect((await rest.submit({ type: 'ai.response', ...about, payload: { output: 'x', usage } })).status).toBe(200);
    }
    const periodOf = async (budget: string, team?: string): Promise<string> => {
      const { json } = await rest.read(`/v1/budgets/${budget}`);
      const found = json.data.find(({ scope }: { scope: Record<string, string> }) => scope['metadata.team'] === team);
      return found.period_id;
    };

    it('contains the used amount over time and the ledger entries, each charge with its event', async () => {
      await charge('a', 100);
      await charge('a', 50);
      const period = await periodOf('team-day', 'a');
      const series = (await rest.read(`/v1/budgets/team-day/series?period_id=${period}`)).json;
      const { points } = series;
      expect(points[0]).toMatchObject({ used: '0.00', reserved: '0.00' });
      expect(points.at(-1)).toMatchObject({ used: '0.15', reserved: '0.00' });
      expect(points.map(({ at }: { at: string }) => at)).toEqual(points.map(({ at }: { at: string }) => at).sort());

      const adjusted = await rest.call(
        'POST',
        '/v1/budgets/team-day/adjustments',
        authorization(),
        JSON.stringify({ period_id: period, amount: '-0.05', because: 'double charge' }),
      );
      expect(adjusted.status).toBe(200);
      const { json } = await rest.read(`/v1/budgets/team-day/entries?period_id=${period}`);
      const charges = json.data.filter(({ kind }: { kind: string }) => kind === 'charge');
      expect(json.data[0]).toMatchObject({
        kind: 'adjustment',
        amount: '-0.05',
        because: 'double charge',
        by: { kind: 'token', name: expect.any(String) },
      });
      expect(charges.map(({ amount }: { amount: string }) => amount)).toEqual(['0.05', '0.10']);
      for (const { event_id: id } of charges) expect((await rest.stored(id)).type).toBe('ai.response');
      expect((await rest.read(`/v1/budgets/team-day/series?period_id=${period}`)).json.points.at(-1).used).toBe('0.10');
    });

    it('shows the windows to which one call was charged, with the amounts', async () => {
      await charge('told apart', 30);
      await charge('another', 70);
      const { data } = (await rest.read('/v1/events?metadata.team=told%20apart')).json;
      const ids = data.map(({ id }: { id: string }) => id).join(',');
      const charged = async (query: string) =>
        (await rest.read(`/v1/budgets?past=true&${query}`)).json.data.map(
          ({ budget, scope, charged: amount }: { budget: string; scope: Record<string, string>; charged: string }) => [
            ...[budget, scope['metadata.team'], amount],
          ],
        );
      expect(await charged(`event=${ids}`)).toEqual([
        ['all-time', undefined, '30'],
        ['team-day', 'told apart', '0.03'],
      ]);
      expect(await charged(`event=${ids}&environment=staging`)).toEqual([]);
      expect(await charged(`event=${crypto.randomUUID()}`)).toEqual([]);
      expect((await rest.read('/v1/budgets')).json.data[0]).not.toHaveProperty('charged');
    });

    it('can be read with the weir command', async () => {
      await charge('cli', 100);
      const weir = (...argv: string[]) =>
        runWeir(['budgets', ...argv], {
          env: { WEIR_URL: current().url, WEIR_TOKEN: current().bootstrap.token, HOME: current().dataDir },
        });
      const ledger = await weir('entries', 'team-day', '--scope', 'metadata.team=cli');
      expect(ledger.stdout).toMatch(/^AT .*\n\S+Z +charge +\$0\.10 +[0-9a-f-]{36}\n$/);
      expect(ledger.stderr).toContain('exit 0: 1 entry');
      expect((await weir('entries', 'team-day')).stderr).toContain('several windows match');
      expect((await weir('entries', 'nothing')).exit).toBe(2);
      expect((await weir('forecast', 'team-day')).stdout).toMatch(
        /^ENVIRONMENT .*REACHES LIMIT\nproduction +metadata\.team=/,
      );
      const shapes = COMMANDS.flatMap((entry) =>
        'commands' in entry && entry.name === 'budgets' ? entry.commands : [],
      );
      for (const argv of [
        ['entries', 'team-day', '--scope', 'metadata.team=cli'],
        ['forecast', 'team-day'],
      ]) {
        const shape = (await shapes.find(({ usage }) => usage.split(' ')[0] === argv[0])?.load())?.output;
        const { stdout } = await weir(...argv, '--json');
        expect(shape?.safeParse(JSON.parse(stdout)).success).toBe(true);
      }
    });

    it.each([
      ['a NUL', 'a\u0000b', 'a\ufffdb'],
      ['half of a pair of surrogates', 'a\ud83d', 'a\ufffd'],
      ['a long text with a pair of surrogates', `${'a'.repeat(199)}\u{1f701}x`, `${'a'.repeat(199)}\ufffd…`],
    ])('exists for every value that an event can contain: %s', async (_what, team, shown) => {
      await charge(team, 20);
      const { json } = await rest.read(`/v1/budgets/team-day/series?period_id=${await periodOf('team-day', shown)}`);
      expect(json.points.at(-1).used).toBe('0.02');
    });

    it('contains each entry on exactly one page', async () => {
      for (let call = 0; call < 5; call += 1) await charge('paged', 1);
      const period = await periodOf('team-day', 'paged');
      const all = (await rest.read(`/v1/budgets/team-day/entries?period_id=${period}`)).json.data;
      expect(all).toHaveLength(5);
      const paged: unknown[] = [];
      for (let cursor = ''; ;) {
        const { json } = await rest.read(`/v1/budgets/team-day/entries?period_id=${period}&limit=2${cursor}`);
        paged.push(...json.data);
        if (json.next_cursor === null) break;
        cursor = `&cursor=${json.next_cursor}`;
      }
      expect(paged).toEqual(all);
      expect((await rest.read(`/v1/budgets/team-day/entries?period_id=${period}&cursor=nothing`)).status).toBe(422);
    });

    it('is extrapolated at its present rate, with the time at which the limit is reached', async () => {
      await charge('steady', 1);
      const period = await periodOf('team-day', 'steady');
      // A window that began twelve hours ago: at 4.5 cents per hour, it reaches a dollar before its end.
      const [{ account }] = (await sql().query<{ account: string }>(
        `WITH moved AS (UPDATE budget_periods SET period_start = now() - interval '12 hours', period_end = now() + interval '12 hours',
           settled_n = 540000000 WHERE id = $1::uuid RETURNING account_id)
         SELECT account_id::text AS account FROM moved`,
        [period],
      )) as [{ account: string }];
      await sql().query('DELETE FROM budget_entries WHERE period_id = $1::uuid', [period]);
      for (let half = 0; half < 24; half += 1) {
        await sql().query(
          `INSERT INTO budget_entries (account_id, source_id, period_id, kind, amount_n, reserved_n, settled_n, created_at)
           VALUES ($1::uuid, gen_random_uuid(), $2::uuid, 'estimate', 22500000, 0, 22500000,
             now() - interval '12 hours' + $3::integer * interval '30 minutes' + interval '1 minute')`,
          [account, period, half],
        );
      }
      const { forecast, points } = (await rest.read(`/v1/budgets/team-day/series?period_id=${period}`)).json;
      expect(points.at(-1).used).toBe('0.54');
      expect(Number(forecast.at_end)).toBeCloseTo(1.08, 1);
      expect(Number(forecast.low)).toBeLessThanOrEqual(Number(forecast.at_end));
      expect(Number(forecast.high)).toBeGreaterThanOrEqual(Number(forecast.at_end));
      const reachedInMs = Date.parse(forecast.reaches_limit_at) - Date.now();
      expect(reachedInMs / HOUR_MS).toBeGreaterThan(9);
      expect(reachedInMs / HOUR_MS).toBeLessThan(12);
    });

    it('has no forecast for a window without an end, and requires period_id if several windows match', async () => {
      await charge('b', 1);
      const total = (await rest.read('/v1/budgets/all-time/series')).json;
      expect(total.forecast).toBeNull();
      // It began with its first call.
      expect(Date.now() - Date.parse(total.points[0].at)).toBeLessThan(HOUR_MS);
      expect(total.points[0].used).toBe('0');
      expect(Number(total.points.at(-1).used)).toBeGreaterThan(0);
      const several = await rest.read('/v1/budgets/team-day/series');
      expect([several.status, several.json.error.details[0].path]).toEqual([422, 'period_id']);
      const period = await periodOf('team-day', 'b');
      expect((await rest.read(`/v1/budgets/all-time/series?period_id=${period}`)).status).toBe(404);
      expect((await rest.read(`/v1/budgets/all-time/entries?period_id=${crypto.randomUUID()}`)).status).toBe(404);
      expect((await rest.read('/v1/budgets/all-time/series?period_id=x')).status).toBe(422);
    });

    it('is read through the index on time, and lookups by key use the primary key', async () => {
      const period = await periodOf('all-time');
      const plan = async (query: string): Promise<string> => {
        const rows = await sql().transaction(async (transaction) => {
          await transaction.query('SET LOCAL enable_seqscan = off');
          return transaction.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${query}`);
        });
        return rows.map((row) => row['QUERY PLAN']).join('\n');
      };
      expect(
        await plan(`SELECT * FROM budget_entries n WHERE n.period_id::text = '${period}' ORDER BY created_at`),
      ).toContain('budget_entries_in_time');
      const byKey = `n.account_id = '${period}' AND n.source_id = '${period}' AND n.period_id = '${period}'`;
      expect(await plan(`SELECT * FROM budget_entries n WHERE ${byKey}`)).toContain('budget_entries_pkey');
    });

    it('is found and can be corrected, however many windows another budget has', async () => {
      await charge('after many', 900);
      await sql().query(
        `INSERT INTO budget_periods (account_id, environment, budget_id, unit, per, scope, scope_label, timezone,
           period_start, period_end, on_exceed, limit_n, warn_at)
         SELECT account_id, environment, budget_id, unit, per, scope || n, scope_label, timezone,
           period_start, period_end, on_exceed, limit_n, warn_at
         FROM budget_periods, generate_series(1, 1100) n WHERE id = $1::uuid`,
        [await periodOf('all-time')],
      );
      const { data } = (await rest.read('/v1/budgets?environment=production')).json;
      const used = data
        .filter(({ scope }: { scope: Record<string, string> }) => scope['metadata.team'] === 'after many')
        .map(({ budget, used: amount }: { budget: string; used: string }) => [budget, amount]);
      expect(used).toEqual([['team-day', '0.90']]);
      expect(data.filter(({ period_id: id }: { period_id: string | null }) => id === null)).toEqual([]);
      const [last] = await sql().query<{ id: string }>(
        `SELECT id::text AS id FROM budget_periods WHERE budget_id = 'all-time' AND settled_n = 0 ORDER BY id DESC LIMIT 1`,
      );
      const { status, json } = await rest.call(
        'POST',
        '/v1/budgets/all-time/adjustments',
        authorization(),
        JSON.stringify({ period_id: last!.id, amount: '7', because: 'TICKET-9 \ud83d' }),
      );
      expect({ status, json }).toMatchObject({ status: 200, json: { period_id: last!.id, used: '7', warn_at: [] } });
    });
  },
  { policies: { ...TEST_POLICIES, 'production/policy.yaml': POLICY } },
);
