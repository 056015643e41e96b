import { EventLog } from '../../src/events/event-log.js';
import { newEventId } from '../../src/events/event-id.js';
import { PartitionKeeper } from '../../src/events/partition-keeper.js';
import { ensurePartitions } from '../../src/events/partitions.js';
import type { SqlRunner } from '../../src/database/index.js';
import { eachDatabase } from '../support/each-database.js';
import { goneSql } from '../support/sql.js';
import { ACCOUNT_ID, appendRequest, newEvent } from '../support/events.js';

eachDatabase('partitions of the event log', (current) => {
  const sql = (): SqlRunner => current().database.sql;
  const partitionOf = async (id: string): Promise<string | undefined> => {
    const [row] = await sql().query<{ table: string }>(
      'SELECT tableoid::regclass::text AS table FROM events WHERE id = $1::uuid',
      [id],
    );
    return row?.table;
  };
  const eventAt = (iso: string) => {
    const receivedAt = new Date(iso);
    return newEvent({ receivedAt, id: newEventId(receivedAt) });
  };
  const store = (event: ReturnType<typeof newEvent>) => new EventLog(sql()).append(appendRequest(event));

  it('are created for this week and the next four, from Monday to Monday, and only once', async () => {
    // A Wednesday.
    const now = new Date('2031-01-15T12:00:00Z');
    expect((await ensurePartitions(sql(), now)).toSorted()).toEqual(
      ['20310113', '20310120', '20310127', '20310203', '20310210'].map((day) => `events_w${day}`),
    );
    expect(await ensurePartitions(sql(), now)).toEqual([]);
    expect(await ensurePartitions(sql(), new Date('2031-01-20T00:00:00Z'))).toEqual(['events_w20310217']);
  });

  it('contain the events of their week, to the millisecond', async () => {
    for (const [iso, table] of [
      ['2031-01-19T23:59:59.999Z', 'events_w20310113'],
      ['2031-01-20T00:00:00.000Z', 'events_w20310120'],
    ] as const) {
      const event = eventAt(iso);
      await store(event);
      expect(await partitionOf(event.id)).toBe(table);
    }
  });

  it('that are missing fail no insert: the default partition stores the event until the missing one is created', async () => {
    const event = eventAt('2033-06-15T12:00:00Z');
    expect(await store(event)).toEqual({ outcome: 'appended' });
    expect(await partitionOf(event.id)).toBe('events_default');
    expect(await ensurePartitions(sql(), new Date('2031-01-15T12:00:00Z'))).toEqual(['events_w20330613']);
    expect(await partitionOf(event.id)).toBe('events_w20330613');
    const later = eventAt('2033-06-16T12:00:00Z');
    await store(later);
    expect(await partitionOf(later.id)).toBe('events_w20330613');
  });

  it('have the indexes of the log, and are skipped by queries that cannot need them', async () => {
    const indexes = async (table: string): Promise<number> =>
      (await sql().query('SELECT 1 AS one FROM pg_indexes WHERE tablename = $1', [table])).length;
    expect(await indexes('events_w20310113')).toBe(await indexes('events_default'));
    const plan = await sql().query<{ 'QUERY PLAN': string }>(
      `EXPLAIN SELECT 1 FROM events WHERE account_id = '${ACCOUNT_ID}' AND id = '${eventAt('2031-01-21T00:00:00Z').id}'`,
    );
    const text = plan.map((line) => line['QUERY PLAN']).join('\n');
    expect(text).toContain('events_w20310120');
    expect(text).not.toContain('events_w20310113');
  });

  it('are created for all other weeks if one of them fails', async () => {
    const stray = eventAt('2036-01-09T12:00:00Z');
    await store(stray);
    // A type of this name prevents a table of this name.
    await sql().query('CREATE DOMAIN events_w20360107 AS text');
    const ensured = ensurePartitions(sql(), new Date('2037-01-14T12:00:00Z'));
    await expect(ensured).rejects.toThrow(/^events_w20360107: /);
    const later = eventAt('2037-01-14T12:00:00Z');
    await store(later);
    expect(await partitionOf(later.id)).toBe('events_w20370112');
    await sql().query('DROP DOMAIN events_w20360107');
    expect(await ensurePartitions(sql(), new Date('2037-01-14T12:00:00Z'))).toEqual(['events_w20360107']);
    expect(await partitionOf(stray.id)).toBe('events_w20360107');
  });

  it('get many events of the default partition only when their week is over', async () => {
    const first = eventAt('2038-03-03T12:00:00Z');
    await store(first);
    await sql()
      .forMaintenance()
      .query(
        `INSERT INTO events SELECT (jsonb_populate_record(e, jsonb_build_object(
           'id', left(e.id::text, 24) || lpad(to_hex(n), 12, '0')))).*
         FROM events e, generate_series(1, 11000) AS n WHERE e.id = $1::uuid`,
        [first.id],
      );
    const during = await ensurePartitions(sql(), new Date('2038-03-04T00:00:00Z'));
    expect(during.toSorted()).toEqual(['20380308', '20380315', '20380322', '20380329'].map((day) => `events_w${day}`));
    expect(await partitionOf(first.id)).toBe('events_default');
    const after = await ensurePartitions(sql(), new Date('2038-03-08T00:00:00Z'));
    expect(after).toEqual(['events_w20380405', 'events_w20380301']);
    const [row] = await sql()
      .forMaintenance()
      .query<{ n: number; strays: number }>(
        `SELECT (SELECT count(*)::integer FROM events_w20380301) AS n, (SELECT count(*)::integer FROM events_default) AS strays`,
      );
    expect(row).toEqual({ n: 11_001, strays: 0 });
  });

  it('are created by one of several servers during inserts, and no event is lost', async () => {
    const others = await Promise.all([1, 2].map(() => current().openAnother()));
    const events = Array.from({ length: 300 }, (_, n) =>
      eventAt(new Date(Date.UTC(2035, 0, 1 + (n % 60))).toISOString()),
    );
    const logs = [sql(), ...others.map((other) => other.sql)].map((runner) => new EventLog(runner));
    await Promise.all([
      ...events.map((event, n) => logs[n % logs.length]?.append(appendRequest(event))),
      ...[sql(), ...others.map((other) => other.sql)].map((runner) =>
        ensurePartitions(runner, new Date('2035-01-10T00:00:00Z')),
      ),
    ]);
    await ensurePartitions(sql(), new Date('2035-01-10T00:00:00Z'));
    const [row] = await sql().query<{ n: number; strays: number }>(
      `SELECT count(*)::integer AS n, (SELECT count(*)::integer FROM events_default) AS strays
       FROM events WHERE id = ANY ($1::text[]::uuid[])`,
      [events.map(({ id }) => id)],
    );
    expect(row).toEqual({ n: 300, strays: 0 });
  });
});

describe('the partition keeper', () => {
  it('reports a failed check and does not stop the server', async () => {
    const reports: string[] = [];
    const gone = goneSql();
    const keeper = new PartitionKeeper(
      gone,
      (message) => reports.push(message),
      () => new Date(),
    );
    await keeper.start();
    await keeper.stop();
    expect(reports).toEqual([expect.stringContaining('default partition')]);
  });
});
