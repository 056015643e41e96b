import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runWeir } from '../../../test/support/run-weir.js';

const ID = '01a20a96-e77d-7f2a-a53d-38118116722b';
const ERASURE = {
  ...{ id: ID, state: 'running', dry_run: false, environment: null, app: null, looked_for: [], because: null },
  ...{ counts: {}, open_calls: 0, remains: null, problem: null, database_position: null, ended_at: null },
  ...{ by: { kind: 'token', id: 't', name: 'ci' }, created_at: '2026-11-21T09:00:00Z' },
};
const NEXT = `weir erasures show ${ID}`;

describe('weir erase', () => {
  it.each([
    ['a command without search terms', [], 'name the person to erase'],
    ['a key without a value', ['--metadata', 'user_id'], '--metadata takes key=value'],
    ['two values of one key', ['--metadata', 'user_id=u1,user_id=u2'], 'each key only once'],
    ['a value without its code', ['--value', 'jan@example.com'], '--value takes a code and a value'],
    ['a value from an empty stdin', ['--value', 'EMAIL=-'], 'stdin contains no value'],
  ])('refuses %s', async (_, flags, words) => {
    const { exit, stdout, stderr } = await runWeir(['erase', ...flags, '--yes']);
    expect([exit, stdout, stderr]).toEqual([2, '', expect.stringContaining(words)]);
  });

  /** Starts an erasure at a server that answers the question for its state like this. */
  async function begun(answer: (response: ServerResponse) => void, more: string[] = [], stop = new AbortController()) {
    const server = createServer((request, response) => {
      if (request.method === 'GET') return answer(response);
      response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(ERASURE));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const argv = ['erase', '--session', 's1', '--yes', '--url', url, ...more];
      return await runWeir(argv, { env: { WEIR_TOKEN: 'wt' }, signal: stop.signal });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }
  const refuse = (response: ServerResponse): void =>
    void response.writeHead(403).end('{"error":{"message":"Not allowed"}}');

  it('names the erasure as soon as it has begun, and again if its state cannot be read', async () => {
    const { exit, stderr } = await begun(refuse);
    expect(exit).toBe(4);
    expect(stderr.split('\n')).toEqual([
      `the erasure ${ID} has begun; it continues on the server if this command ends: ${NEXT}`,
      `exit 4: Not allowed; the work continues on the server: ${NEXT}`,
      '',
    ]);
  });

  it('names the erasure in its only line with --quiet', async () => {
    const { stderr } = await begun(refuse, ['--quiet']);
    expect(stderr).toBe(`exit 4: Not allowed; the work continues on the server: ${NEXT}\n`);
  });

  it('names the erasure if it is interrupted while it asks for the state', async () => {
    const stop = new AbortController();
    const { exit, stderr } = await begun(() => stop.abort(), ['--quiet'], stop);
    expect([exit, stderr]).toEqual([130, `exit 130: interrupted; the work continues on the server: ${NEXT}\n`]);
  });
});
