import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runWeir } from '../../../test/support/run-weir.js';

const TOKEN = {
  ...{ id: 'a1b2c3d4e5f6', name: 'weir login', scopes: ['events:read'], environment: null },
  ...{ created_at: '2026-11-21T09:00:00Z', expires_at: null, last_used_at: null },
};
const ACCOUNT = {
  account: { id: 'a', email: 'jane@example.com', email_verified: true, subscription: 'active' },
  ...{ token: TOKEN, server: { version: '1.0.0' } },
};

describe('weir login', () => {
  let home: string;
  beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'weir-login-'))));
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  /** Signs in with a password at a server that answers the question for the account like this. */
  async function loggedIn(answer: (response: ServerResponse) => void) {
    let requests = 0;
    const server = createServer((request, response) => {
      requests++;
      response.setHeader('content-type', 'application/json');
      if (request.url === '/v1/account') return answer(response);
      if (request.url === '/auth/login') response.setHeader('set-cookie', 'session=1');
      response.end(JSON.stringify({ token: TOKEN, secret: 'the-secret' }));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const argv = ['login', '--url', url, '--name', 'here', '--email', 'jane@example.com', '--password-file', '-'];
      return { ...(await runWeir(argv, { env: { XDG_CONFIG_HOME: home }, stdin: 'a password' })), requests };
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  it('creates no token if it could not save it', async () => {
    // The folder for the configuration cannot be created.
    symlinkSync(join(home, 'none', 'weir'), join(home, 'weir'));
    const { exit, stderr, requests } = await loggedIn((response) => response.end());
    expect([exit, requests]).toEqual([2, 0]);
    expect(stderr).toMatch(/^exit 2: cannot write \S+weir: /m);
  });

  it('names the new token if it fails before it has saved it', async () => {
    const { exit, stderr } = await loggedIn((response) =>
      response.writeHead(403).end('{"error":{"message":"Not allowed"}}'),
    );
    expect(exit).toBe(4);
    expect(stderr).toBe(
      'exit 4: Not allowed; the new token a1b2c3d4e5f6 is not saved: delete it with weir tokens delete a1b2c3d4e5f6\n',
    );
  });

  it('keeps a server that another command saves meanwhile', async () => {
    const file = join(home, 'weir', 'config.json');
    const { exit } = await loggedIn((response) => {
      const other = { url: 'https://other.example', token: 'of-other' };
      writeFileSync(file, JSON.stringify({ version: 1, current: 'other', contexts: { other } }));
      response.end(JSON.stringify(ACCOUNT));
    });
    expect(exit).toBe(0);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      current: 'here',
      contexts: { other: { token: 'of-other' }, here: { token: 'the-secret' } },
    });
  });

  it('refuses a WEIR_TOKEN that contains more than a token, before it sends anything', async () => {
    const env = { XDG_CONFIG_HOME: home, WEIR_TOKEN: 'first second' };
    const { exit, stderr } = await runWeir(['login', '--url', 'http://127.0.0.1:1'], { env });
    expect([exit, stderr]).toEqual([2, 'exit 2: WEIR_TOKEN contains more than a token\n']);
  });
});
