/** Scheduled exports below HTTP: when one is created, what its file contains, and what stops it. */
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import type { ActingManager } from '../../src/access/index.js';
import { AdminAudit } from '../../src/admin-audit/index.js';
import { EventLog } from '../../src/events/event-log.js';
import { EventReader } from '../../src/events/reading/event-reader.js';
import { ParquetPacker } from '../../src/events/reading/parquet-packer.js';
import { ExportExpiry } from '../../src/exports/export-expiry.js';
import { ExportJobs } from '../../src/exports/export-jobs.js';
import { MAX_OPEN } from '../../src/exports/new-export.js';
import { ExportPauses } from '../../src/exports/pause-export.js';
import { runExport } from '../../src/exports/run-export.js';
import { ExportSchedules, MAX_SCHEDULES } from '../../src/exports/schedules/export-schedules.js';
import type { ExportSchedule, ScheduleFields } from '../../src/exports/schedules/schedule.js';
import { eachDatabase } from '../support/each-database.js';
import { appendRequest, newEvent } from '../support/events.js';

const DAY_MS = 86_400_000;
/** The first of some days in the past. */
const FIRST = (Math.floor(Date.now() / DAY_MS) - 6) * DAY_MS;
const LIMITS = { keepMs: 3_600_000, storageBytes: 64 * 1024 * 1024 };
const CREDENTIALS = { access_key_id: 'AKIDEXAMPLE', secret_access_key: 'a secret' };
const day = (n: number): string => new Date(FIRST + n * DAY_MS).toISOString();

eachDatabase('an export schedule', (current) => {
  const packer = new ParquetPacker();
  const sql = () => current().database.sql;
  const audit = () => new AdminAudit(sql());
  const key = () => Promise.resolve(Buffer.alloc(32));
  const jobs = () => new ExportJobs(sql(), audit(), LIMITS, key);
  const schedules = (on = sql()) => new ExportSchedules(on, new AdminAudit(on), key);
  const expiry = () => new ExportExpiry(sql(), { abort: () => undefined });
  const never = new AbortController().signal;
  const order = { format: 'jsonl', filters: {}, bom: false, destination: { kind: 'download' } } as const;
  const daily: ScheduleFields = { name: 'daily', due: { every: 'day', hour: 0 }, order };

  /** An account with a token that creates the schedules. */
  const account = async (): Promise<{ manager: ActingManager; token: string; appId: string }> => {
    const [accountId, appId] = [randomUUID(), randomUUID()];
    const token = randomUUID().replaceAll('-', '').slice(0, 12);
    await sql().query(`INSERT INTO accounts (id, status, created_at) VALUES ($1::uuid, 'active', now())`, [accountId]);
    await sql().query(`INSERT INTO apps (account_id, id, name, created_at) VALUES ($1::uuid, $2::uuid, 'a', now())`, [
      accountId,
      appId,
    ]);
    await sql().query(
      `INSERT INTO management_tokens (account_id, id, token_id, name, scopes, secret_sha256, created_at)
       VALUES ($1::uuid, $2::uuid, $3, 'the maker', '{events:read}', decode(repeat('00', 32), 'hex'), now())`,
      [accountId, randomUUID(), token],
    );
    const actor = { kind: 'token' as const, id: token, address: null, userAgent: null };
    return { manager: { accountId, scopes: ['events:read'], actor }, token, appId };
  };
  /** A daily schedule whose first file begins at the first day. */
  const ofDaysAgo = async (manager: ActingManager, fields = daily): Promise<string> => {
    const made = (await schedules().create(manager, fields)) as ExportSchedule;
    await sql()
      .forAccounts(manager.accountId)
      .query(
        'UPDATE export_schedules SET covered_to = $2::timestamptz, next_at = $3::timestamptz WHERE id = $1::uuid',
        [made.id, day(0), day(1)],
      );
    return made.id;
  };
  const store = async ({ manager: { accountId }, appId }: Awaited<ReturnType<typeof account>>, at: string) => {
    const event = newEvent({ accountId, appId, receivedAt: new Date(at) });
    await new EventLog(sql()).append(appendRequest(event));
    return event.id;
  };
  const run = async ({ accountId }: ActingManager) => {
    await schedules().startDue(accountId);
    const job = await jobs().claim(accountId);
    if (job === null) throw new Error('nothing is due');
    return job;
  };
  const done = async (manager: ActingManager) => {
    const job = await run(manager);
    await runExport(job, { jobs: jobs(), reader: new EventReader(sql()), packer }, never);
    return (await jobs().find(manager, job.id))!;
  };
  const idsIn = async ({ accountId }: ActingManager, id: string): Promise<string[]> => {
    const unpacked: Buffer[] = [];
    for await (const part of jobs().contents(accountId, id)) unpacked.push(await promisify(inflateRaw)(part));
    const lines = Buffer.concat(unpacked).toString().split('\n').slice(0, -1);
    return lines.map((line) => (JSON.parse(line) as { id: string }).id);
  };
  const actionsOf = async ({ accountId }: ActingManager, subject: string) =>
    (await audit().list(accountId, { subjects: [subject], limit: 50 })).map(({ action, actorKind }) => [
      action,
      actorKind,
    ]);
  afterAll(() => packer.close());

  it('writes each event to exactly one file: each file begins where the previous one ends', async () => {
    const { manager, ...more } = await account();
    const id = await ofDaysAgo(manager);
    const last = (n: number): string => new Date(Date.parse(day(n)) - 1).toISOString();
    const times = [last(0), day(0), last(1), day(1), last(2), day(2), last(3), day(3)];
    const stored: string[] = [];
    for (const at of times) stored.push(await store({ manager, ...more }, at));
    const files = [await done(manager), await done(manager), await done(manager)];
    expect(files.map(({ filters }) => filters)).toEqual([1, 2, 3].map((n) => ({ from: day(n - 1), to: day(n) })));
    const held = await Promise.all(files.map((file) => idsIn(manager, file.id)));
    expect(held.map((ids) => ids.toSorted())).toEqual(
      [stored.slice(1, 3), stored.slice(3, 5), stored.slice(5, 7)].map((ids) => ids.toSorted()),
    );
    expect(await schedules().find(manager, id)).toMatchObject({
      ...{ coveredTo: new Date(day(3)), nextAt: new Date(day(4)) },
      lastRun: { id: files[2]!.id, state: 'done', dueAt: new Date(day(3)) },
    });
    expect((await jobs().list(manager, id)).map((job) => job.id)).toEqual(files.map((file) => file.id).toReversed());
    expect(await actionsOf(manager, files[0]!.id)).toEqual([['export.created', 'system']]);
  });

  it('creates one export each time it is due, even if several replicas look at the same time', async () => {
    const { manager } = await account();
    const id = await ofDaysAgo(manager);
    const other = await current().openAnother();
    await Promise.all([sql(), other.sql, sql(), other.sql].map((each) => schedules(each).startDue(manager.accountId)));
    expect(await jobs().list(manager, id)).toMatchObject([{ schedule: { dueAt: new Date(day(1)) } }]);
    if (other !== current().database) await other.close();
  });

  it('cannot export again a period that a file already covers', async () => {
    const { manager } = await account();
    const id = await ofDaysAgo(manager);
    await done(manager);
    await sql()
      .forAccounts(manager.accountId)
      .query(
        'UPDATE export_schedules SET covered_to = $2::timestamptz, next_at = $3::timestamptz WHERE id = $1::uuid',
        [...[id, day(0), day(1)]],
      );
    await expect(schedules().startDue(manager.accountId)).rejects.toThrow();
    expect(await jobs().list(manager, id)).toHaveLength(1);
  });

  it('reports a failed run, and writes its events to the next file', async () => {
    const owned = await account();
    const { manager } = owned;
    const id = await ofDaysAgo(manager);
    const stored = [await store(owned, day(0)), await store(owned, day(1))];
    await jobs().fail(await run(manager), 'The bucket answered 403');
    expect(await schedules().find(manager, id)).toMatchObject({
      ...{ coveredTo: new Date(day(0)), lastRun: { state: 'failed', error: 'The bucket answered 403' } },
    });
    const next = await done(manager);
    expect(next.filters).toEqual({ from: day(0), to: day(2) });
    expect((await idsIn(manager, next.id)).toSorted()).toEqual(stored.toSorted());
    expect((await jobs().list(manager, id)).map(({ state }) => state)).toEqual(['done', 'failed']);
  });

  it('does not resume a failed run, because the next file contains its events', async () => {
    const { manager } = await account();
    await ofDaysAgo(manager);
    const job = await run(manager);
    const content = Buffer.from('part');
    await jobs().addPart(job, 0, { content, about: content, rows: 1, bytes: 4, cursor: 'cursor', hash: 'hash' });
    await jobs().fail(job, 'The disk is full', true);
    await new ExportPauses(sql(), audit()).set(manager, job.id, false, manager.actor);
    expect(await jobs().find(manager, job.id)).toMatchObject({ state: 'failed', isResumable: false });
    expect((await done(manager)).filters).toEqual({ from: day(0), to: day(2) });
  });

  it('writes the events of a cancelled run to the next file', async () => {
    const { manager } = await account();
    await ofDaysAgo(manager);
    await jobs().remove(manager, (await run(manager)).id, manager.actor);
    expect((await done(manager)).filters).toEqual({ from: day(0), to: day(2) });
  });

  it('does not repeat the events of a deleted file', async () => {
    const { manager } = await account();
    await ofDaysAgo(manager);
    await jobs().remove(manager, (await done(manager)).id, manager.actor);
    expect((await done(manager)).filters).toEqual({ from: day(1), to: day(2) });
  });

  it('starts no run before the previous one has ended', async () => {
    const { manager } = await account();
    const id = await ofDaysAgo(manager);
    await run(manager);
    await schedules().startDue(manager.accountId);
    expect(await jobs().list(manager, id)).toHaveLength(1);
  });

  it('reports the number of events that were stored after their file was written', async () => {
    const owned = await account();
    const { manager } = owned;
    await ofDaysAgo(manager);
    await store(owned, day(0));
    const { id } = await done(manager);
    expect((await jobs().find(manager, id))?.schedule?.lateRows).toBeNull();
    await store(owned, day(0));
    await store(owned, day(0));
    await done(manager);
    expect(await jobs().find(manager, id)).toMatchObject({ rows: 1, schedule: { lateRows: 2 } });
  });

  it('includes the events received during a pause in the next file', async () => {
    const { manager } = await account();
    const id = await ofDaysAgo(manager);
    await schedules().change(manager, id, { isPaused: true });
    await schedules().startDue(manager.accountId);
    expect(await jobs().list(manager, id)).toEqual([]);
    const resumed = await schedules().change(manager, id, { isPaused: false });
    expect(resumed!.coveredTo).toEqual(new Date(day(0)));
    expect(resumed!.nextAt.getTime()).toBeGreaterThan(Date.now());
  });

  it('continues after its last file if its interval is changed', async () => {
    const { manager } = await account();
    const id = await ofDaysAgo(manager);
    await done(manager);
    const changed = await schedules().change(manager, id, { due: { every: 'month', day: 1, hour: 3 } });
    expect(changed!.coveredTo).toEqual(new Date(day(1)));
    expect(changed!.nextAt.getTime()).toBeGreaterThan(Date.now());
    expect([changed!.nextAt.getUTCDate(), changed!.nextAt.getUTCHours()]).toEqual([1, 3]);
  });

  it('is paused and reports a problem if its owner loses access, and then belongs to the actor that resumes it', async () => {
    const { manager, token } = await account();
    const id = await ofDaysAgo(manager);
    await sql().query('UPDATE management_tokens SET deleted_at = now() WHERE token_id = $1', [token]);
    await schedules().startDue(manager.accountId);
    expect(await jobs().list(manager, id)).toEqual([]);
    expect(await schedules().find(manager, id)).toMatchObject({
      ...{ isPaused: true, problem: expect.stringContaining('access') as string },
    });
    expect((await actionsOf(manager, id))[0]).toEqual(['export.schedule_changed', 'system']);
    const { manager: other } = await account();
    await sql().query('UPDATE management_tokens SET account_id = $1::uuid WHERE token_id = $2', [
      manager.accountId,
      other.actor.id,
    ]);
    const resumed = await schedules().change({ ...manager, actor: other.actor }, id, { isPaused: false });
    expect(resumed).toMatchObject({ isPaused: false, problem: null, by: { id: other.actor.id, name: 'the maker' } });
  });

  it('exports nothing of a closed account', async () => {
    const { manager } = await account();
    const id = await ofDaysAgo(manager);
    await sql().query(`UPDATE accounts SET status = 'closed' WHERE id = $1::uuid`, [manager.accountId]);
    await schedules().startDue(manager.accountId);
    expect(await jobs().list(manager, id)).toEqual([]);
  });

  it('starts no run while the queue of the account is full', async () => {
    const { manager } = await account();
    const id = await ofDaysAgo(manager);
    for (let count = 0; count < MAX_OPEN; count++) await jobs().create(manager, order, manager.actor);
    await schedules().startDue(manager.accountId);
    expect(await jobs().list(manager, id)).toEqual([]);
    const [first] = await jobs().list(manager);
    await jobs().remove(manager, first!.id, manager.actor);
    await schedules().startDue(manager.accountId);
    expect(await jobs().list(manager, id)).toHaveLength(1);
  });

  it('stores the credentials of its bucket encrypted, uses them in each run, and loses them when it is deleted', async () => {
    const { manager } = await account();
    const destination = { kind: 's3', bucket: 'b', region: 'r', prefix: '', accessKeyEnds: 'MPLE' } as const;
    const fields = { ...daily, order: { ...order, destination } };
    const made = (await schedules().create(manager, fields, CREDENTIALS)) as ExportSchedule;
    await sql()
      .forAccounts(manager.accountId)
      .query(
        'UPDATE export_schedules SET covered_to = $2::timestamptz, next_at = $3::timestamptz WHERE id = $1::uuid',
        [made.id, day(0), day(1)],
      );
    const stored = () =>
      sql()
        .forAccounts(manager.accountId)
        .query<{ text: string }>(
          `SELECT encode(credentials, 'escape') AS text FROM export_schedules WHERE credentials IS NOT NULL
           UNION ALL SELECT encode(credentials, 'escape') FROM exports WHERE credentials IS NOT NULL`,
        );
    expect(JSON.stringify(await stored())).not.toContain(CREDENTIALS.secret_access_key);
    const job = await run(manager);
    expect(job.credentials).toEqual(CREDENTIALS);
    expect(await schedules().remove(manager, made.id, manager.actor)).toEqual({ ended: job.id });
    expect(await stored()).toEqual([]);
    expect(await jobs().find(manager, job.id)).toMatchObject({ state: 'cancelled' });
    const log = JSON.stringify(await audit().list(manager.accountId, { limit: 50 }));
    expect(log).not.toContain(CREDENTIALS.secret_access_key);
  });

  it('is refused if the account has the maximum number of schedules', async () => {
    const { manager } = await account();
    for (let count = 0; count < MAX_SCHEDULES; count++) {
      expect(await schedules().create(manager, daily)).not.toBe('too_many');
    }
    expect(await schedules().create(manager, daily)).toBe('too_many');
  });

  it('keeps its history longer than the list of exports, until it is deleted', async () => {
    const { manager } = await account();
    const id = await ofDaysAgo(manager);
    const { id: export_ } = await done(manager);
    await sql()
      .forAccounts(manager.accountId)
      .query(`UPDATE exports SET created_at = now() - interval '90 days' WHERE id = $1::uuid`, [export_]);
    await expiry().expire(manager.accountId);
    expect(await jobs().list(manager, id)).toHaveLength(1);
    await schedules().remove(manager, id, manager.actor);
    await expiry().expire(manager.accountId);
    expect(await jobs().find(manager, export_)).toBeNull();
  });

  it('is invisible to other accounts, and to a token of another environment', async () => {
    const { manager } = await account();
    const id = await ofDaysAgo(manager);
    const { manager: other } = await account();
    expect(await schedules().find(other, id)).toBeNull();
    expect(await schedules().find({ ...manager, environment: 'staging' }, id)).toBeNull();
    expect(await schedules().change(other, id, { isPaused: true })).toBeNull();
    expect(await schedules().remove(other, id, other.actor)).toBe(false);
    expect(await sql().forAccounts(other.accountId).query('SELECT 1 AS one FROM export_schedules')).toEqual([]);
  });
});
