/** What an export that is cancelled, fails or is erased leaves in its bucket. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { AdminAudit, actorWithoutRequest } from '../../src/admin-audit/index.js';
import { eraseNames } from '../../src/erasure/erase-names.js';
import { ExportExpiry } from '../../src/exports/export-expiry.js';
import type { ClaimedJob } from '../../src/exports/export-job.js';
import { ExportJobs } from '../../src/exports/export-jobs.js';
import { ExportPauses } from '../../src/exports/pause-export.js';
import { PendingUploads } from '../../src/exports/pending-uploads.js';
import { eachDatabase } from '../support/each-database.js';
import { urlOf } from '../support/ports.js';

const ACTOR = actorWithoutRequest('operator');
const LIMITS = { keepMs: 3_600_000, storageBytes: 64 * 1024 * 1024 };
const CREDENTIALS = { access_key_id: 'id', secret_access_key: 'made up for this test' };
/** A part that the bucket has stored, as the database keeps it. */
const PART = {
  ...{ content: new Uint8Array(), about: Buffer.from('about'), rows: 7, bytes: 700 },
  ...{ cursor: 'after the part', hash: 'c29tZSBzdGF0ZQ==', etag: '"etag of the part"' },
};
const ABORTED = [expect.stringMatching(/^DELETE \/bucket\/weir\/weir-events-.*\.jsonl\?uploadId=upload%201$/)];

eachDatabase('an export to a bucket', (current) => {
  const accountId = randomUUID();
  const bucket = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`);
    response.writeHead(204).end();
  });
  let calls: string[] = [];
  let endpoint = '';
  const sql = () => current().database.sql;
  const key = () => Promise.resolve(Buffer.alloc(32));
  const jobs = () => new ExportJobs(sql(), new AdminAudit(sql()), LIMITS, key);
  const uploads = () => new PendingUploads(sql(), key, [endpoint]);
  const find = (id: string) => jobs().find({ accountId }, id);
  /** Cancels or removes an export as its requester does. */
  const remove = (id: string): Promise<boolean> =>
    uploads().removing({ accountId }, [id], () => jobs().remove({ accountId }, id, ACTOR));
  const resume = (id: string) => new ExportPauses(sql(), new AdminAudit(sql())).set({ accountId }, id, false, ACTOR);
  const expire = () => new ExportExpiry(sql(), uploads()).expire(accountId);
  /** Erases a person, as the service does, whose events the exports may contain. */
  const erase = async () => {
    const job = { accountId, selector: { metadata: { user: 'u' } }, maskedSession: undefined, dryRun: false };
    const emptied = await sql()
      .forDuty('erase', accountId)
      .transaction((transaction) => eraseNames(transaction, job));
    uploads().abort(accountId, emptied.uploads);
  };
  /** An export whose run has begun an upload. */
  const begun = async (): Promise<ClaimedJob> => {
    const place = { bucket: 'bucket', prefix: 'weir/', region: 'us-east-1', endpoint, accessKeyEnds: 'id' };
    const order = { format: 'jsonl', filters: {}, bom: false, destination: { kind: 's3', ...place } } as const;
    const { id } = await jobs().create({ accountId }, order, ACTOR, CREDENTIALS);
    const job = (await jobs().claim(accountId))!;
    expect(job.id).toBe(id);
    await jobs().uploading(job, 'upload 1');
    return job;
  };
  /** An export that has given its place to another account. */
  const waiting = async (): Promise<ClaimedJob> => {
    const job = await begun();
    await jobs().release(job);
    return job;
  };
  /** An export that has failed after its first part. */
  const failed = async (): Promise<ClaimedJob> => {
    const job = await begun();
    await jobs().addPart(job, 0, PART);
    await jobs().fail(job, 'The bucket answered 503', true);
    return job;
  };
  const requested = async (work: () => Promise<unknown>): Promise<string[]> => {
    const asked = once(bucket, 'request');
    await work();
    await asked;
    return calls;
  };
  const stored = async (id: string) => {
    const [row] = await sql()
      .forAccounts(accountId)
      .query(
        `SELECT upload, (credentials IS NOT NULL) AS "hasCredentials",
           (SELECT count(*)::integer FROM export_parts p WHERE p.account_id = $1::uuid AND p.export_id = x.id) AS parts
         FROM exports x WHERE x.account_id = $1::uuid AND x.id = $2::uuid`,
        [accountId, id],
      );
    return row;
  };

  beforeAll(async () => {
    bucket.listen(0, '127.0.0.1');
    await once(bucket, 'listening');
    endpoint = urlOf(bucket);
    await sql().query(`INSERT INTO accounts (id, status, created_at) VALUES ($1::uuid, 'active', now())`, [accountId]);
  });
  beforeEach(() => {
    calls = [];
  });
  afterEach(async () => {
    for (const { id } of await jobs().list({ accountId })) {
      while (await jobs().remove({ accountId }, id, ACTOR)) continue;
    }
  });
  afterAll(() => {
    bucket.closeAllConnections();
    bucket.close();
  });

  it('that is cancelled leaves no parts of an upload that waited for its next turn', async () => {
    const { id } = await waiting();
    expect(await requested(() => remove(id))).toEqual(ABORTED);
    expect(await find(id)).toMatchObject({ state: 'cancelled' });
  });

  it('that is cancelled leaves an upload to the process that works on it, which aborts it', async () => {
    const job = await begun();
    expect(await remove(job.id)).toBe(true);
    expect(await find(job.id)).toMatchObject({ state: 'cancelled' });
    expect(calls).toEqual([]);
  });

  it('that fails keeps its upload, and is resumed after its last part', async () => {
    const { id } = await failed();
    expect(await find(id)).toMatchObject({ state: 'failed', isResumable: true, rows: 7, hasFile: false });
    expect((await find(id))!.expiresAt!.getTime()).toBeGreaterThan(Date.now());
    await resume(id);
    expect(await find(id)).toMatchObject({ state: 'queued', error: null, endedAt: null, expiresAt: null });
    expect(await jobs().claim(accountId)).toMatchObject({
      ...{ id, parts: 1, rows: 7, bytes: 700, cursor: PART.cursor, hash: PART.hash },
      ...{ upload: 'upload 1', credentials: CREDENTIALS },
    });
    expect(calls).toEqual([]);
  });

  it('that fails before its first part keeps no credentials, and cannot be resumed', async () => {
    const job = await begun();
    await jobs().fail(job, 'The bucket answered 403', true);
    await resume(job.id);
    expect(await find(job.id)).toMatchObject({ state: 'failed', isResumable: false, expiresAt: null });
    expect(await stored(job.id)).toMatchObject({ hasCredentials: false });
  });

  it('that has failed is removed together with its upload', async () => {
    const { id } = await failed();
    expect(await requested(() => remove(id))).toEqual(ABORTED);
    expect(await find(id)).toBeNull();
  });

  it('that has failed leaves no upload when it can no longer be resumed', async () => {
    const { id } = await failed();
    await expire();
    expect(await find(id)).toMatchObject({ isResumable: true });
    await sql()
      .forAccounts(accountId)
      .query(`UPDATE exports SET expires_at = now() - interval '1 second' WHERE id = $1::uuid`, [id]);
    expect(await jobs().accountsWithWork()).toContain(accountId);
    await resume(id);
    expect(await find(id)).toMatchObject({ state: 'failed', isResumable: false });
    expect(await requested(expire)).toEqual(ABORTED);
    expect(await stored(id)).toEqual({ upload: null, hasCredentials: false, parts: 0 });
    expect(await jobs().accountsWithWork()).not.toContain(accountId);
  });

  it('begins again without its parts if its upload is lost', async () => {
    const job = await begun();
    await jobs().addPart(job, 0, PART);
    await jobs().restart(job, 'The upload is lost');
    expect(await stored(job.id)).toEqual({ upload: null, hasCredentials: true, parts: 0 });
    const again = (await jobs().claim(accountId))!;
    expect(again).toMatchObject({ id: job.id, parts: 0, rows: 0, bytes: 0, hash: null, cursor: null, upload: null });
    expect(again).toMatchObject({ error: 'The upload is lost', credentials: CREDENTIALS });
    await jobs().delivered(again);
    expect(await find(job.id)).toMatchObject({ state: 'done', error: null });
  });

  it.each<[string, () => Promise<ClaimedJob>, string]>([
    ['waits for its next turn', waiting, 'cancelled'],
    ['has failed', failed, 'failed'],
  ])('that %s leaves neither parts nor an upload when a person is erased', async (_, make, state) => {
    const { id } = await make();
    expect(await requested(erase)).toEqual(ABORTED);
    expect(await find(id)).toMatchObject({ state, isResumable: false });
    expect(await stored(id)).toMatchObject({ hasCredentials: false, parts: 0 });
    await resume(id);
    expect(await find(id)).toMatchObject({ state });
  });
});
