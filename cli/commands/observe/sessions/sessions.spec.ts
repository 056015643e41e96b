import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runWeir, type WeirRun } from '../../../../test/support/run-weir.js';

const APP = { id: 'a-1', name: 'web' };
const session = (fields: object = {}) => ({
  ...{ session_id: 's-1', app: APP, environment: 'production' },
  ...{ first_at: '2026-11-21T09:00:00.000Z', last_at: '2026-11-21T09:05:00.000Z' },
  ...{ calls: 2, tool_calls: 1, outcomes: { allowed: 1, blocked: 1 }, models: ['m'], tokens: 12 },
  ...{ cost_nano_usd: '1000000001', without_price: 0 },
  ...fields,
});
const call = (fields: object = {}) => ({
  ...{ id: 'e-1', event_id: 'e-1', type: 'ai.request', key_id: 'k', app: APP, environment: 'production' },
  ...{ decision: 'allow', reason: null, model: 'm', violations: [], policy: null, parent_id: null },
  ...{ received_at: '2026-11-21T09:00:00.123Z', outcome: 'allowed', cost_nano_usd: null },
  latency_ms: { total: 12.34, provider: null, weir: 1 },
  ...fields,
});

/** The pages of each list of the server. */
interface Lists {
  readonly '/v1/sessions'?: readonly (readonly object[])[];
  readonly '/v1/events'?: readonly (readonly object[])[];
}

/** Runs `weir sessions …` against a server with these lists; a list that is absent is an unknown route. */
async function sessions(argv: readonly string[], lists: Lists): Promise<WeirRun & { readonly asked: URL[] }> {
  const asked: URL[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://x');
    asked.push(url);
    const { pathname, searchParams } = url;
    const pages = lists[pathname as keyof Lists];
    if (pages === undefined) return void response.writeHead(404).end('{"error":{"message":"Nothing here"}}');
    const at = Number(searchParams.get('cursor') ?? 0);
    const answer = { data: pages[at] ?? [], next_cursor: at + 1 < pages.length ? String(at + 1) : null };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    return { ...(await runWeir(['sessions', ...argv], { env: { WEIR_URL: url, WEIR_TOKEN: 'wt' } })), asked };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('weir sessions', () => {
  it('reads page after page, also after an empty one, and no more than --limit allows', async () => {
    const pages = [[session({ session_id: 's-1' })], [], [session({ session_id: 's-2' })], [session()]];
    const { stdout, stderr, asked } = await sessions(['list', '--limit', '2', '--json'], { '/v1/sessions': pages });
    const { sessions: found } = JSON.parse(stdout) as { sessions: { session_id: string }[] };
    expect(found.map(({ session_id: id }) => id)).toEqual(['s-1', 's-2']);
    expect(asked.map(({ searchParams }) => searchParams.get('limit'))).toEqual(['2', '1', '1']);
    expect(stderr).toBe('exit 0: 2 sessions, and there are more\n');
  });

  it.each([
    [['show', '--', '-x'], '-x'],
    [['show', '--json', '--', '--json'], '--json'],
    [['show', '--json', '--', 'true'], 'true'],
    [['show', '--env', 'staging', '--', '--'], '--'],
    [['show', 'weir:dashboard'], 'weir:dashboard'],
    [['show', '-7'], '-7'],
    [['show', '007'], '007'],
    [['show', '1.10'], '1.10'],
    [['show', '0x1f'], '0x1f'],
    [['show', '--', '-1.10'], '-1.10'],
    [['list', '--session=-x'], '-x'],
  ])('finds a session whose id looks like a flag or a number: %j', async (argv, id) => {
    const { exit, asked } = await sessions(argv, { '/v1/sessions': [[session()]], '/v1/events': [[]] });
    expect([exit, asked[0]?.searchParams.get('session')]).toEqual([0, id]);
  });

  it('prints exact amounts, and how many calls a cost leaves out', async () => {
    const page = [session(), session({ cost_nano_usd: '0', without_price: 3 })];
    const { stdout } = await sessions(['list'], { '/v1/sessions': [page] });
    expect(stdout).toContain('  $1.000000001 ');
    expect(stdout).toContain('  $0 (3 without a price) ');
  });

  it('keeps the columns of other sessions narrow beside a long id', async () => {
    const page = [session({ session_id: 'x'.repeat(256) }), session({ session_id: 's-2' })];
    const { stdout } = await sessions(['list'], { '/v1/sessions': [page] });
    const [head = '', long = '', short = ''] = stdout.split('\n');
    expect([head.length < 120, long.endsWith('x'.repeat(256)), short.length < 120]).toEqual([true, true, true]);
  });

  it('prints no control or formatting character of a name, an id or a reason', async () => {
    const evil = 'a\u001b[31m\u0007\r\n\u009b2J\u202e\u2066\u200b\u{e0041}b';
    const named = { app: { id: 'a-1', name: evil }, session_id: evil, models: [evil], rules: [evil] };
    const rows = [
      call({ model: evil, reason: evil, received_at: evil, app: { id: 'a-1', name: evil } }),
      call({ id: 'e-2', type: 'agent.tool_call', payload: { tool: evil }, environment: 'staging' }),
      call({ id: evil, type: evil, violations: [{ rule: evil, action: evil, enforced: false, message: evil }] }),
    ];
    const lists = { '/v1/sessions': [[session({ ...named, outcomes: { [evil]: 1 } })]], '/v1/events': [rows] };
    for (const [argv, lines] of [
      [['list'], 2],
      [['show', evil], 17],
    ] as const) {
      const { exit, stdout, stderr } = await sessions(argv, lists);
      expect([exit, stdout.trimEnd().split('\n').length]).toEqual([0, lines]);
      expect(`${stdout}${stderr}`.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
  });

  it('shows calls below those that caused them, indented by at most six levels', async () => {
    const chain = Array.from({ length: 9 }, (_, n) =>
      call({ id: `e-${n}`, model: `m-${n}`, parent_id: n === 0 ? null : `e-${n - 1}` }),
    );
    const lists = { '/v1/sessions': [[session()]], '/v1/events': [[...chain, call({ id: 'e-9', model: 'last' })]] };
    const { stdout } = await sessions(['show', 's-1'], lists);
    const indents = [...stdout.matchAll(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}( *)model (\S+)/gm)].map(
      ([, spaces, model]) => [model, spaces?.length],
    );
    expect(indents).toEqual([...[0, 2, 4, 6, 8, 10, 12, 12, 12].map((spaces, n) => [`m-${n}`, spaces]), ['last', 0]]);
  });

  it('says which figures are unknown, and that the log contains no calls any more', async () => {
    const figures = session({ models: [], weir_ms: null, rules: null });
    const { exit, stdout, stderr } = await sessions(['show', 's-1'], {
      '/v1/sessions': [[figures]],
      '/v1/events': [[]],
    });
    expect(stdout).toMatch(/^models +none$[^]*^Weir added +unknown$\n^rules +unknown$/m);
    expect([exit, stderr]).toEqual([
      0,
      'exit 0: the log contains no call of the session; for archived ones: weir events list --archive --session\n',
    ]);
  });

  it('calls the rules of a place unknown if its calls are not in the log', async () => {
    const sums = [session({ rules: [] }), session({ rules: [], environment: 'staging' })];
    const { stdout } = await sessions(['show', 's-1'], { '/v1/sessions': [sums], '/v1/events': [[call()]] });
    expect(stdout.match(/^rules +.+$/gm)?.map((line) => line.replace(/^rules +/, ''))).toEqual([
      'none fired',
      'unknown',
    ]);
  });

  it('shows tool calls below the last request of the same app and environment', async () => {
    const rows = [
      call({ id: 'e-1', model: 'one' }),
      call({ id: 'e-2', model: 'of-staging', environment: 'staging' }),
      call({ id: 'e-3', model: 'of-another-app', app: { id: 'a-2', name: 'other' } }),
      call({ id: 'e-4', type: 'agent.tool_call', model: null }),
    ];
    const { stdout } = await sessions(['show', 's-1'], { '/v1/sessions': [[session()]], '/v1/events': [rows] });
    expect([...stdout.matchAll(/^\S+ \S+ {2}( *(?:model|tool) \S+)/gm)].map(([, step]) => step)).toEqual([
      'model one',
      '  tool (unknown)',
      'model of-staging',
      'model of-another-app',
    ]);
  });

  it('reads the calls of the apps that it found, also if the name of an app contains a comma', async () => {
    const sums = [session(), session({ environment: 'staging' }), session({ app: { id: 'a-2', name: 'a,b' } })];
    const lists = { '/v1/sessions': [sums], '/v1/events': [[]] };
    const { asked } = await sessions(['show', 's-1', '--app', 'a,b'], lists);
    expect(asked.map(({ searchParams }) => searchParams.get('app'))).toEqual(['a,b', 'a-1,a-2']);
  });

  it('refuses several apps', async () => {
    const lists = { '/v1/sessions': [[]], '/v1/events': [[call()]] };
    const { exit, stdout, stderr } = await sessions(['show', 's-1', '--app', 'web,other'], lists);
    expect([exit, stdout, stderr]).toEqual([2, '', 'exit 2: --app takes the id or name of one app\n']);
  });

  it('says that no rule fired, and calls a tool unknown whose name is not stored', async () => {
    const rows = [call({ type: 'agent.tool_call', model: null, latency_ms: { total: null } })];
    const lists = { '/v1/sessions': [[session({ rules: [] })]], '/v1/events': [rows] };
    const { stdout } = await sessions(['show', 's-1'], lists);
    expect(stdout).toMatch(/^rules +none fired$/m);
    expect(stdout).toMatch(/ tool \(unknown\) /);
  });

  it('ends with a reason if the server has no list of sessions, or one of another version', async () => {
    const words = async (lists: Lists) => {
      const { exit, stdout, stderr } = await sessions(['list'], lists);
      return [exit, stdout, stderr];
    };
    expect(await words({})).toEqual([2, '', 'exit 2: this version of the service has no list of sessions\n']);
    expect(await words({ '/v1/sessions': [[{ session_id: 7 }]] })).toEqual([
      ...[4, ''],
      'exit 4: the answer does not have the format of this version of weir: does the server run another version?\n',
    ]);
  });
});
