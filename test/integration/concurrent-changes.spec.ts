/** Changes of the same rows by two processes at the same moment. The embedded database has one connection, so this concerns PostgreSQL. */
import { randomUUID } from 'node:crypto';
import { ApiKeys } from '../../src/access/api-keys.js';
import { Apps } from '../../src/access/apps.js';
import { Revocations } from '../../src/access/revocations.js';
import { actorWithoutRequest, AdminAudit } from '../../src/admin-audit/index.js';
import { migrate, openDatabase, type Database, type SqlTransaction, type TenantSql } from '../../src/database/index.js';
import { eraseNames } from '../../src/erasure/erase-names.js';
import { ExportTaken } from '../../src/exports/export-errors.js';
import { ExportJobs } from '../../src/exports/export-jobs.js';
import { describeOnPostgres } from '../support/describe-on-postgres.js';
import { postgresOptions } from '../support/each-database.js';
import { TestPostgres } from '../support/postgres.js';

const ACTOR = actorWithoutRequest('operator');
const LIMITS = { keepMs: 3_600_000, storageBytes: 64 * 1024 * 1024 };
const ORDER = { format: 'jsonl', filters: {}, bom: false, destination: { kind: 'download' } } as const;
const PART = { content: Buffer.from('part'), about: Buffer.alloc(0), rows: 1, bytes: 4, cursor: 'c', hash: 'h' };

describeOnPostgres('Concurrent changes', (binaries) => {
  let postgres: TestPostgres;
  let database: Database;
  const accountId = randomUUID();
  const audit = () => new AdminAudit(database.sql);
  const revocations = () => new Revocations({ listen: () => undefined });

  /** The same database, whose transactions wait for `resume` after a statement that contains the text; `reached` resolves there. */
  function pausedAfter(text: string) {
    const [reached, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const watched = (transaction: SqlTransaction): SqlTransaction => ({
      ...transaction,
      query: async (sql, ...rest) => {
        const rows = await transaction.query(sql, ...rest);
        if (sql.includes(text)) {
          reached.resolve();
          await resumed.promise;
        }
        return rows as never;
      },
    });
    const sql: TenantSql = {
      forDuty: (duty, ...ids) => database.sql.forDuty(duty, ...ids),
      forAccounts: (...ids) => {
        const session = database.sql.forAccounts(...ids);
        return {
          ...session,
          transaction: (work, options) => session.transaction((transaction) => work(watched(transaction)), options),
        };
      },
    };
    return { sql, reached: reached.promise, resume: () => resumed.resolve() };
  }

  /** Resolves when a statement waits for the lock of another transaction. */
  async function untilOneWaits(): Promise<void> {
    for (;;) {
      const [row] = await database.sql.query<{ n: number }>(
        'SELECT count(*)::integer AS n FROM pg_locks WHERE NOT granted',
      );
      if ((row?.n ?? 0) > 0) return;
    }
  }

  const jobsOn = (sql: TenantSql) => new ExportJobs(sql, audit(), LIMITS, () => Promise.resolve(Buffer.alloc(32)));

  beforeAll(async () => {
    postgres = await TestPostgres.start(binaries);
    database = await openDatabase(postgresOptions(await postgres.newDatabase()));
    await migrate(database);
    await database.sql.query(`INSERT INTO accounts (id, status, created_at) VALUES ($1::uuid, 'active', now())`, [
      accountId,
    ]);
  }, 60_000);
  afterAll(async () => {
    await database.close();
    await postgres.stop();
  });

  it.each<[string, (id: string) => Promise<unknown>]>([
    ['cancelled', (id) => jobsOn(database.sql).remove({ accountId }, id, ACTOR)],
    [
      'emptied by an erasure',
      () =>
        database.sql.forDuty('erase', accountId).transaction((transaction) =>
          eraseNames(transaction, {
            accountId,
            selector: { metadata: { user: 'u' } },
            maskedSession: undefined,
            dryRun: false,
          }),
        ),
    ],
  ])('leave no part of an export that is %s while a process adds the part', async (_, end) => {
    const { id } = await jobsOn(database.sql).create({ accountId }, ORDER, ACTOR);
    const job = (await jobsOn(database.sql).claim(accountId))!;
    expect(job.id).toBe(id);
    const writer = pausedAfter('INSERT INTO export_parts');
    const writing = jobsOn(writer.sql).addPart(job, 0, PART);
    await writer.reached;
    const ending = end(id);
    await untilOneWaits();
    writer.resume();
    await Promise.all([writing, ending]);
    expect(await jobsOn(database.sql).find({ accountId }, id)).toMatchObject({ state: 'cancelled', hasFile: false });
    const parts = 'SELECT number FROM export_parts WHERE export_id = $1::uuid';
    expect(await database.sql.forAccounts(accountId).query(parts, [id])).toEqual([]);
    await expect(jobsOn(database.sql).addPart(job, 1, PART)).rejects.toBeInstanceOf(ExportTaken);
  });

  it('archive an app and replace one of its keys without a deadlock', async () => {
    const app = await new Apps(database, audit(), revocations()).create(accountId, 'archived', ACTOR);
    const place = { accountId, appId: app!.id };
    const keys = new ApiKeys(database, audit(), revocations());
    const made = await keys.create({ ...place, name: 'k', environment: 'production' }, ACTOR);
    const archiver = pausedAfter('UPDATE apps SET deleted_at');
    const other = Object.create(database, { sql: { value: archiver.sql } }) as Database;
    const archiving = new Apps(other, audit(), revocations()).archive(accountId, place.appId, ACTOR);
    await archiver.reached;
    const rotating = keys.rotate({ ...place, keyId: made!.key.id }, ACTOR);
    await untilOneWaits();
    archiver.resume();
    expect(await Promise.all([archiving, rotating])).toEqual([true, null]);
    const valid = 'SELECT key_id FROM api_keys WHERE app_id = $1::uuid AND deleted_at IS NULL';
    expect(await database.sql.forAccounts(accountId).query(valid, [place.appId])).toEqual([]);
  });
});
