import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runWeir, type WeirRun } from '../../test/support/run-weir.js';

const ID = '01a20a80-f929-7471-8061-2668a074baec';
const JOB = {
  ...{ id: ID, state: 'paused', format: 'csv', rows: 1200, rows_expected: 5000, bytes: 64_000, sha256: null },
  ...{ error: null, created_at: '2026-11-23T22:00:00.000Z', expires_at: null, has_file: false },
};

/** A service with a paused export. */
describe('A paused export', () => {
  let server: Server;
  let env: Record<string, string>;
  beforeAll(async () => {
    server = createServer((_request, answer) => {
      answer.setHeader('content-type', 'application/json');
      answer.end(JSON.stringify(JOB));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    env = { WEIR_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, WEIR_TOKEN: 'token' };
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it.each([
    ['create --until-written', ['exports', 'create', '--until-written']],
    ['fetch', ['exports', 'fetch', ID, '-o', 'never-written.csv']],
  ])('does not make weir exports %s wait forever: the command exits 4 and explains how to resume', async (_, args) => {
    const { exit, stdout, stderr }: WeirRun = await runWeir(args, { env });
    expect([exit, stdout]).toEqual([4, '']);
    expect(stderr).toContain(`export ${ID} is paused after 1200 events; to continue it: weir exports resume ${ID}`);
  });
});
