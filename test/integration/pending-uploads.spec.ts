/** What the cancellation of an export leaves in its bucket. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AdminAudit, actorWithoutRequest } from '../../src/admin-audit/index.js';
import { ExportJobs } from '../../src/exports/export-jobs.js';
import { PendingUploads } from '../../src/exports/pending-uploads.js';
import { eachDatabase } from '../support/each-database.js';

const ACTOR = actorWithoutRequest('operator');
const LIMITS = { keepMs: 3_600_000, storageBytes: 64 * 1024 * 1024 };
const CREDENTIALS = { access_key_id: 'id', secret_access_key: 'made up for this test' };

eachDatabase('a cancelled export to a bucket', (current) => {
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
  /** Cancels an export as its requester does. */
  const cancel = (id: string): Promise<boolean> =>
    new PendingUploads(sql(), jobs(), key, [endpoint]).removing({ accountId }, [id], () =>
      jobs().remove({ accountId }, id, ACTOR),
    );
  /** An export whose run has begun an upload. */
  const begun = async () => {
    const place = { bucket: 'bucket', prefix: 'weir/', region: 'us-east-1', endpoint, accessKeyEnds: 'id' };
    const order = { format: 'jsonl', filters: {}, bom: false, destination: { kind: 's3', ...place } } as const;
    const { id } = await jobs().create({ accountId }, order, ACTOR, CREDENTIALS);
    const job = (await jobs().claim(accountId))!;
    expect(job.id).toBe(id);
    await jobs().uploading(job, 'upload 1');
    return job;
  };

  beforeAll(async () => {
    bucket.listen(0, '127.0.0.1');
    await once(bucket, 'listening');
    endpoint = `http://127.0.0.1:${(bucket.address() as AddressInfo).port}`;
    await sql().query(`INSERT INTO accounts (id, status, created_at) VALUES ($1::uuid, 'active', now())`, [accountId]);
  });
  beforeEach(() => {
    calls = [];
  });
  afterAll(() => {
    bucket.closeAllConnections();
    bucket.close();
  });

  it('leaves no parts of an upload that waited for its next turn', async () => {
    const job = await begun();
    await jobs().release(job);
    const asked = once(bucket, 'request') as Promise<[IncomingMessage]>;
    expect(await cancel(job.id)).toBe(true);
    await asked;
    expect(calls).toEqual([
      expect.stringMatching(/^DELETE \/bucket\/weir\/weir-events-.*\.jsonl\?uploadId=upload%201$/),
    ]);
    expect(await jobs().find({ accountId }, job.id)).toMatchObject({ state: 'cancelled' });
  });

  it('leaves an upload to the process that works on it, which aborts it', async () => {
    const job = await begun();
    expect(await cancel(job.id)).toBe(true);
    expect(await jobs().find({ accountId }, job.id)).toMatchObject({ state: 'cancelled' });
    expect(calls).toEqual([]);
  });
});
