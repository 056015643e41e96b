import { Database } from '../../src/database/index.js';
import { eachApp } from '../support/each-app.js';
import { restClient } from '../support/rest-client.js';
import { secondAccount } from '../support/second-account.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const BLOCK = 'words.block-ssn';
const FLAG = 'words.flag-token';

interface Row {
  readonly rule: string;
  readonly hits: number;
  readonly spark: readonly number[];
}

eachApp('Statistics of rules', (current) => {
  const rest = restClient(current);
  const sql = () => current().weir.app.get(Database).sql;
  const stats = async (query = '', environment = 'production') =>
    (await rest.read(`/v1/policies/${environment}/rules/stats${query}`)).json;
  const ask = async (prompt: string, environment?: 'staging') =>
    rest.submit({ type: 'ai.request', request_id: crypto.randomUUID(), model: 'm', payload: { prompt } }, environment);
  const idOf = async (rule: string): Promise<string> => {
    const { data } = (await rest.read(`/v1/events?view=calls&fields=summary&environment=production&rule=${rule}`)).json;
    return data[0].id;
  };
  const mark = async (event: string, rule: string, word: string): Promise<void> => {
    const headers = { authorization: `Bearer ${current().bootstrap.token}`, 'content-type': 'application/json' };
    const path = `/v1/events/${event}/marks/${rule}`;
    expect((await rest.call('PUT', path, headers, JSON.stringify({ mark: word }))).status).toBe(200);
  };
  const row = (data: readonly Row[], rule: string): Row => data.find((each) => each.rule === rule)!;

  it('contain every active rule, including those that never fired', async () => {
    const { data, others, from, to, environment } = await stats();
    expect(data.map(({ rule }: Row) => rule)).toContain(BLOCK);
    expect(data[0]).toMatchObject({
      ...{ hits: 0, enforced: 0, monitored: 0, first_hit: null, last_hit: null },
      marks: { right: 0, wrong: 0, missed: 0 },
      spark: Array<number>(30).fill(0),
    });
    expect([environment, others]).toEqual(['production', []]);
    expect(Date.parse(to) - Date.parse(from)).toBeGreaterThanOrEqual(30 * DAY_MS);
    expect(Date.parse(from) % HOUR_MS).toBe(0);
  });

  it('count hits as in the log, with their times and marks', async () => {
    for (const prompt of ['ssn-1', 'a token-1', 'a token-2', 'plain']) await ask(prompt);
    await ask('a token-3', 'staging');
    await mark(await idOf(BLOCK), BLOCK, 'wrong');
    await mark(await idOf(FLAG), FLAG, 'right');
    await mark(await idOf(FLAG), BLOCK, 'missed');
    const { data } = await stats();
    expect(data.map(({ rule }: Row) => rule).slice(0, 2)).toEqual([FLAG, BLOCK]);
    expect(row(data, FLAG)).toMatchObject({
      ...{ title: 'Token words are flagged', stage: 'pre', action: 'flag', mode: 'enforce', formerly: [] },
      ...{ hits: 2, enforced: 2, monitored: 0, marks: { right: 1, wrong: 0, missed: 0 } },
      ...{ first_hit: expect.stringMatching(/Z$/), last_hit: expect.stringMatching(/Z$/) },
    });
    expect(row(data, BLOCK)).toMatchObject({ hits: 1, enforced: 1, marks: { right: 0, wrong: 1, missed: 1 } });
    expect(row(data, FLAG).spark.at(-1)).toBe(2);
    expect(row((await stats('', 'staging')).data, FLAG).hits).toBe(1);
    const { length } = (await rest.read(`/v1/events?type=policy.violation&environment=production&limit=200`)).json.data;
    expect(data.reduce((sum: number, { hits }: Row) => sum + hits, 0)).toBe(length);
  });

  it('cover the requested range, and include rules that no longer exist', async () => {
    await sql().query(
      `INSERT INTO rule_rollups (account_id, environment, rule, hour, app_id, writer, hits, enforced, monitored, blocked, redacted, first_at, last_at)
       SELECT account_id, environment, n.rule, hour - n.ago, app_id, writer + 1, 5, 4, 1, 4, 0, first_at - n.ago, last_at - n.ago
       FROM rule_rollups r, (VALUES ('${BLOCK}', interval '10 days'), ('gone.rule', interval '20 days'), ('aaa.first', interval '60 days')) n (rule, ago)
       WHERE r.rule = '${BLOCK}' AND r.environment = 'production'`,
    );
    const all = await stats();
    expect(row(all.data, BLOCK)).toMatchObject({ hits: 6, enforced: 5, monitored: 1 });
    expect(row(all.data, BLOCK).spark.filter((n) => n > 0)).toEqual([5, 1]);
    expect(all.others).toMatchObject([{ rule: 'gone.rule', hits: 5 }]);
    const ago = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();
    expect(row((await stats(`?from=${ago(5)}`)).data, BLOCK).hits).toBe(1);
    expect(row((await stats(`?from=${ago(15)}&to=${ago(5)}`)).data, BLOCK).hits).toBe(5);
    expect((await stats(`?from=${ago(90)}`)).others.map(({ rule }: Row) => rule)).toEqual(['aaa.first', 'gone.rule']);
    for (const query of [`?from=${ago(5)}&to=${ago(6)}`, `?from=${ago(500)}`, '?from=yesterday']) {
      const { error } = await stats(query);
      expect([error.type, error.details[0].path]).toEqual(['invalid_request', 'from']);
    }
  });

  it('cover only one account, and require the right to read events', async () => {
    const second = await secondAccount(current(), 'statistics');
    const path = '/v1/policies/production/rules/stats';
    const { json } = await rest.call('GET', path, { authorization: `Bearer ${second.token}` });
    expect(
      json.data.every(({ hits, marks }: Row & { marks: object }) => hits === 0 && !/[1-9]/.test(JSON.stringify(marks))),
    ).toBe(true);
    expect(json.others).toEqual([]);
    const { secret } = (
      await rest.call(
        'POST',
        '/v1/tokens',
        { authorization: `Bearer ${current().bootstrap.token}`, 'content-type': 'application/json' },
        JSON.stringify({ name: 'policies', scopes: ['policy:read'] }),
      )
    ).json;
    expect((await rest.call('GET', path, { authorization: `Bearer ${secret}` })).status).toBe(403);
  });
});
