import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runWeir } from '../../test/support/run-weir.js';

const ID = '5a0c4a52-0000-4000-8000-000000000001';
const EXPORT = {
  ...{ id: ID, state: 'done', format: 'jsonl', rows: 1, rows_expected: 1, bytes: 3, sha256: '0'.repeat(64) },
  ...{ error: null, created_at: '2026-11-21T09:00:00Z', expires_at: null, has_file: true },
};

describe('An export that is downloaded at once', () => {
  let cwd: string;
  beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), 'weir-export-'))));
  afterEach(() => rmSync(cwd, { recursive: true, force: true }));

  async function created(output: string, answer: (request: IncomingMessage, response: ServerResponse) => void) {
    let requests = 0;
    const server = createServer((request, response) => {
      requests++;
      answer(request, response);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const argv = ['exports', 'create', '-o', output, '--url', url];
      return { ...(await runWeir(argv, { cwd, env: { WEIR_TOKEN: 'wt' } })), requests };
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  it('is not started if its file cannot be written', async () => {
    writeFileSync(join(cwd, 'there.jsonl'), 'other');
    const known = await created('there.jsonl', (_request, response) => response.end());
    expect(known).toMatchObject({ exit: 2, requests: 0, stderr: 'exit 2: there.jsonl already exists\n' });
    const lost = await created('none/x.jsonl', (_request, response) => response.end());
    expect(lost).toMatchObject({
      ...{ exit: 2, requests: 0 },
      stderr: 'exit 2: cannot write none/x.jsonl: its folder does not exist\n',
    });
  });

  it('leaves no file behind if it is refused', async () => {
    const refused = await created('x.jsonl', (_request, response) => response.writeHead(403).end('{"error":{}}'));
    expect([refused.exit, readdirSync(cwd)]).toEqual([4, []]);
  });

  it('is named if its download fails, because it remains on the server', async () => {
    const { exit, stderr } = await created('x.jsonl', (request, response) => {
      if (request.url?.endsWith('/file') === true) response.writeHead(404).end('{"error":{"message":"Gone"}}');
      else response.setHeader('content-type', 'application/json').end(JSON.stringify(EXPORT));
    });
    expect([exit, readdirSync(cwd)]).toEqual([2, []]);
    expect(stderr).toBe(`exit 2: Gone; the export remains on the server: weir exports fetch ${ID}\n`);
  });
});
