import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runWeir, type WeirRun } from '../../test/support/run-weir.js';

const ID = '01a20a80-f929-7471-8061-2668a074baec';
const JOB = {
  ...{ id: ID, state: 'paused', format: 'csv', rows: 1200, rows_expected: 5000, bytes: 64_000, sha256: null },
  ...{ error: null, created_at: '2026-11-23T22:00:00.000Z', expires_at: null, has_file: false },
};

/** The answer to a request to resume the export. */
const RESUMED = { ...JOB, state: 'queued' };

/** A service with one export, which is paused, has failed, or must not be read. */
describe('An export that makes no progress', () => {
  let server: Server;
  let env: Record<string, string>;
  let job: object = JOB;
  beforeAll(async () => {
    server = createServer((request, answer) => {
      answer.setHeader('content-type', 'application/json');
      if (request.method === 'GET' && !('id' in job)) answer.statusCode = 403;
      answer.end(JSON.stringify({ PATCH: RESUMED, POST: JOB }[String(request.method)] ?? job));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    env = { WEIR_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, WEIR_TOKEN: 'token' };
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const WAITING: readonly [string, string[]][] = [
    ['create --until-written', ['exports', 'create', '--until-written']],
    ['fetch', ['exports', 'fetch', ID, '-o', 'never-written.csv']],
  ];

  it.each(WAITING)('does not make weir exports %s wait forever: it exits 4 and says how to resume', async (_, args) => {
    job = JOB;
    const { exit, stdout, stderr }: WeirRun = await runWeir(args, { env });
    expect([exit, stdout]).toEqual([4, '']);
    expect(stderr).toContain(`export ${ID} is paused after 1200 events; to continue it: weir exports resume ${ID}`);
  });

  it.each(WAITING)('is reported by weir exports %s with its failure, and how to resume it', async (_, args) => {
    job = { ...JOB, state: 'failed', error: 'The bucket answered 503', resumable: true };
    const { exit, stderr } = await runWeir(args, { env });
    expect(exit).toBe(4);
    expect(stderr).toContain(
      `export ${ID} failed: The bucket answered 503; to continue it after 1200 events: weir exports resume ${ID}`,
    );
  });

  it.each(WAITING)('is named by weir exports %s if its state cannot be read', async (_, args) => {
    job = { error: { message: 'Not allowed' } };
    const { exit, stderr } = await runWeir(args, { env });
    expect(exit).toBe(4);
    expect(stderr).toBe(`exit 4: Not allowed; the export remains on the server: weir exports fetch ${ID}\n`);
  });

  it('is reported as failed only, if its rows are no longer stored', async () => {
    job = { ...JOB, state: 'failed', error: 'The bucket answered 403', resumable: false };
    const { exit, stderr } = await runWeir(['exports', 'fetch', ID, '-o', 'never-written.csv'], { env });
    expect(exit).toBe(4);
    expect(stderr).toContain('The bucket answered 403');
    expect(stderr).not.toContain('weir exports resume');
  });

  it('is continued by weir exports resume', async () => {
    const { exit, stderr } = await runWeir(['exports', 'resume', ID], { env });
    expect([exit, stderr]).toEqual([0, expect.stringContaining(`export ${ID} is queued, with 1200 events so far`)]);
  });
});
