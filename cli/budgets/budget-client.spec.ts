import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runWeir } from '../../test/support/run-weir.js';

/** The window of a team. */
function windowOf(team: string): { readonly period_id: string; readonly scope: Readonly<Record<string, string>> } {
  return {
    ...{
      budget: 'team-day',
      environment: 'production',
      period_id: `window-of-${team}`,
      on_exceed: 'block',
      unit: 'usd',
    },
    ...{ scope: { 'metadata.team': team }, limit: '10', used: '1', reserved: '0', remaining: '9', used_ratio: 0.1 },
    ...{ window: { per: 'day', timezone: 'UTC', start: '2026-11-21T00:00:00.000Z', end: null } },
    ...{ exceeded_at: null, warn_at: [], warned: [] },
  };
}

describe('The window of a budget that has more windows than one answer contains', () => {
  const windows = ['first', 'second', 'third'].map(windowOf);
  let server: Server;
  let url: string;
  let adjusted: string[];
  beforeEach(async () => {
    adjusted = [];
    server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
      const [scope, id] = [searchParams.get('scope'), searchParams.get('period_id')];
      const found = windows.filter(
        (one) =>
          (scope === null || scope === `metadata.team=${one.scope['metadata.team']}`) &&
          (id === null || id === one.period_id),
      );
      const parts: Buffer[] = [];
      request
        .on('data', (part: Buffer) => parts.push(part))
        .on('end', () => {
          response.setHeader('content-type', 'application/json');
          if (pathname.endsWith('/entries')) return response.end('{"data":[],"next_cursor":null}');
          if (request.method === 'GET') return response.end(JSON.stringify({ data: found.slice(0, 1) }));
          adjusted.push((JSON.parse(Buffer.concat(parts).toString()) as { period_id: string }).period_id);
          return response.end(JSON.stringify(windows[0]));
        });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });
  const weir = (...argv: string[]) => runWeir(['budgets', ...argv, '--url', url], { env: { WEIR_TOKEN: 'wt' } });
  const correction = ['--by', '1', '--because', 'TICKET-7'];

  it.each([
    ['scope', 'metadata.team=third'],
    ['window', 'window-of-third'],
  ])('is found by its %s', async (flag, value) => {
    expect((await weir('adjust', 'team-day', ...correction, `--${flag}`, value)).exit).toBe(0);
    expect(adjusted).toEqual(['window-of-third']);
    expect((await weir('entries', 'team-day', `--${flag}`, value)).exit).toBe(0);
  });

  it('is not taken for another window', async () => {
    const { exit, stderr } = await weir('adjust', 'team-day', ...correction, '--scope', 'metadata.team=fourth');
    expect([exit, stderr]).toEqual([2, 'exit 2: no window with recorded spending matches. See: weir budgets show\n']);
    expect(adjusted).toEqual([]);
  });
});
