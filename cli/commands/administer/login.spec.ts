import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runWeir } from '../../../test/support/run-weir.js';

describe('weir login', () => {
  it('creates no token if it could not save it', async () => {
    const home = mkdtempSync(join(tmpdir(), 'weir-login-'));
    let requests = 0;
    const server = createServer((_request, response) => {
      requests++;
      response.end();
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    try {
      // The folder for the configuration cannot be created.
      symlinkSync(join(home, 'none', 'weir'), join(home, 'weir'));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const argv = ['login', '--url', url, '--email', 'jane@example.com', '--password-file', '-'];
      const { exit, stderr } = await runWeir(argv, { env: { XDG_CONFIG_HOME: home }, stdin: 'a password' });
      expect([exit, requests]).toEqual([2, 0]);
      expect(stderr).toMatch(/^exit 2: cannot write \S+weir: /m);
    } finally {
      server.close();
      rmSync(home, { recursive: true, force: true });
    }
  });
});
