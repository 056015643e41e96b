/** Retention of archived weeks with events under a legal hold, while other parts of these weeks are restored or deleted. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BudgetLedgerWriter } from '../../src/budgets/ledger/ledger-writer.js';
import type { SqlRunner } from '../../src/database/index.js';
import type { RetentionOf } from '../../src/deployments/index.js';
import { archiveWeek } from '../../src/events/archive/archive-week.js';
import { partsWhere } from '../../src/events/archive/catalogue.js';
import { PartPacker } from '../../src/events/archive/part-packer.js';
import { restorePart } from '../../src/events/archive/restore-part.js';
import { weekOf } from '../../src/events/partitions.js';
import { RetentionKeeper } from '../../src/events/retention/retention-keeper.js';
import { directoryStore } from '../../src/object-storage/index.js';
import { DatedLog, DAY_MS } from '../support/dated-log.js';
import { eachDatabase } from '../support/each-database.js';

const LEDGER = new BudgetLedgerWriter({ ledgerEvents: () => undefined, freed: () => undefined });
const HELD = { sessionId: 'held' };
const HOLD = { id: 'LH-1', match: { session: 'held' }, because: 'a lawsuit', untilMs: Date.UTC(2999, 0) };

eachDatabase('An archive with events under a legal hold', (current) => {
  const packer = new PartPacker();
  let accountId: string;
  let other: string;
  let startMs: number;
  let folder: string;
  beforeEach(async () => {
    ({ accountId, other, startMs } = await log.begin());
    folder = mkdtempSync(join(tmpdir(), 'weir-archive-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  afterAll(() => packer.close());

  const sql = (): SqlRunner => current().database.sql;
  const log = new DatedLog(sql, '6fe');
  const files = () => ({ store: directoryStore(folder), packer });
  const archiveDay = async (day: number): Promise<void> => {
    expect(await archiveWeek({ sql: sql(), ...files() }, weekOf(startMs + day * DAY_MS))).toBe('archived');
  };
  const keepOn = async (day: number, retentionOf: RetentionOf): Promise<void> => {
    const reports: string[] = [];
    await new RetentionKeeper({
      ...{ sql: sql(), ledger: LEDGER, archive: files(), report: (message: string) => reports.push(message) },
      inForce: { read: async () => retentionOf },
      now: () => new Date(startMs + day * DAY_MS),
    }).keep();
    expect(reports).toEqual([]);
  };
  const holding: RetentionOf = (id) =>
    [accountId, other].includes(id) ? { recordsDays: 30, holds: [HOLD] } : undefined;
  const ended: RetentionOf = (id) => ([accountId, other].includes(id) ? { recordsDays: 30, holds: [] } : undefined);
  const archived = (of = accountId) =>
    partsWhere(sql().forMaintenance(), `p.account_id = $1::uuid AND p.state = 'archived'`, [of]);
  const restore = async (environment: string): Promise<void> => {
    const [part] = (await archived()).filter((each) => each.environment === environment);
    await restorePart(files(), sql(), part!, { keepDays: 30, now: new Date(startMs) });
  };
  /** The stored number of held events in production. */
  const heldOf = async (id: string): Promise<number | undefined> => {
    const rows = await sql()
      .forMaintenance()
      .query<{ held: number }>(
        `SELECT held::integer AS held FROM event_weeks WHERE account_id = $1::uuid AND environment = 'production'`,
        [id],
      );
    return rows[0]?.held;
  };

  it('keeps the number of held events of an environment when another environment of the week is restored', async () => {
    await log.store(log.eventOn(0, HELD));
    await log.store(log.eventOn(0, { ...HELD, environment: 'staging' }));
    await archiveDay(0);
    await keepOn(60, holding);
    await restore('staging');
    await keepOn(61, holding);
    expect(await heldOf(accountId)).toBe(1);
    await keepOn(470, holding);
    await keepOn(471, ended);
    expect(await archived()).toEqual([]);
  });

  it('deletes held events after their hold, even if their deployment was unknown when others were restored', async () => {
    const isUnknown: RetentionOf = (id, environment) => (id === other ? 'unknown' : holding(id, environment));
    await log.store(log.eventOn(0, HELD));
    await log.store(log.eventOn(0, { ...HELD, accountId: other }));
    await archiveDay(0);
    await keepOn(40, holding);
    await restore('production');
    await keepOn(60, isUnknown);
    await keepOn(470, isUnknown);
    expect(await heldOf(other)).toBe(1);
    await keepOn(471, ended);
    expect(await archived(other)).toEqual([]);
  });

  it('keeps the sums of a held session when the next week is deleted', async () => {
    await log.store(log.eventOn(0, HELD));
    await log.store(log.eventOn(7, { sessionId: 'next' }));
    await archiveDay(0);
    await archiveDay(7);
    await keepOn(60, holding);
    const sessions = await sql()
      .forMaintenance()
      .query('SELECT session_id FROM session_rollups WHERE account_id = $1::uuid', [accountId]);
    expect(sessions).toEqual([{ session_id: 'held' }]);
  });
});
