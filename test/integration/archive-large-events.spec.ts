/** Weeks with large events are archived in statements of a bounded size, and a week that fails delays no other week. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SqlExecutor, SqlRow, SqlRunner } from '../../src/database/index.js';
import { archiveWeek } from '../../src/events/archive/archive-week.js';
import { archiveWeeks } from '../../src/events/archive/archive.js';
import { partsWhere } from '../../src/events/archive/catalogue.js';
import { PartPacker } from '../../src/events/archive/part-packer.js';
import { weekOf } from '../../src/events/partitions.js';
import { directoryStore, NotStored } from '../../src/object-storage/index.js';
import { DatedLog, DAY_MS } from '../support/dated-log.js';
import { eachDatabase } from '../support/each-database.js';

/** Size of a text that PostgreSQL cannot compress, so that it is as large when stored. */
const LARGE = 600_000;
const large = (): string => JSON.stringify({ text: randomBytes((LARGE / 4) * 3).toString('base64') });

type Query = Parameters<SqlExecutor['query']>;

/** A runner that notes how many events of the log each statement converts to text as a whole. */
function noting(sql: SqlRunner, converted: number[]): SqlRunner {
  const noted = ({ query }: SqlExecutor): SqlExecutor['query'] =>
    async function noteEvents<Row extends SqlRow>(...[statement, parameters, options]: Query): Promise<Row[]> {
      const rows = await query<Row>(statement, parameters, options);
      // Sums have the number of their events, other rows are events.
      if (statement.includes('::text, 0)::numeric') || statement.includes('.row, 0)::numeric'))
        converted.push(rows.reduce((sum, { events = 1 }) => sum + Number(events), 0));
      return rows;
    };
  return {
    ...sql,
    forMaintenance: () => {
      const session = sql.forMaintenance();
      return {
        query: noted(session),
        transaction: (work, options) =>
          session.transaction((inner) => work({ ...inner, query: noted(inner) }), options),
      };
    },
  };
}

eachDatabase('The archive of large events', (current) => {
  const packer = new PartPacker();
  const folder = mkdtempSync(join(tmpdir(), 'weir-archive-'));
  const sql = (): SqlRunner => current().database.sql;
  const log = new DatedLog(sql, '7fc');
  afterAll(async () => {
    await packer.close();
    rmSync(folder, { recursive: true });
  });

  it('reads and compares a week in statements of a few megabytes, and converts each event once for each', async () => {
    const { startMs } = await log.begin();
    const week = weekOf(startMs);
    for (let n = 0; n < 16; n++) await log.store(log.eventOn(n / 100, { payload: large() }));
    await log.store(log.eventOn(1, { environment: 'staging' }));
    const converted: number[] = [];
    const parts = { sql: noting(sql(), converted), store: directoryStore(folder), packer };
    expect(await archiveWeek(parts, week)).toBe('archived');
    const stored = await partsWhere(sql().forMaintenance(), 'p.week = $1', [week.table]);
    expect(stored.map(({ state, events, environment }) => [state, events, environment]).sort()).toEqual([
      ['archived', 1, 'staging'],
      ['archived', 16, 'production'],
    ]);
    expect(Math.max(...converted) * LARGE).toBeLessThan(6_000_000);
    // Once to read it, once to compare it.
    expect(converted.reduce((sum, events) => sum + events, 0)).toBe(2 * 17);
  });

  it('leaves no later week in the log because an earlier one cannot be archived', async () => {
    const { startMs } = await log.begin();
    const weeks = [weekOf(startMs), weekOf(startMs + 7 * DAY_MS)];
    for (const day of [0, 7]) await log.store(log.eventOn(day));
    const store = directoryStore(folder);
    const put = (key: string, bytes: Uint8Array): Promise<void> =>
      key.includes(`/${weeks[0]!.table.replace('events_w', '')}/`)
        ? Promise.reject(new NotStored('the object is refused'))
        : store.put(key, bytes);
    const run = async (into: string[]): Promise<void> => {
      for await (const { week, outcome } of archiveWeeks({ sql: sql(), store: { ...store, put }, packer }, weeks))
        into.push(`${week.table} ${outcome}`);
    };
    const outcomes: string[] = [];
    await expect(run(outcomes)).rejects.toThrow(`${weeks[0]!.table}: the object is refused`);
    expect(outcomes).toEqual([`${weeks[1]!.table} archived`]);
  });
});
