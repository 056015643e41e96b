import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '../support/server-process.js';

describe('A service that cannot start', () => {
  it('exits with code 3, and leaves no process behind', async () => {
    const port = await freePort();
    const folder = mkdtempSync(join(tmpdir(), 'weir-failed-'));
    try {
      mkdirSync(join(folder, 'policies/production'), { recursive: true });
      writeFileSync(join(folder, 'policies/production/policy.yaml'), 'apiVersion: weir/v1\nkind: Nothing\n');
      const { status, signal, stderr } = spawnSync(process.execPath, [resolve('bin/weir.mjs'), 'server', 'start'], {
        cwd: folder,
        env: { PATH: process.env['PATH'] ?? '', HOME: folder, PORT: String(port), WEIR_DATA_DIR: join(folder, 'data') },
        encoding: 'utf8',
        timeout: 60_000,
        killSignal: 'SIGKILL',
      });
      expect([status, signal, stderr.trimEnd().split('\n').at(-1)]).toEqual([
        3,
        null,
        'exit 3: the service did not start; the reason is above',
      ]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }, 90_000);
});
