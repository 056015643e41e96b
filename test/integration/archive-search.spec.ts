import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { SqlRunner } from '../../src/database/index.js';
import { Archive } from '../../src/events/archive/archive.js';
import { archiveWeek } from '../../src/events/archive/archive-week.js';
import { ArchivedEventReader } from '../../src/events/archive/archived-reader.js';
import { partsWhere } from '../../src/events/archive/catalogue.js';
import { ParquetQueries, type DuckDb } from '../../src/events/archive/duckdb.js';
import { deleteObjects, rewritePart } from '../../src/events/archive/rewrite-part.js';
import type { NewEvent } from '../../src/events/event.js';
import { newEventId } from '../../src/events/event-id.js';
import { EventLog } from '../../src/events/event-log.js';
import { ensurePartitions, weekOf } from '../../src/events/partitions.js';
import type { EventFilters } from '../../src/events/reading/event-filters.js';
import { EventReader } from '../../src/events/reading/event-reader.js';
import type { EventRecord } from '../../src/events/reading/event-record.js';
import { namedEvent } from '../../src/events/reading/named-event.js';
import { exportPieces } from '../../src/events/reading/event-export.js';
import { ParquetPacker } from '../../src/events/reading/parquet-packer.js';
import { eachDatabase } from '../support/each-database.js';
import { APP_ID, appendRequest, newEvent, violationEvent } from '../support/events.js';
import { rowsOfParquet } from '../support/parquet.js';

const DAY_MS = 86_400_000;
const ACCOUNT = '0b5c1f0e-5a52-4f0e-9d3c-2f6a1f6fc001';
const OTHER = '0b5c1f0e-5a52-4f0e-9d3c-2f6a1f6fc002';
const START_MS = Date.UTC(2031, 5, 9);
const WEEKS = 3;

/** A filter of each kind, as in a request. The events of two weeks are archived, those of the third are not. */
const FILTERS: Readonly<Record<string, Partial<EventFilters>>> = {
  nothing: {},
  type: { type: 'policy.violation' },
  environments: { environment: ['staging', 'development'] },
  'app id': { app: APP_ID },
  'app name': { app: 'no such app' },
  session: { sessionId: "it's" },
  model: { model: ['gpt-4o', 'other'] },
  decision: { decision: 'redact' },
  outcome: { outcome: 'flagged' },
  rule: { rule: 'pii.block' },
  'unknown rules': { rule: ['x', 'y'] },
  metadata: { metadata: { user_id: 'u_3' } },
  'nested metadata with special characters': { metadata: { 'a.b': '"\\ é' } },
  'all but a model': { not: { model: 'gpt-4o' } },
  'all but some metadata': { not: { metadata: { user_id: 'u_3' } } },
  'request id': { requestId: 'r-5' },
  cost: { minCostUsd: 0.000_001 },
  time: { from: new Date(START_MS + 2.5 * DAY_MS), to: new Date(START_MS + 16 * DAY_MS) },
  text: { text: 'NEEDLE' },
  marks: { mark: 'none' },
  several: { environment: 'production', model: 'gpt-4o', metadata: { user_id: 'u_3' }, text: 'needle' },
};

eachDatabase('A search over the log and the archive', (current) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-archive-'));
  const archive = new Archive({ afterMs: 0, place: { kind: 'directory', path: folder } });
  // The service loads DuckDB from where an operator installs it; the tests have it as a dependency.
  const queries = new ParquetQueries(async () => (await import('@duckdb/node-api')) as unknown as DuckDb);
  const before = new Map<string, EventRecord[]>();
  const sql = (): SqlRunner => current().database.sql;
  const reader = () => new ArchivedEventReader(sql(), { sql: sql(), archive, queries });
  const eventAt = (n: number, changes: Partial<NewEvent> = {}): NewEvent => {
    const receivedAt = new Date(START_MS + (n * WEEKS * 7 * DAY_MS) / 60);
    const isOdd = n % 2 === 1;
    return newEvent({
      ...{ accountId: ACCOUNT, receivedAt, id: newEventId(receivedAt), eventId: `e-${n}`, requestId: `r-${n}` },
      ...{ environment: n % 5 === 0 ? 'staging' : 'production', model: isOdd ? 'gpt-4o' : 'claude' },
      ...{ sessionId: n % 3 === 0 ? "it's" : `s-${n}`, metadata: `{"user_id":"u_${n % 4}","a":{"b":"\\"\\\\ é"}}` },
      payload: JSON.stringify({ text: n % 7 === 0 ? `a Needle ${n}` : `straw ${n}` }),
      ...changes,
    });
  };
  /** All events that match, listed in pages of seven. */
  const listed = async (from: EventReader, filters: Partial<EventFilters>): Promise<EventRecord[]> => {
    const found: EventRecord[] = [];
    let cursor: string | undefined;
    do {
      const page = await from.list({ manager: { accountId: ACCOUNT }, limit: 7, ...filters }, cursor);
      found.push(...page.data);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return found;
  };

  beforeAll(async () => {
    for (let week = 0; week < WEEKS; week++) await ensurePartitions(sql(), new Date(START_MS + week * 7 * DAY_MS));
    const log = new EventLog(sql());
    for (let n = 0; n < 60; n++) {
      const event = eventAt(n);
      const child = violationEvent(event, 'pii.block');
      const caused = n % 6 === 0 ? [{ ...child, accountId: ACCOUNT, id: newEventId(event.receivedAt) }] : [];
      await log.append(appendRequest(event, caused));
    }
    await log.append(appendRequest(eventAt(3, { accountId: OTHER })));
    for (const [name, filters] of Object.entries(FILTERS)) {
      before.set(name, await listed(new EventReader(sql()), filters));
    }
    for (let week = 0; week < WEEKS - 1; week++) {
      const parts = { sql: sql(), ...archive.files!, partEvents: 9 };
      expect(await archiveWeek(parts, weekOf(START_MS + week * 7 * DAY_MS))).toBe('archived');
    }
  }, 300_000);
  afterAll(async () => {
    await queries.close();
    await archive.close();
    rmSync(folder, { recursive: true });
  });

  it.each(Object.keys(FILTERS))(
    'finds the same events as before archiving, each once and in either order, with the filter: %s',
    async (name) => {
      const expected = before.get(name)!;
      const filters = { ...FILTERS[name], archive: 'true' } as const;
      expect(await listed(reader(), filters)).toEqual(expected);
      expect(await listed(reader(), { ...filters, order: 'asc' })).toEqual(expected.toReversed());
    },
  );

  it('finds only events in the log unless the archive is requested', async () => {
    const found = await listed(reader(), {});
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThan(before.get('nothing')!.length);
  });

  it('shows no archived events of another account or environment', async () => {
    const own = await reader().list({ manager: { accountId: OTHER }, archive: 'true' });
    expect(own.data.map(({ event_id: id }) => id)).toEqual(['e-3']);
    const bound = await reader().list({
      manager: { accountId: ACCOUNT, environment: 'staging' },
      archive: 'true',
      limit: 200,
    });
    expect(new Set(bound.data.map(({ environment }) => environment))).toEqual(new Set(['staging']));
    expect(bound.data).toHaveLength(before.get('environments')!.length);
  });

  it('exports the same rows as before archiving', async () => {
    const packer = new ParquetPacker();
    const filters = { manager: { accountId: ACCOUNT }, archive: 'true' } as const;
    const content: Uint8Array[] = [];
    for await (const piece of exportPieces({ reader: reader(), packer, filters, format: 'parquet' })) {
      content.push(...(piece.content as Uint8Array[]));
    }
    await packer.close();
    const rows = await rowsOfParquet(Buffer.concat(content), 'SELECT id FROM events');
    expect(rows.flat()).toEqual(before.get('nothing')!.map(({ id }) => id));
  });

  it('writes temporary files only to a folder that the next process deletes if this one is killed', async () => {
    const { rows } = await queries.rows(`SELECT current_setting('temp_directory')`);
    const place = String(rows[0]?.[0]);
    expect(basename(place)).toMatch(/^weir-parts-/);
    expect(existsSync(join(place, 'owner'))).toBe(true);
  });

  it('reports whether an event that is not in the log is archived', async () => {
    const called = (eventId: string) => before.get('nothing')!.find(({ event_id: id }) => id === eventId)!;
    const [newest, oldest] = [called('e-59'), called('e-0')];
    const manager = { accountId: ACCOUNT };
    expect(await reader().isArchived(manager, oldest.id)).toBe(true);
    expect(await reader().isArchived(manager, oldest.event_id)).toBe(true);
    expect(await reader().isArchived(manager, newest.id)).toBe(false);
    expect(await reader().isArchived({ accountId: OTHER }, oldest.event_id)).toBe(false);
    await expect(namedEvent(reader(), manager, oldest.id, {})).rejects.toMatchObject({
      ...{ type: 'not_found', options: { details: [{ path: 'archive', message: 'holds the event' }] } },
    });
    const unknown = namedEvent(reader(), { accountId: OTHER }, oldest.id, {});
    await expect(unknown).rejects.toMatchObject({ type: 'not_found', options: {} });
  });

  it('does not report to a token of one environment that an event of another one is archived', async () => {
    const called = (eventId: string) => before.get('nothing')!.find(({ event_id: id }) => id === eventId)!;
    const [staged, live] = [called('e-0'), called('e-1')];
    const bound = { accountId: ACCOUNT, environment: 'staging' } as const;
    expect(await reader().isArchived(bound, staged.event_id)).toBe(true);
    expect(await reader().isArchived(bound, live.event_id)).toBe(false);
    for (const name of [live.id, live.event_id]) {
      expect(await reader().isArchived({ accountId: ACCOUNT }, name, { environment: 'production' })).toBe(true);
      expect(await reader().isArchived(bound, name, { environment: 'production' })).toBe(false);
    }
  });

  it('names what to install if DuckDB is missing, and what to set if there is no archive', async () => {
    const missing = new ParquetQueries(() =>
      Promise.reject(Object.assign(new Error(), { code: 'ERR_MODULE_NOT_FOUND' })),
    );
    const filters = { manager: { accountId: ACCOUNT }, archive: 'true' } as const;
    const without = new ArchivedEventReader(sql(), { sql: sql(), archive, queries: missing });
    await expect(without.list(filters)).rejects.toMatchObject({
      options: { details: [{ path: 'archive', message: expect.stringContaining('npm install @duckdb/node-api@') }] },
    });
    const nowhere = new Archive({ afterMs: 0 });
    const unset = new ArchivedEventReader(sql(), { sql: sql(), archive: nowhere, queries });
    await expect(unset.list(filters)).rejects.toMatchObject({
      options: { details: [{ path: 'archive', message: expect.stringContaining('WEIR_ARCHIVE') }] },
    });
  });

  it('finds each event once while a part is rewritten again and again, as by an erasure', async () => {
    const maintenance = sql().forMaintenance();
    const files = archive.files!;
    const change = 'UPDATE events e SET trace_id = gen_random_uuid()::text WHERE e.account_id = $1::uuid';
    const rows = queries.rows.bind(queries);
    queries.rows = async (statement) => {
      const [oldest] = await partsWhere(maintenance, `p.account_id = $1::uuid AND p.state = 'archived'`, [ACCOUNT]);
      await rewritePart(files, maintenance, oldest!, (transaction) => transaction.query(change, [ACCOUNT]));
      await deleteObjects(files, maintenance, { forget: false });
      return rows(statement);
    };
    try {
      const found = await listed(reader(), { archive: 'true', limit: 200 });
      expect(found.map(({ id }) => id)).toEqual(before.get('nothing')!.map(({ id }) => id));
    } finally {
      queries.rows = rows;
    }
  });
});
