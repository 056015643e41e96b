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
