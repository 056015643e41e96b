import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runWeir } from '../../../../test/support/run-weir.js';

const onUnix = process.platform === 'win32' ? describe.skip : describe;

onUnix('weir server backup', () => {
  let dataDir: string;
  let server: Server;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'weir-server-backup-'));
    mkdirSync(join(dataDir, 'db'));
    writeFileSync(join(dataDir, 'db', 'PG_VERSION'), '17\n');
  });
  afterEach(async () => {
    await new Promise((closed) => server.close(closed));
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('is not cut off by an interruption, and then reports its end', async () => {
    const stop = new AbortController();
    server = createServer((socket) => {
      socket.once('data', () => {
        stop.abort();
        // Timers of one length fire in the order in which they were set: the command would have been cut off before this answer.
        setTimeout(() => socket.end(`${JSON.stringify({ problem: 'the disk is full' })}\n`), 1);
      });
    });
    await new Promise<void>((listening) => server.listen(join(dataDir, 'weir.sock'), listening));
    const env = { WEIR_DATA_DIR: dataDir };
    const argv = ['server', 'backup', join(dataDir, 'backups')];
    const { exit, stderr } = await runWeir(argv, { env, signal: stop.signal, graceMs: 1 });
    expect(exit).toBe(130);
    expect(stderr.trimEnd().split('\n')).toEqual([
      'The backup continues, so that no unfinished files are left; a second interruption ends it immediately',
      'exit 130: interrupted; The server made no backup: the disk is full',
    ]);
  });

  it('does not begin if it was interrupted before', async () => {
    server = createServer();
    const env = { WEIR_DATA_DIR: dataDir };
    const to = join(dataDir, 'backups');
    expect((await runWeir(['server', 'backup', to], { env, signal: AbortSignal.abort() })).exit).toBe(130);
    expect(existsSync(to)).toBe(false);
  });
});
