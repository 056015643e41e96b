import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runWeir } from '../../test/support/run-weir.js';

const TOKEN = {
  ...{ id: 'a1b2c3d4e5f6', name: 'ci', scopes: ['events:read'], environment: null },
  ...{ created_at: '2026-11-21T09:00:00Z', expires_at: null, last_used_at: null },
};

describe('A secret in a new file', () => {
  let cwd: string;
  beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), 'weir-secret-'))));
  afterEach(() => rmSync(cwd, { recursive: true, force: true }));

  /** Runs `weir tokens create --out-file` against a server with this answer. */
  async function created(answer: (response: ServerResponse) => void) {
    const server = createServer((_request, response) => answer(response));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const argv = ['tokens', 'create', '--name', 'ci', '--scope', 'events:read', '--out-file', 'token.txt'];
    try {
      return await runWeir([...argv, '--url', url], { cwd, env: { WEIR_TOKEN: 'wt' } });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  it('leaves no empty file behind if it was not created, so that the same command works later', async () => {
    const refused = await created((response) => response.writeHead(403).end('{"error":{"message":"Not allowed"}}'));
    expect([refused.exit, readdirSync(cwd)]).toEqual([4, []]);
    const body = JSON.stringify({ token: TOKEN, secret: 'the secret' });
    const made = await created((response) => response.setHeader('content-type', 'application/json').end(body));
    expect(made).toMatchObject({ exit: 0, stdout: '' });
    expect(readFileSync(join(cwd, 'token.txt'), 'utf8')).toBe('the secret\n');
  });

  it('may exist although the connection ended, which the error says', async () => {
    const { exit, stderr } = await created((response) => response.destroy());
    expect([exit, readdirSync(cwd)]).toEqual([4, []]);
    expect(stderr).toMatch(/the connection to \S+ ended before the answer .*the server may have executed the request/);
    expect(stderr).not.toContain('does not use HTTP');
  });
});
