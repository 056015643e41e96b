import fc from 'fast-check';
import type { SqlExecutor, SqlSession } from '../../src/database/index.js';
import { rangesOf } from '../../src/events/week-tables.js';
import { eachDatabase } from '../support/each-database.js';

const TABLE = 'ranges_probe';

eachDatabase('The ranges in which a week is read', (current) => {
  const owner = (): SqlSession => current().database.sql.forMaintenance();
  beforeAll(() => owner().query(`CREATE TABLE ${TABLE} (account_id uuid, id uuid, PRIMARY KEY (account_id, id))`));

  const idOf = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
  const rangesAt = async (sql: SqlExecutor, rows: number): Promise<string[]> => {
    const ranges: string[] = [];
    for await (const range of rangesOf(sql, TABLE, rows)) ranges.push(range);
    return ranges;
  };

  it('contain each row exactly once, and at most the given number of rows each', async () => {
    const someRows = fc.uniqueArray(fc.tuple(fc.nat(3), fc.nat(20)), { maxLength: 25, selector: String });
    await fc.assert(
      fc.asyncProperty(someRows, fc.integer({ min: 1, max: 6 }), async (given, rows) => {
        await owner().query(`TRUNCATE ${TABLE}`);
        await owner().query(`INSERT INTO ${TABLE} SELECT * FROM unnest($1::text[]::uuid[], $2::text[]::uuid[])`, [
          given.map(([account]) => idOf(account)),
          given.map(([, id]) => idOf(id)),
        ]);
        const seen: string[] = [];
        for (const range of await rangesAt(owner(), rows)) {
          const found = await owner().query<{ row: string }>(
            `SELECT e.account_id || ' ' || e.id AS row FROM ${TABLE} e WHERE ${range} ORDER BY e.account_id, e.id`,
          );
          expect(found.length).toBeLessThanOrEqual(rows);
          seen.push(...found.map(({ row }) => row));
        }
        expect(seen).toEqual(given.map(([account, id]) => `${idOf(account)} ${idOf(id)}`).sort());
      }),
      { numRuns: 60 },
    );
  });

  it('together read little more of the index than one pass through it', async () => {
    await owner().query(`TRUNCATE ${TABLE}`);
    await owner().query(
      `INSERT INTO ${TABLE} SELECT '${idOf(1)}'::uuid, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid
       FROM generate_series(1, 50000) n`,
    );
    const read = (range: string): Promise<number> =>
      owner().transaction(async (transaction) => {
        await transaction.query(
          `SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`,
        );
        const [plan] = await transaction.query<{ 'QUERY PLAN': unknown }>(
          `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT count(*) FROM ${TABLE} e WHERE ${range}`,
        );
        const given = plan!['QUERY PLAN'];
        const [{ Plan: top }] = (typeof given === 'string' ? JSON.parse(given) : given) as [
          { Plan: Record<string, number> },
        ];
        return top['Shared Hit Blocks']! + top['Shared Read Blocks']!;
      });
    const ranges = await rangesAt(owner(), 1_000);
    expect(ranges.length).toBeGreaterThanOrEqual(50);
    let blocks = 0;
    for (const range of ranges) blocks += await read(range);
    expect(blocks).toBeLessThan(2 * (await read('true')));
  });
});
