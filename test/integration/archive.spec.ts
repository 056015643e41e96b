import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BudgetLedgerWriter } from '../../src/budgets/ledger/ledger-writer.js';
import { applySteps, openPeriod } from '../../src/budgets/ledger/ledger.js';
import { BudgetReader } from '../../src/budgets/management/budget-reader.js';
import type { Retention } from '../../src/core/index.js';
import type { DatabaseClock, SqlRow, SqlRunner } from '../../src/database/index.js';
import { archiveWeek, type ArchiveStep } from '../../src/events/archive/archive-week.js';
import { dueWeeks, problemOf, tidyArchive, unknownObjects } from '../../src/events/archive/archive.js';
import { partsWhere } from '../../src/events/archive/catalogue.js';
import { PartPacker } from '../../src/events/archive/part-packer.js';
import { restorePart } from '../../src/events/archive/restore-part.js';
import { newEventId } from '../../src/events/event-id.js';
import { EventLog } from '../../src/events/event-log.js';
import { deleteMarks } from '../../src/events/marks/delete-marks.js';
import { ensurePartitions, weekOf, type Week } from '../../src/events/partitions.js';
import { RetentionKeeper } from '../../src/events/retention/retention-keeper.js';
import { StoredAnswers } from '../../src/events/stored-answers.js';
import { directoryStore } from '../../src/object-storage/index.js';
import type { PolicyStore } from '../../src/policy-store/index.js';
import { DatedLog, DAY_MS } from '../support/dated-log.js';
import { eachDatabase } from '../support/each-database.js';
import { appendRequest, violationEvent } from '../support/events.js';

const STEPS: readonly ArchiveStep[] = ['noted', 'put', 'read back', 'written', 'compared', 'dropped'];
const LEDGER = new BudgetLedgerWriter({ ledgerEvents: () => undefined, freed: () => undefined });

class Killed extends Error {}

eachDatabase('The archive of the log', (current) => {
  const packer = new PartPacker();
  let accountId: string;
  let other: string;
  let startMs: number;
  let week: Week;
  let folder: string;
  beforeEach(async () => {
    ({ accountId, other, startMs } = await log.begin());
    week = weekOf(startMs);
    folder = mkdtempSync(join(tmpdir(), 'weir-archive-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  afterAll(() => packer.close());

  const sql = (): SqlRunner => current().database.sql;
  const log = new DatedLog(sql, '6fb');
  const files = () => ({ store: directoryStore(folder), packer });
  const owned = <Row extends SqlRow>(statement: string, parameters: readonly string[] = []): Promise<Row[]> =>
    sql().forMaintenance().query<Row>(statement, parameters);
  /** Every column of every event of the week, as the database writes it. */
  const rowsInLog = async (): Promise<string[]> =>
    (
      await owned<{ row: string }>(
        'SELECT e::text AS row FROM events e WHERE id >= $1::uuid AND id < $2::uuid ORDER BY account_id, id',
        [week.from, week.to],
      )
    ).map(({ row }) => row);
  const archive = (more: object = {}) => archiveWeek({ sql: sql(), ...files(), partEvents: 3, ...more }, week);
  const parts = (state = 'archived') =>
    partsWhere(sql().forMaintenance(), 'p.week = $1 AND p.state = $2', [week.table, state]);
  const objects = (): string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(folder, name)).isFile())
      .sort();
  const restoreAll = async (): Promise<void> => {
    const now = new Date(startMs);
    for (const part of await parts()) await restorePart(files(), sql(), part, { keepDays: 30, now });
  };
  const keepOn = async (day: number, retention: Partial<Retention>, archived = files()): Promise<string[]> => {
    const reports: string[] = [];
    await new RetentionKeeper({
      ...{ sql: sql(), ledger: LEDGER, archive: archived, report: (message: string) => reports.push(message) },
      inForce: { read: async () => (id) => (id === accountId ? { holds: [], ...retention } : undefined) },
      now: () => new Date(startMs + day * DAY_MS),
    }).keep();
    return reports;
  };
  const fill = async (): Promise<void> => {
    for (let n = 0; n < 7; n++) {
      const event = log.eventOn(n / 10, { payload: JSON.stringify({ text: `héllo "${n}" \\ \0 ${'🜁'.repeat(n)}` }) });
      const child = violationEvent(event, 'pii.block');
      await log.store(event, n === 3 ? [{ ...child, accountId, id: newEventId(event.receivedAt) }] : []);
    }
    await log.store(log.eventOn(1, { environment: 'staging' }));
    await log.store(log.eventOn(1, { accountId: other }));
  };

  it('stores a week in parts of one account and one environment each, and restores every column unchanged', async () => {
    await fill();
    const before = await rowsInLog();
    expect(await archive()).toBe('archived');
    expect(await rowsInLog()).toEqual([]);
    expect(await owned('SELECT 1 AS one FROM pg_class WHERE relname = $1', [week.table])).toEqual([]);
    const found = await parts();
    expect(found.map(({ accountId: id, environment, events }) => [id === other, environment, events]).sort()).toEqual(
      [
        [false, 'production', 2],
        [false, 'production', 3],
        [false, 'production', 3],
        [false, 'staging', 1],
        [true, 'production', 1],
      ].sort(),
    );
    expect(objects()).toEqual(found.map(({ key }) => key).sort());
    expect(await Promise.all(found.map((part) => problemOf(files(), part)))).toEqual(found.map(() => undefined));
    await restoreAll();
    expect(await rowsInLog()).toEqual(before);
    await tidyArchive(files(), sql());
    expect(objects()).toEqual([]);
  });

  it.each(STEPS)('neither loses nor duplicates an event if the process is killed after a part was %s', async (step) => {
    await fill();
    const before = await rowsInLog();
    for (let kills = 1; kills <= 3; kills++) {
      const afterStep = (reached: ArchiveStep): void => {
        if (reached === step) throw new Killed();
      };
      await archive({ afterStep }).catch((error: unknown) => expect(error).toBeInstanceOf(Killed));
      // The next run treats the unfinished part as abandoned, without waiting.
      await owned(`UPDATE archive_parts SET state_at = state_at - interval '1 day' WHERE state = 'writing'`);
      const inParts = (await parts()).reduce((sum, { events }) => sum + events, 0);
      expect([inParts, (await rowsInLog()).length]).toEqual(step === 'dropped' ? [9 + 1, 0] : [0, 10]);
      if (step === 'dropped') break;
    }
    if (step !== 'dropped') expect(await archive()).toBe('archived');
    await tidyArchive(files(), sql());
    await restoreAll();
    expect(await rowsInLog()).toEqual(before);
  });

  it('deletes a part that another process wrote if the week of that part was archived meanwhile', async () => {
    await fill();
    expect(await archive()).toBe('archived');
    const [late] = await parts();
    await owned(`UPDATE archive_parts SET state = 'written' WHERE id = $1::uuid`, [late!.id]);
    await tidyArchive(files(), sql());
    expect(objects()).not.toContain(late!.key);
    expect(objects()).toHaveLength(4);
  });

  it('applies retention to a part that is restored while another part of its week is being deleted', async () => {
    await fill();
    expect(await archive()).toBe('archived');
    const staging = (await parts()).find(({ environment }) => environment === 'staging')!;
    const { store } = files();
    let reads = 0;
    const get = async (key: string): Promise<Uint8Array | null> => {
      reads += 1;
      if (reads === 1) await restorePart(files(), sql(), staging, { keepDays: 30, now: new Date(startMs) });
      return store.get(key);
    };
    const mine = async (): Promise<number> =>
      (await owned('SELECT 1 AS one FROM events WHERE account_id = $1::uuid', [accountId])).length;
    expect(await keepOn(60, { recordsDays: 40 }, { packer, store: { ...store, get } })).toEqual([]);
    expect(await mine()).toBe(1);
    await ensurePartitions(sql(), new Date(startMs));
    expect(await keepOn(60, { recordsDays: 40 })).toEqual([]);
    expect(await mine()).toBe(0);
  });

  it('applies retention to a part that is restored after the weeks of the log were looked up', async () => {
    await fill();
    expect(await archive()).toBe('archived');
    let isRestored = false;
    const inForce = {
      read: async () => (id: string) => {
        return id === accountId ? { holds: [], recordsDays: 40 } : undefined;
      },
    };
    const log40 = sql();
    const late: SqlRunner = {
      ...log40,
      forAccounts: log40.forAccounts.bind(log40),
      forDuty: log40.forDuty.bind(log40),
      query: log40.query.bind(log40),
      forMaintenance: () => {
        const session = log40.forMaintenance();
        return {
          ...session,
          transaction: session.transaction.bind(session),
          query: async (statement: string, ...rest: never[]) => {
            if (!isRestored && statement.includes('FROM event_weeks WHERE week = $1')) {
              isRestored = true;
              for (const part of await parts())
                await restorePart(files(), log40, part, { keepDays: 30, now: new Date(startMs) });
            }
            return session.query(statement, ...rest);
          },
        } as never;
      },
    } as never;
    const keep = (runner: SqlRunner): Promise<void> =>
      new RetentionKeeper({
        ...{ sql: runner, ledger: LEDGER, archive: files(), report: () => undefined, inForce },
        now: () => new Date(startMs + 60 * DAY_MS),
      }).keep();
    await keep(late);
    expect(isRestored).toBe(true);
    await ensurePartitions(sql(), new Date(startMs));
    await keep(sql());
    expect(await owned('SELECT 1 AS one FROM events WHERE account_id = $1::uuid', [accountId])).toEqual([]);
  });

  it('drops no event from the log if a stored object differs from what was written', async () => {
    await fill();
    const before = await rowsInLog();
    const afterStep = (step: ArchiveStep): void => {
      if (step !== 'put') return;
      const path = join(folder, objects()[0] ?? '');
      const bytes = readFileSync(path);
      bytes[bytes.length >> 1]! ^= 1;
      writeFileSync(path, bytes);
    };
    await expect(archive({ afterStep })).rejects.toThrow();
    expect(await rowsInLog()).toEqual(before);
    expect(await parts()).toEqual([]);
  });

  it('contains the latest state of events that changed while the archive read them', async () => {
    await fill();
    let isFirst = true;
    const afterStep = async (step: ArchiveStep): Promise<void> => {
      if (step !== 'written' || !isFirst) return;
      isFirst = false;
      await owned(`UPDATE events SET payload = NULL WHERE account_id = $1::uuid AND id < $2::uuid`, [
        accountId,
        week.to,
      ]);
      await log.store(log.eventOn(0.001));
    };
    expect(await archive({ afterStep })).toBe('archived');
    await restoreAll();
    const rows = await owned<{ payload: string | null }>(
      'SELECT payload::text AS payload FROM events WHERE account_id = $1::uuid AND environment = $2 ORDER BY id',
      [accountId, 'production'],
    );
    expect(rows.filter(({ payload }) => payload !== null)).toHaveLength(1);
    expect(rows).toHaveLength(9);
  });

  it('stores late events of an archived week in a part of their own', async () => {
    await fill();
    await archive();
    await log.store(log.eventOn(0.25));
    expect(await rowsInLog()).toHaveLength(1);
    await ensurePartitions(sql(), new Date(startMs));
    expect(await archive()).toBe('archived');
    expect((await parts()).reduce((sum, { events }) => sum + events, 0)).toBe(11);
  });

  it('leaves a restored week in the log for the requested days', async () => {
    await log.store(log.eventOn(0));
    await archive();
    await restoreAll();
    const due = async () =>
      (await dueWeeks(sql(), { afterMs: 0, nowMs: startMs + 60 * DAY_MS })).some(({ table }) => table === week.table);
    expect(await due()).toBe(false);
    await owned(`UPDATE archive_parts SET keep_until = now() - interval '1 day' WHERE state = 'restored'`);
    expect(await due()).toBe(true);
    expect(await archive()).toBe('archived');
    expect(await parts('restored')).toEqual([]);
  });

  it('keeps the marks of an archived event and the stored answer for its id', async () => {
    const event = await log.store(log.eventOn(0));
    await owned(
      `INSERT INTO accounts (id, status, created_at) VALUES ($1::uuid, 'active', now()) ON CONFLICT DO NOTHING`,
      [accountId],
    );
    await owned(
      `INSERT INTO event_marks (account_id, call_id, rule, event_id, id, environment, app_id, mark, owner_kind, at)
       VALUES ($1::uuid, $2::uuid, 'a.b', $2::uuid, gen_random_uuid(), 'production', $3::uuid, 'wrong', 'person', now())`,
      [accountId, event.id, event.appId],
    );
    const answer = () => new StoredAnswers(sql()).find({ ...event, eventId: event.eventId });
    const before = await answer();
    expect(before).not.toBeNull();
    await archive();
    expect(await answer()).toEqual(before);
    expect(await new EventLog(sql()).append(appendRequest(event))).toMatchObject({ outcome: 'duplicate' });
    await deleteMarks(sql());
    expect(await owned('SELECT 1 AS one FROM event_marks WHERE account_id = $1::uuid', [accountId])).toHaveLength(1);
  });

  it('leaves the audit of budgets exact, which still reports an event that is in neither', async () => {
    const { id: eventId, appId } = await log.store(log.eventOn(0, { type: 'ai.response', costNanoUsd: '7' }));
    const environment = 'production' as const;
    const period = await openPeriod(sql().forAccounts(accountId), {
      ...{ accountId, environment, budget: 'daily', unit: 'usd', per: 'day', timezone: 'UTC', scope: accountId },
      ...{ scopeLabel: {}, nowMs: startMs, startMs, endMs: startMs + DAY_MS },
      ...{ limit: 9n, warnAt: [], onExceed: 'record' },
    });
    const charges = [{ periodId: period.id, actual: 7n }];
    await sql()
      .forAccounts(accountId)
      .transaction((transaction) =>
        applySteps(transaction, [{ do: 'settle', accountId, eventId, appId, environment, usd: 7n, charges }]),
      );
    const audit = () => new BudgetReader(sql(), {} as PolicyStore, {} as DatabaseClock).audit(accountId);
    const before = await audit();
    expect(before).toMatchObject({ exact: true, data: [{ usage: '0.000000007', missing_events: 0 }] });
    expect(await archive()).toBe('archived');
    expect(await audit()).toEqual(before);
    await owned('DELETE FROM archive_parts WHERE account_id = $1::uuid', [accountId]);
    expect(await audit()).toMatchObject({ exact: false, data: [{ exact: false, missing_events: 1 }] });
  });

  it('removes texts, and later whole records, when their retention ends, unless they are under a legal hold', async () => {
    const [plain, held] = [await log.store(log.eventOn(0)), await log.store(log.eventOn(0.1, { sessionId: 'held' }))];
    await archive();
    const hold = { id: 'LH-1', match: { session: 'held' }, because: 'a lawsuit', untilMs: startMs + 5_000 * DAY_MS };
    expect(await keepOn(60, { contentDays: 30, holds: [hold] })).toEqual([]);
    const payloads = async () => {
      const [part] = await parts();
      const { rows } = await packer.unpack(readFileSync(join(folder, part?.key ?? '')), accountId);
      const column = (name: string) => rows.values[rows.columns.indexOf(name)];
      return Object.fromEntries((column('id') ?? []).map((id, row) => [id, column('payload')?.[row] !== null]));
    };
    expect(await payloads()).toEqual({ [plain.id]: false, [held.id]: true });
    expect(await keepOn(200, { recordsDays: 100, holds: [hold] })).toEqual([]);
    expect(await payloads()).toEqual({ [held.id]: true });
    expect(await keepOn(6_000, { recordsDays: 100, holds: [hold] })).toEqual([]);
    expect(await parts()).toEqual([]);
    await tidyArchive(files(), sql());
    expect(objects()).toEqual([]);
  });

  it('counts each held event of a week once, whether it is in the archive or was stored late in the log', async () => {
    await log.store(log.eventOn(0, { sessionId: 'held' }));
    await log.store(log.eventOn(0.1));
    await archive();
    await log.store(log.eventOn(0.2, { sessionId: 'held' }));
    await ensurePartitions(sql(), new Date(startMs));
    const hold = { id: 'LH-1', match: { session: 'held' }, because: 'a lawsuit', untilMs: startMs + 5_000 * DAY_MS };
    for (let run = 1; run <= 2; run++) {
      expect(await keepOn(60, { contentDays: 30, holds: [hold] })).toEqual([]);
      const counted = await owned(
        'SELECT held::integer AS held FROM event_weeks WHERE account_id = $1::uuid AND week = $2',
        [accountId, week.table],
      );
      expect(counted).toEqual([{ held: 2 }]);
    }
  });

  it('reports that nothing is deleted while it cannot be reached', async () => {
    await log.store(log.eventOn(0));
    await archive();
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'no directory');
    expect(await keepOn(60, { recordsDays: 30 })).toEqual([
      expect.stringContaining('they are kept until the next attempt'),
    ]);
    expect(await parts()).toHaveLength(1);
  });

  it('deletes the unfinished file of a crashed write together with its object', async () => {
    const key = 'a/b/part.parquet';
    await files().store.put(key, Buffer.from('whole'));
    writeFileSync(join(folder, 'a/b/.unfinished-part.parquet'), 'half');
    await files().store.delete(key);
    expect(objects()).toEqual([]);
  });

  it('skips a week that another server has already archived', async () => {
    await fill();
    expect(await archive()).toBe('archived');
    expect(await archive()).toBe('nothing');
    expect(await parts()).toHaveLength(5);
  });

  it('removes the texts of restored events whose retention ended while the archive could not be reached', async () => {
    const event = await log.store(log.eventOn(0));
    await archive();
    const late = await log.store(log.eventOn(0.1));
    await ensurePartitions(sql(), new Date(startMs));
    const [part] = await parts();
    const away = `${join(folder, part?.key ?? '')}.away`;
    renameSync(join(folder, part?.key ?? ''), away);
    expect(await keepOn(60, { contentDays: 30 })).toHaveLength(1);
    renameSync(away, join(folder, part?.key ?? ''));
    await restoreAll();
    expect(await keepOn(61, { contentDays: 30 })).toEqual([]);
    const left = await owned<{ id: string }>(
      'SELECT id::text AS id FROM events WHERE account_id = $1::uuid AND id IN ($2::uuid, $3::uuid) AND payload IS NOT NULL',
      [accountId, event.id, late.id],
    );
    expect(left).toEqual([]);
  });

  it('reports damaged, missing and unknown objects', async () => {
    await log.store(log.eventOn(0));
    await archive();
    const [part] = await parts();
    const path = join(folder, part?.key ?? '');
    writeFileSync(join(folder, 'stranger.parquet'), 'x');
    expect(await unknownObjects(files(), sql())).toEqual(['stranger.parquet']);
    const bytes = readFileSync(path);
    bytes[100]! ^= 1;
    writeFileSync(path, bytes);
    expect(await problemOf(files(), part!)).toContain('differs from the archived one');
    writeFileSync(path, bytes.subarray(0, 100));
    expect(await problemOf(files(), part!)).toContain('differs from the archived one');
    rmSync(path);
    expect(await problemOf(files(), part!)).toContain('is missing');
  });
});
