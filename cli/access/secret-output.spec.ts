import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { runWeir } from '../../test/support/run-weir.js';

const TOKEN = {
  ...{ id: 'a1b2c3d4e5f6', name: 'ci', scopes: ['events:read'], environment: null },
  ...{ created_at: '2026-11-21T09:00:00Z', expires_at: null, last_used_at: null },
};
const OUT_FILE = ['--out-file', 'token.txt'];
const DELETE_IT = 'delete it with weir tokens delete a1b2c3d4e5f6, and create another';

type Answer = (response: ServerResponse) => void;

const json =
  (body: unknown): Answer =>
  (response) =>
    void response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
const made = json({ token: TOKEN, secret: 'the secret' });

describe('A new secret', () => {
  let cwd: string;
  beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), 'weir-secret-'))));
  afterEach(() => rmSync(cwd, { recursive: true, force: true }));

  /** Runs `weir tokens create` with these flags against a server with this answer. */
  async function created(answer: Answer, flags = OUT_FILE, stdout?: Writable) {
    const server = createServer((_request, response) => answer(response));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const argv = ['tokens', 'create', '--name', 'ci', '--scope', 'events:read', ...flags];
    try {
      const env = { WEIR_TOKEN: 'wt' };
      return await runWeir([...argv, '--url', url], { cwd, env, ...(stdout !== undefined && { stdout }) });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  it('leaves no empty file behind if it was not created, so that the same command works later', async () => {
    const refused = await created((response) => response.writeHead(403).end('{"error":{"message":"Not allowed"}}'));
    expect([refused.exit, readdirSync(cwd)]).toEqual([4, []]);
    expect(await created(made)).toMatchObject({ exit: 0, stdout: '' });
    expect(readFileSync(join(cwd, 'token.txt'), 'utf8')).toBe('the secret\n');
  });

  it.each<[string, Answer, RegExp]>([
    ['the connection ended', (response) => response.destroy(), /the connection to \S+ ended before the answer/],
    ['a gateway gave up', (response) => response.writeHead(504).end('<html>'), /a gateway .*answered 504/],
    ['its answer cannot be read', (response) => response.end('<html>'), /the answer is not JSON/],
    ['the server has another version', json({ token: { id: 1 } }), /does not have the format of this version/],
  ])('may exist although %s, and the error says how to check that', async (_, answer, words) => {
    const { exit, stderr } = await created(answer);
    expect([exit, readdirSync(cwd)]).toEqual([4, []]);
    expect(stderr).toMatch(words);
    expect(stderr).toMatch(/executed the request: check with weir tokens list before you repeat it\n$/);
    expect(stderr).not.toContain('does not use HTTP');
  });

  it('is in the JSON output, and null there if it is in a file', async () => {
    const shown = await created(made, ['--json']);
    expect(JSON.parse(shown.stdout)).toEqual({ schemaVersion: 1, token: TOKEN, secret: 'the secret' });
    const filed = await created(made, ['--json', ...OUT_FILE]);
    expect(JSON.parse(filed.stdout)).toEqual({ schemaVersion: 1, token: TOKEN, secret: null });
    expect([shown.exit, filed.exit]).toEqual([0, 0]);
  });

  it.each([
    ['EPIPE', 'exit 141: the reader closed the output before its end'],
    ['ENOSPC', 'exit 2: cannot write the output: the disk is full'],
  ])('is lost if the output fails with %s, and the error says how to delete it', async (code, words) => {
    const broken = (): Writable =>
      new Writable({ write: (_part, _encoding, done) => done(Object.assign(new Error(code), { code })) });
    const lost = await created(made, ['--json'], broken());
    expect(lost.stderr).toBe(`${words}; the new secret is lost: ${DELETE_IT}\n`);
    const terminal = Object.assign(broken(), { isTTY: true });
    expect((await created(made, [], terminal)).stderr).toBe(`${words}; the new secret is lost: ${DELETE_IT}\n`);
    const filed = await created(made, ['--json', ...OUT_FILE], broken());
    expect(filed.stderr).toBe(`${words}; the credential is created, and its secret is in token.txt\n`);
    expect(readFileSync(join(cwd, 'token.txt'), 'utf8')).toBe('the secret\n');
  });
});
