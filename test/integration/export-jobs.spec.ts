/** Export jobs below HTTP: leases, crashes and the deletion of files. */
import { createHash, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { inflateRaw } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { AdminAudit, actorWithoutRequest } from '../../src/admin-audit/index.js';
import { EventLogUnavailable } from '../../src/events/event-log-errors.js';
import { EventLog } from '../../src/events/event-log.js';
import { EventReader, MAX_LIMIT } from '../../src/events/reading/event-reader.js';
import { ParquetPacker } from '../../src/events/reading/parquet-packer.js';
import { ExportRefused, ExportTaken } from '../../src/exports/export-errors.js';
import { ExportExpiry } from '../../src/exports/export-expiry.js';
import type { ExportOrder } from '../../src/exports/export-job.js';
import { ExportJobs } from '../../src/exports/export-jobs.js';
import { MAX_OPEN } from '../../src/exports/new-export.js';
import { ExportPauses } from '../../src/exports/pause-export.js';
import { runExport } from '../../src/exports/run-export.js';
import { eachDatabase } from '../support/each-database.js';
import { appendRequest, newEvent } from '../support/events.js';
import { rowsOfParquet } from '../support/parquet.js';

const EVENTS = 1_250;
const FORMATS = ['jsonl', 'csv', 'parquet'] as const;
const ACTOR = actorWithoutRequest('operator');
const LIMITS = { keepMs: 3_600_000, storageBytes: 64 * 1024 * 1024 };

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

eachDatabase('an export job', (current) => {
  const packer = new ParquetPacker();
  const accountId = randomUUID();
  const sql = () => current().database.sql;
  const jobsWith = (limits = LIMITS) =>
    new ExportJobs(sql(), new AdminAudit(sql()), limits, () => Promise.resolve(Buffer.alloc(32)));
  const parts = () => ({
    ...{ jobs: jobsWith(), reader: new EventReader(sql()), packer },
    ...{ partBytes: 10_000, groupRows: 300 },
  });
  const order = (format: ExportOrder['format'], filters = {}): ExportOrder => {
    return { format, filters, bom: false, destination: { kind: 'download' } };
  };
  const create = (format: ExportOrder['format'], filters = {}) =>
    jobsWith().create({ accountId }, order(format, filters), ACTOR);
  const never = new AbortController().signal;
  const fileOf = async (id: string): Promise<Buffer> => {
    const unpacked: Buffer[] = [];
    for await (const part of jobsWith().contents(accountId, id)) {
      unpacked.push(await promisify(inflateRaw)(part));
    }
    return Buffer.concat(unpacked);
  };
  const pausing = () => new ExportPauses(sql(), new AdminAudit(sql()));
  const lapse = (id: string) =>
    sql()
      .forAccounts(accountId)
      .query(`UPDATE exports SET lease_until = now() - interval '1 second' WHERE id = $1::uuid`, [id]);
  const claimed = async () => {
    const job = await jobsWith().claim(accountId);
    if (job === null) throw new Error('there is nothing to be claimed');
    return job;
  };
  const finished = async (format: ExportOrder['format'], filters = {}) => {
    const { id } = await create(format, filters);
    await runExport(await claimed(), parts(), never);
    return (await jobsWith().find({ accountId }, id))!;
  };
  const failedAfterTwoParts = async (format: ExportOrder['format']) => {
    const { id } = await create(format);
    const from = parts();
    const addPart = from.jobs.addPart.bind(from.jobs);
    let added = 0;
    from.jobs.addPart = async (...rest) => {
      if (++added > 2) throw new Error('the disk is full');
      await addPart(...rest);
    };
    const job = await claimed();
    await expect(runExport(job, from, never)).rejects.toThrow('the disk is full');
    await jobsWith().fail(job, 'The service could not write the file', true);
    const failed = (await jobsWith().find({ accountId }, id))!;
    expect(failed).toMatchObject({ state: 'failed', isResumable: true, hasFile: false });
    return failed;
  };

  beforeAll(async () => {
    const appId = randomUUID();
    await sql().query(`INSERT INTO accounts (id, status, created_at) VALUES ($1::uuid, 'active', now())`, [accountId]);
    await sql().query(`INSERT INTO apps (account_id, id, name, created_at) VALUES ($1::uuid, $2::uuid, 'a', now())`, [
      accountId,
      appId,
    ]);
    const log = new EventLog(sql());
    const events = Array.from({ length: EVENTS }, (_, n) =>
      newEvent({
        ...{ accountId, appId, model: n % 3 === 0 ? '=cmd' : 'gpt-4o', costNanoUsd: String(n * 1_000_003) },
        ...{ payload: JSON.stringify({ text: `"line ${n}"\r\n,é` }), usage: { promptTokens: n, completionTokens: 1 } },
      }),
    );
    await Promise.all(events.map((event) => log.append(appendRequest(event))));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }, 60_000);
  afterEach(async () => {
    for (const { id } of await jobsWith().list({ accountId })) {
      while (await jobsWith().remove({ accountId }, id, ACTOR)) continue;
    }
  });
  afterAll(() => packer.close());

  it.each(FORMATS)('reports the size and SHA-256 of its file: %s', async (format) => {
    const job = await finished(format);
    const file = await fileOf(job.id);
    expect(job).toMatchObject({ state: 'done', rows: EVENTS, rowsExpected: EVENTS, bytes: file.length, hasFile: true });
    expect(job.sha256).toBe(createHash('sha256').update(file).digest('hex'));
  });

  it('writes CSV and Parquet files whose sums are those of the log', async () => {
    const table = parse(await fileOf((await finished('csv')).id), { columns: true }) as Record<string, string>[];
    const cost = table.reduce((sum, row) => sum + BigInt(row['cost_nano_usd']!), 0n);
    const tokens = table.reduce((sum, row) => sum + Number(row['prompt_tokens']), 0);
    const count = (EVENTS * (EVENTS - 1)) / 2;
    expect([table.length, cost, tokens]).toEqual([EVENTS, BigInt(count) * 1_000_003n, count]);
    const parquet = await fileOf((await finished('parquet')).id);
    const query = 'SELECT count(*)::integer, sum(cost_nano_usd)::text, sum(prompt_tokens)::integer FROM events';
    expect(await rowsOfParquet(parquet, query)).toEqual([[EVENTS, String(cost), count]]);
  });

  it.each(FORMATS)('writes the same file after crashes as in one run: %s', async (format) => {
    const { sha256 } = await finished(format);
    const { id } = await create(format);
    let runs = 0;
    for (let isDone = false; !isDone; runs++) {
      const from = parts();
      let added = 0;
      // The run fails at its third part, which is therefore not committed.
      const addPart = from.jobs.addPart.bind(from.jobs);
      from.jobs.addPart = async (...rest) => {
        if (++added > 2) throw new Error('killed');
        await addPart(...rest);
      };
      isDone = await runExport(await claimed(), from, never).then(
        () => true,
        () => false,
      );
      if (!isDone) await lapse(id);
    }
    expect(runs).toBeGreaterThan(1);
    expect(await jobsWith().find({ accountId }, id)).toMatchObject({ state: 'done', rows: EVENTS, sha256 });
    expect(
      createHash('sha256')
        .update(await fileOf(id))
        .digest('hex'),
    ).toBe(sha256);
  });

  it('contains no events received after it was created', async () => {
    const { id } = await create('jsonl');
    const later = newEvent({ accountId, appId: randomUUID(), receivedAt: new Date(Date.now() + 3_600_000) });
    await new EventLog(sql()).append(appendRequest(later));
    await runExport(await claimed(), parts(), never);
    expect((await jobsWith().find({ accountId }, id))?.rows).toBe(EVENTS);
  });

  it('belongs to one process until its lease ends; then another process continues, and the first one fails', async () => {
    const { id } = await create('jsonl');
    const first = await claimed();
    expect(await jobsWith().claim(accountId)).toBeNull();
    await lapse(id);
    const second = await claimed();
    expect(second.id).toBe(id);
    await expect(runExport(first, parts(), never)).rejects.toBeInstanceOf(ExportTaken);
    await runExport(second, parts(), never);
    expect(await jobsWith().find({ accountId }, id)).toMatchObject({ state: 'done', rows: EVENTS });
  });

  it.each(FORMATS)('writes the same file in one run, and when it was resumed after a failure: %s', async (format) => {
    const { sha256 } = await finished(format);
    const { id, rows } = await failedAfterTwoParts(format);
    expect(rows).toBeGreaterThan(0);
    expect(await jobsWith().claim(accountId)).toBeNull();
    await pausing().set({ accountId: randomUUID() }, id, false, ACTOR);
    expect(await jobsWith().claim(accountId)).toBeNull();
    await pausing().set({ accountId }, id, false, ACTOR);
    await runExport(await claimed(), parts(), never);
    const done = await jobsWith().find({ accountId }, id);
    expect(done).toMatchObject({ state: 'done', error: null, rows: EVENTS, sha256 });
  });

  it('is not resumed while the queue is full', async () => {
    const { id } = await failedAfterTwoParts('jsonl');
    for (let count = 0; count < MAX_OPEN; count++) await create('jsonl');
    await expect(pausing().set({ accountId }, id, false, ACTOR)).rejects.toBeInstanceOf(ExportRefused);
    expect(await jobsWith().find({ accountId }, id)).toMatchObject({ state: 'failed', isResumable: true });
  });

  it('waits if two jobs of the account are running, and is refused if the queue is full', async () => {
    for (let count = 0; count < MAX_OPEN; count++) await create('jsonl');
    await expect(create('jsonl')).rejects.toBeInstanceOf(ExportRefused);
    expect([await jobsWith().claim(accountId), await jobsWith().claim(accountId)]).not.toContain(null);
    expect(await jobsWith().claim(accountId)).toBeNull();
  });

  it('makes no progress while it is paused, and later writes the same file as in one run', async () => {
    const { sha256 } = await finished('csv');
    const { id } = await create('csv');
    const pauses = pausing();
    const from = parts();
    const addPart = from.jobs.addPart.bind(from.jobs);
    from.jobs.addPart = async (...rest) => {
      await addPart(...rest);
      await pauses.set({ accountId }, id, true, ACTOR);
    };
    await expect(runExport(await claimed(), from, never)).rejects.toThrow(ExportTaken);
    const paused = await jobsWith().find({ accountId }, id);
    expect(paused?.state).toBe('paused');
    expect(paused?.rows).toBeGreaterThan(0);
    expect(await jobsWith().claim(accountId)).toBeNull();
    expect(await jobsWith().accountsWithWork()).not.toContain(accountId);
    await pauses.set({ accountId: randomUUID() }, id, false, ACTOR);
    expect(await jobsWith().claim(accountId)).toBeNull();
    await pauses.set({ accountId }, id, false, ACTOR);
    expect(await jobsWith().accountsWithWork()).toContain(accountId);
    await runExport(await claimed(), parts(), never);
    expect(await jobsWith().find({ accountId }, id)).toMatchObject({ state: 'done', rows: EVENTS, sha256 });
  });

  it.each(FORMATS)('keeps at most two pages of events in memory: %s', async (format) => {
    await create(format);
    const from = parts();
    const read: WeakRef<object>[] = [];
    const list = from.reader.list.bind(from.reader);
    from.reader.list = async (...rest) => {
      const page = await list(...rest);
      read.push(...page.data.map((event) => new WeakRef<object>(event)));
      return page;
    };
    const held: number[] = [];
    const addPart = from.jobs.addPart.bind(from.jobs);
    from.jobs.addPart = async (...rest) => {
      await addPart(...rest);
      collectGarbage();
      held.push(read.filter((event) => event.deref() !== undefined).length);
    };
    await runExport(await claimed(), from, never);
    expect(read.length).toBe(EVENTS);
    expect(held.length).toBeGreaterThan(2);
    expect(Math.max(...held)).toBeLessThanOrEqual(2 * MAX_LIMIT);
  });

  it('leaves no file if it is cancelled, and its process stops', async () => {
    const { id } = await create('jsonl');
    const job = await claimed();
    const from = parts();
    const addPart = from.jobs.addPart.bind(from.jobs);
    from.jobs.addPart = async (...rest) => {
      await addPart(...rest);
      await from.jobs.remove({ accountId }, id, ACTOR);
    };
    await expect(runExport(job, from, never)).rejects.toBeInstanceOf(ExportTaken);
    expect(await jobsWith().find({ accountId }, id)).toMatchObject({ state: 'cancelled', hasFile: false });
    expect(await fileOf(id)).toHaveLength(0);
  });

  it('loses its file when its retention ends, and is still listed', async () => {
    const { id } = await finished('csv');
    await sql()
      .forAccounts(accountId)
      .query(`UPDATE exports SET expires_at = now() - interval '1 second' WHERE id = $1::uuid`, [id]);
    expect(await jobsWith().accountsWithWork()).toContain(accountId);
    expect(await jobsWith().find({ accountId }, id)).toMatchObject({ hasFile: false });
    await new ExportExpiry(sql(), { abort: () => undefined }).expire(accountId);
    expect(await fileOf(id)).toHaveLength(0);
    expect(await jobsWith().find({ accountId }, id)).toMatchObject({ state: 'done', hasFile: false, rows: EVENTS });
    expect(await jobsWith().accountsWithWork()).not.toContain(accountId);
  });

  it('fails if its file would exceed the disk space for exports', async () => {
    await create('jsonl');
    const from = { ...parts(), jobs: jobsWith({ ...LIMITS, storageBytes: 10_000 }) };
    const job = await claimed();
    const refused = await runExport(job, from, never).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ExportRefused);
    await from.jobs.fail(job, (refused as Error).message);
    expect(await jobsWith().find({ accountId }, job.id)).toMatchObject({
      ...{ state: 'failed', hasFile: false, error: expect.stringContaining('size limit') as string },
    });
    expect(await fileOf(job.id)).toHaveLength(0);
  });

  it('is completed without an expected number of rows if counting takes too long', async () => {
    await create('jsonl');
    const from = parts();
    from.reader.countAll = () => Promise.reject(new EventLogUnavailable('the statement took too long'));
    const job = await claimed();
    await runExport(job, from, never);
    expect(await jobsWith().find({ accountId }, job.id)).toMatchObject({
      ...{ state: 'done', rows: EVENTS, rowsExpected: null },
    });
  });

  it('applies filters as the list of events does', async () => {
    const job = await finished('csv', { model: '=cmd' });
    const table = parse(await fileOf(job.id), { columns: true }) as Record<string, string>[];
    expect(new Set(table.map((row) => row['model']))).toEqual(new Set(["'=cmd"]));
    expect(job.rows).toBe(Math.ceil(EVENTS / 3));
  });

  it('is invisible to other accounts', async () => {
    const { id } = await finished('jsonl');
    const other = randomUUID();
    expect(await jobsWith().find({ accountId: other }, id)).toBeNull();
    expect(await sql().forAccounts(other).query('SELECT 1 AS one FROM exports')).toEqual([]);
    expect(await sql().forAccounts(other).query('SELECT 1 AS one FROM export_parts')).toEqual([]);
  });
});
