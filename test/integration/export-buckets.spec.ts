/**
 * Exports that are written to a bucket. `WEIR_TEST_S3` names a server that speaks S3, with its credentials and a bucket:
 * `http://id:secret@127.0.0.1:4568/bucket`. Without `WEIR_TEST_S3`, these tests are reported as skipped.
 */
import { AwsV4Signer } from 'aws4fetch';
import { AdminAudit } from '../../src/admin-audit/index.js';
import { TokenKeys } from '../../src/access/index.js';
import { Database } from '../../src/database/index.js';
import { EventReader, ParquetPacker } from '../../src/events/index.js';
import { ExportJobs } from '../../src/exports/export-jobs.js';
import { ExportRunner } from '../../src/exports/export-runner.js';
import { runExport } from '../../src/exports/run-export.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const server = process.env['WEIR_TEST_S3'];
if (server === undefined) console.warn('SKIPPED: exports to buckets; WEIR_TEST_S3 names no server');
const { origin, username, password, pathname } = new URL(server ?? 'http://id:secret@127.0.0.1:1/bucket');
const bucket = pathname.slice(1);
const credentials = { access_key_id: username, secret_access_key: password };
const EVENTS = 30;
const LARGE = 'x'.repeat(600_000);

(server === undefined ? describe.skip : describe)('Exports to a bucket', () => {
  let app: TestApp;
  const send = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${app.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${app.bootstrap.token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
  const to = (more: object = {}) => ({
    ...{ kind: 's3', bucket, prefix: 'weir/', region: 'us-east-1', endpoint: origin, credentials },
    ...more,
  });
  const ended = async (body: object) => {
    const created = await send('POST', '/v1/exports', body);
    expect([created.status, created.text]).toEqual([201, expect.not.stringContaining(password)]);
    let job = JSON.parse(created.text) as { id: string; state: string; created_at: string; error: string | null };
    while (job.state === 'queued' || job.state === 'running') {
      const { text } = await send('GET', `/v1/exports/${job.id}`);
      expect(text).not.toContain(password);
      job = JSON.parse(text) as typeof job;
    }
    return job;
  };
  const object = async (job: { id: string; created_at: string }, format: string) => {
    const key = `weir/weir-events-${job.created_at.slice(0, 10)}-${job.id.slice(-12)}.${format}`;
    const signed = await new AwsV4Signer({
      ...{ url: `${origin}/${bucket}/${key}`, accessKeyId: username, secretAccessKey: password },
      ...{ service: 's3', region: 'us-east-1' },
    }).sign();
    const response = await fetch(signed.url, { headers: signed.headers });
    return { status: response.status, text: await response.text() };
  };

  beforeAll(async () => {
    app = await startTestApp({ env: { WEIR_EXPORT_ENDPOINTS: origin } });
    for (let n = 0; n < EVENTS; n++) {
      const response = await fetch(`${app.url}/v1/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${app.bootstrap.keys.production}`, 'content-type': 'application/json' },
        body: JSON.stringify({ type: 'ai.request', request_id: `r-${n}`, payload: { prompt: `${n} ${LARGE}` } }),
      });
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    }
  }, 120_000);
  afterAll(() => app.close());

  it('are written in parts, with the same content as the stream', async () => {
    const job = await ended({ format: 'jsonl', destination: to() });
    expect(job).toMatchObject({ state: 'done', has_file: false, rows: EVENTS, destination: { kind: 's3', bucket } });
    const { text } = await send('GET', '/v1/events/export');
    expect((await object(job, 'jsonl')).text === text).toBe(true);
    expect((await send('GET', `/v1/exports/${job.id}/file`)).status).toBe(404);
  });

  it('are written even if they contain no events', async () => {
    const job = await ended({ format: 'jsonl', filters: { model: 'none' }, destination: to() });
    expect(job.state).toBe('done');
    expect(await object(job, 'jsonl')).toEqual({ status: 200, text: '' });
  });

  it('can be tested first by writing and deleting an object, and the answer names any problem', async () => {
    const tried = async (more: object) => {
      const { status, text } = await send('POST', '/v1/exports/buckets/test', to(more));
      expect([status, text]).toEqual([200, expect.not.stringContaining(password)]);
      return JSON.parse(text) as { ok: boolean; problem: string | null; object: string };
    };
    const good = await tried({});
    expect(good).toEqual({
      ...{ ok: true, problem: null },
      object: expect.stringMatching(/^weir\/weir-connection-test-[0-9a-f-]{36}$/),
    });
    const signed = await new AwsV4Signer({
      ...{ url: `${origin}/${bucket}/${good.object}`, accessKeyId: username, secretAccessKey: password },
      ...{ service: 's3', region: 'us-east-1' },
    }).sign();
    expect((await fetch(signed.url, { headers: signed.headers })).status).toBe(404);
    expect(await tried({ bucket: 'no-such-bucket' })).toMatchObject({
      ...{ ok: false, problem: 'The bucket answered 404, NoSuchBucket' },
    });
    const [entry, other] = JSON.parse((await send('GET', '/v1/audit?action=export.bucket_tried')).text).data;
    expect([entry.subject, entry.details, other.details]).toEqual(['no-such-bucket', { ok: false }, { ok: true }]);
  });

  it('continue after a crash between two parts', async () => {
    await app.weir.app.get(ExportRunner).stop();
    const { sql } = app.weir.app.get(Database);
    const jobs = new ExportJobs(sql, new AdminAudit(sql), { keepMs: 1_000, storageBytes: 1e9 }, (accountId) =>
      app.weir.app.get(TokenKeys).sealingKey(accountId),
    );
    const parts = {
      ...{ jobs, reader: app.weir.app.get(EventReader), packer: app.weir.app.get(ParquetPacker) },
      endpoints: [origin],
    };
    const created = JSON.parse((await send('POST', '/v1/exports', { format: 'csv', destination: to() })).text) as {
      id: string;
      created_at: string;
    };
    const [{ accountId }] = (await sql.query<{ accountId: string }>(
      'SELECT account_id::text AS "accountId" FROM exports LIMIT 1',
    )) as [{ accountId: string }];
    const first = (await jobs.claim(accountId))!;
    const addPart = jobs.addPart.bind(jobs);
    let added = 0;
    jobs.addPart = async (...rest) => {
      // The bucket has received the second part, but that is not recorded.
      if (++added === 2) throw new Error('killed');
      await addPart(...rest);
    };
    await expect(runExport(first, parts, new AbortController().signal)).rejects.toThrow('killed');
    await sql.forAccounts(accountId).query(`UPDATE exports SET lease_until = NULL WHERE id = $1::uuid`, [created.id]);
    jobs.addPart = addPart;
    await runExport((await jobs.claim(accountId))!, parts, new AbortController().signal);
    const { text } = await send('GET', '/v1/events/export?format=csv');
    expect((await object(created, 'csv')).text === text).toBe(true);
    const left = await sql
      .forAccounts(accountId)
      .query('SELECT 1 AS one FROM exports WHERE credentials IS NOT NULL OR kept');
    expect(left).toEqual([]);
    app.weir.app.get(ExportRunner).start();
  });
});
