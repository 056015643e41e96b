import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { restClient, type Environment } from '../support/rest-client.js';
import { runWeir } from '../support/run-weir.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

interface Listed {
  readonly sessions: readonly { readonly session_id: string; readonly rules?: readonly string[] }[];
  readonly more: boolean;
}
interface Shown extends Listed {
  readonly calls: readonly {
    readonly id: string;
    readonly type: string;
    readonly tool: string | null;
    readonly payload: unknown;
  }[];
}

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1)!;
/** An id that would write the rest of a line from right to left. */
const TURNED = 'odd\u202eid';

describe('The commands that sum up calls', () => {
  let app: TestApp;
  const rest = restClient(() => app);
  const submit = async (session: string, event: object, environment: Environment = 'production') => {
    const { status } = await rest.submit({ ...event, metadata: { session_id: session } }, environment);
    expect([200, 400]).toContain(status);
  };
  const call = (request: string) => ({
    ...{ type: 'ai.request', request_id: request },
    payload: { model: 'm-1', prompt: 'a private question' },
  });
  const toolCall = (tool: string) => ({ type: 'agent.tool_call', payload: { tool, arguments: { q: 'private' } } });

  beforeAll(async () => {
    app = await startTestApp();
    await submit('talk', call('r-1'));
    const usage = { output: 'hi', cost_usd: 0.25, usage: { prompt_tokens: 7, completion_tokens: 5 } };
    await submit('talk', { type: 'ai.response', request_id: 'r-1', model: 'm-2', payload: usage });
    await submit('talk', toolCall('run_shell'));
    await submit('talk', toolCall('search'));
    await submit('twice', call('r-2'));
    await submit('twice', call('r-3'), 'staging');
    await submit(TURNED, call('r-4'));
  }, 60_000);
  afterAll(() => app.close());

  const weir = (argv: readonly string[], token = app.bootstrap.token) =>
    runWeir(argv, { env: { WEIR_URL: app.url, WEIR_TOKEN: token } });
  const json = async <T>(argv: readonly string[]): Promise<T> =>
    JSON.parse((await weir([...argv, '--json'])).stdout) as T;
  const listed = async (...argv: string[]) =>
    (await json<Listed>(['sessions', 'list', ...argv])).sessions.map(({ session_id: id }) => id);

  describe('weir sessions list', () => {
    it('prints a line per session, the latest first, with its calls, outcomes, tokens and cost', async () => {
      const { exit, stdout, stderr } = await weir(['sessions', 'list']);
      expect([exit, stderr]).toEqual([0, 'exit 0: 4 sessions\n']);
      const [head, ...rows] = stdout.trimEnd().split('\n');
      expect(head).toMatch(/^LAST EVENT +APP +ENVIRONMENT +CALLS +TOOL CALLS +OUTCOMES +TOKENS +COST +SESSION$/);
      expect(rows.map((row) => /production|staging/.exec(row)?.[0])).toEqual([
        'production',
        'staging',
        'production',
        'production',
      ]);
      expect(rows.at(-1)).toMatch(
        /^\d{4}-\d\d-\d\d \d\d:\d\d +\S.* production +3 +2 +2 allowed, 1 blocked +12 +\$0\.25 +talk$/,
      );
      // The id is exact in JSON, and without the control character in the terminal.
      expect(rows[0]).toMatch(/ odd id$/);
      expect(await listed()).toEqual([TURNED, 'twice', 'twice', 'talk']);
    });

    it.each<[string[], string[]]>([
      [['staging'], ['twice']],
      [['--env', 'staging'], ['twice']],
      [['--outcome', 'blocked,redacted'], ['talk']],
      [['--model', 'm-2'], ['talk']],
      [
        ['--session', 'twice'],
        ['twice', 'twice'],
      ],
      [['--since', '1h', '--outcome', 'blocked'], ['talk']],
      [['--since', '2099-01-01'], []],
      [['--until', '2020-01-01'], []],
    ])('selects sessions by the filters of events: %j', async (flags, ids) => {
      expect(await listed(...flags)).toEqual(ids);
    });

    it('stops at --limit and says that there are more', async () => {
      const { stdout, stderr } = await weir(['sessions', 'list', '--limit', '2']);
      expect([stdout.trimEnd().split('\n').length, lastLine(stderr)]).toEqual([
        3,
        'exit 0: 2 sessions, and there are more',
      ]);
      expect(await json<Listed>(['sessions', 'list', '--limit', '4'])).toMatchObject({ more: false });
    });

    it('prints only the head of the table if no session matches', async () => {
      const { exit, stdout, stderr } = await weir(['sessions', 'list', '--app', 'no-such-app']);
      expect([exit, stdout.split('\n').length, stderr]).toEqual([0, 2, 'exit 0: 0 sessions\n']);
    });

    it.each([
      [['--limit', '0'], '--limit takes a whole number from 1'],
      [['--env', 'prod'], 'there is no environment "prod"'],
      [['--outcome', 'fine'], 'outcome must be one of'],
      [['--rule', 'x'], 'Unknown argument: --rule'],
    ])('refuses unusable flags with exit code 2: %j', async (flags, words) => {
      const { exit, stdout, stderr } = await weir(['sessions', 'list', ...flags]);
      expect([exit, stdout]).toEqual([2, '']);
      expect(lastLine(stderr)).toContain(words);
    });
  });

  describe('weir sessions show', () => {
    it('prints the figures of a session and its calls in order, tool calls below their request', async () => {
      const { exit, stdout, stderr } = await weir(['sessions', 'show', 'talk']);
      expect([exit, stderr]).toEqual([0, 'exit 0: 3 calls\n']);
      const [figures = '', calls = ''] = stdout.split('\n\n');
      expect(figures).toMatch(/^session +talk\n/);
      for (const [label, value] of [
        ['calls', '3, including 2 tool calls'],
        ['outcomes', '2 allowed, 1 blocked'],
        ['tokens', '12'],
        ['cost', '\\$0\\.25'],
        ['Weir added', '[\\d.]+ ms'],
        ['rules', 'tool\\.block-shell'],
      ] as const)
        expect(figures).toMatch(new RegExp(`^${label} +${value}$`, 'm'));
      const [head, request, shell, search] = calls.split('\n');
      expect(head).toMatch(/^AT +STEP +OUTCOME +LATENCY +COST +EVENT +RULES$/);
      expect(request).toMatch(/^\S+ \S+ {2}model m-1 +allowed .*\$0\.25/);
      expect(shell).toMatch(/^\S+ \S+ {4}tool run_shell +blocked \(tool_use_blocked\) .* tool\.block-shell$/);
      expect(search).toMatch(/^\S+ \S+ {4}tool search +allowed /);
      expect(stdout).not.toContain('private');
    });

    it('includes the texts of calls in JSON only on request, and the names of tools always', async () => {
      const plain = await json<Shown>(['sessions', 'show', 'talk']);
      expect(plain.sessions[0]?.rules).toEqual(['tool.block-shell']);
      expect(plain.calls.map(({ tool, payload }) => [tool, payload])).toEqual([
        [null, null],
        ['run_shell', null],
        ['search', null],
      ]);
      expect(JSON.stringify(plain)).not.toContain('private');
      const full = await json<Shown>(['sessions', 'show', 'talk', '--show-content']);
      expect(full.calls[1]).toMatchObject({ tool: 'run_shell', payload: { tool: 'run_shell' } });
      expect(JSON.stringify(full.calls[0])).toContain('a private question');
    });

    it('separates the environments that used the same id, and shows one of them on request', async () => {
      const { stdout, stderr } = await weir(['sessions', 'show', 'twice']);
      expect(lastLine(stderr)).toBe('exit 0: 2 calls');
      expect(stdout.match(/^environment +\w+$/gm)?.length).toBe(2);
      expect(stdout).toMatch(/^AT .* ENVIRONMENT +APP +EVENT/m);
      const one = await weir(['sessions', 'show', 'twice', '--env', 'staging']);
      expect(lastLine(one.stderr)).toBe('exit 0: 1 call');
      expect(one.stdout).not.toContain('production');
    });

    it('stops at --limit, and finds an id as JSON prints it', async () => {
      const { stderr } = await weir(['sessions', 'show', 'talk', '--limit', '1']);
      expect(lastLine(stderr)).toBe('exit 0: 1 call, and there are more');
      const turned = await weir(['sessions', 'show', TURNED]);
      expect([turned.exit, turned.stdout.includes('\u202e')]).toEqual([0, false]);
    });

    it('exits with 2 if there is no such session', async () => {
      const { exit, stdout, stderr } = await weir(['sessions', 'show', 'nobody']);
      expect([exit, stdout, stderr]).toEqual([
        2,
        '',
        'exit 2: there is no such session for this token. See: weir sessions list\n',
      ]);
    });
  });

  describe('weir events count and facets', () => {
    it('print the number of events, or of calls with their final outcome', async () => {
      expect(await weir(['events', 'count', '--calls', '--session', 'talk'])).toEqual({
        exit: 0,
        stdout: '3\n',
        stderr: 'exit 0: 3 calls\n',
      });
      expect((await weir(['events', 'count', 'staging'])).stdout).toBe('1\n');
      expect((await weir(['events', 'count', '--type', 'ai.error'])).stdout).toBe('0\n');
    });

    it('list the values of fields with their numbers, the most frequent first', async () => {
      const argv = ['events', 'facets', '--calls', '--session', 'talk', '--field', 'outcome,rule'];
      const { exit, stdout, stderr } = await weir(argv);
      expect([exit, stderr]).toEqual([0, 'exit 0: values of 3 calls\n']);
      expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
        ['FIELD', 'CALLS', 'VALUE'],
        ['outcome', '2', 'allowed'],
        ['outcome', '1', 'blocked'],
        ['rule', '1', 'tool.block-shell'],
        [''],
      ]);
    });

    it('list values of metadata only with --show-content', async () => {
      const argv = ['events', 'facets', '--field', 'metadata.session_id', '--session', 'talk'];
      const refused = await weir(argv);
      expect([refused.exit, refused.stdout]).toEqual([2, '']);
      expect(lastLine(refused.stderr)).toBe('exit 2: values of metadata are content: use --show-content');
      expect((await weir([...argv, '--show-content'])).stdout).toMatch(/^metadata\.session_id +\d+ +talk$/m);
    });

    it.each([
      [['--limit', '101'], '--limit takes a whole number from 1 to 100'],
      [['--field', 'colour'], 'field must be one of'],
    ])('refuse unusable flags with exit code 2: %j', async (flags, words) => {
      const { exit, stderr } = await weir(['events', 'facets', ...flags]);
      expect([exit, lastLine(stderr)]).toEqual([2, expect.stringContaining(words)]);
    });
  });

  describe('weir stats', () => {
    it('prints the figures of a time range beside those of the period before it, and the totals of groups', async () => {
      const { exit, stdout, stderr } = await weir(['stats', '--group-by', 'environment']);
      expect([exit, stderr]).toEqual([0, 'exit 0: 6 calls\n']);
      const [totals = '', groups = ''] = stdout.split('\n\n');
      expect(totals).toMatch(/^FIGURE +\d{4}\S+ \S+ TO \d{4}\S+ \S+ UTC +PERIOD BEFORE\n/);
      expect(totals).toMatch(/^calls +6 +0$/m);
      expect(totals).toMatch(/^blocked +1 +0$/m);
      expect(totals).toMatch(/^cost +\$0\.25 +\$0$/m);
      expect(totals).toMatch(/^Weir added, p50 +[\d.]+ ms$/m);
      expect(groups).toMatch(/^CALLS +CALLS BEFORE +BLOCKED +TOKENS +COST +ENVIRONMENT$/m);
      expect(groups).toMatch(/^5 +0 +1 +12 +\$0\.25 +production$/m);
      expect(groups).toMatch(/^1 +0 +0 +0 +\$0 +staging$/m);
    });

    it('names the calls without a model', async () => {
      expect((await weir(['stats', '--group-by', 'model'])).stdout).toMatch(/^2 +0 +1 +0 +\$0 +\(none\)$/m);
    });

    it('can be narrowed, and contains the hits of rules', async () => {
      expect(lastLine((await weir(['stats', 'staging', '--since', '2h'])).stderr)).toBe('exit 0: 1 call');
      const { stdout } = await weir(['stats', '--group-by', 'rule', '--rule', 'tool.block-shell']);
      expect(stdout).toMatch(/^HITS +HITS BEFORE +RULE\n1 +0 +tool\.block-shell$/m);
      const { stats } = await json<{ stats: { step_seconds: number } }>(['stats', '--since', '2d', '--step', '1h']);
      expect(stats.step_seconds).toBe(3_600);
    });

    it('covers up to 400 days', async () => {
      expect(lastLine((await weir(['stats', '--since', '400d'])).stderr)).toBe('exit 0: 6 calls');
      expect(lastLine((await weir(['stats', '--since', '401d'])).stderr)).toContain('by at most 400 days');
    });

    it.each([
      [['--rule', 'x'], '--rule needs --group-by rule'],
      [['--limit', '51'], '--limit takes a whole number from 1 to 50'],
      [['--group-by', 'colour'], '--group-by takes outcome, environment'],
      [['--step', '7m'], '--step takes a length that divides a day evenly'],
    ])('refuses unusable flags with exit code 2: %j', async (flags, words) => {
      const { exit, stderr } = await weir(['stats', ...flags]);
      expect([exit, lastLine(stderr)]).toEqual([2, expect.stringContaining(words)]);
    });
  });

  describe('weir views update', () => {
    it('changes only what its flags name', async () => {
      await weir(['views', 'save', 'To judge', '--outcome', 'blocked']);
      const changed = await json<{ view: object }>(['views', 'update', 'To judge', '--name', 'Judged', '--shared']);
      expect(changed.view).toMatchObject({ name: 'Judged', query: 'outcome=blocked', shared: true });
      const { view } = await json<{ view: object }>(['views', 'update', 'Judged', '--model', 'm-1', '--no-shared']);
      expect(view).toMatchObject({ name: 'Judged', query: 'model=m-1', shared: false });
    });

    it('refuses an unknown view, a name in use, and no change, with exit code 2', async () => {
      for (const name of ['one', 'other']) await weir(['views', 'save', name, '--model', name]);
      const refused = async (...argv: string[]) => {
        const { exit, stderr } = await weir(['views', 'update', ...argv]);
        return [exit, lastLine(stderr)];
      };
      expect(await refused('nothing', '--shared')).toEqual([2, expect.stringContaining('there is no such view')]);
      expect(await refused('one', '--name', 'other')).toEqual([2, 'exit 2: the name is the name of another view']);
      expect(await refused('one')).toEqual([2, expect.stringContaining('name at least one change')]);
    });
  });

  it.each([
    [['sessions', 'list']],
    [['sessions', 'show', 'talk']],
    [['events', 'count']],
    [['events', 'facets']],
    [['stats']],
  ])('need the scope events:read, and say so with exit code 4: %j', async (argv) => {
    const headers = { authorization: `Bearer ${app.bootstrap.token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: argv.join(' '), scopes: ['keys:admin'] });
    const { secret } = (await rest.call('POST', '/v1/tokens', headers, body)).json as { secret: string };
    const { exit, stdout, stderr } = await weir(argv, secret);
    expect([exit, stdout]).toEqual([4, '']);
    expect(lastLine(stderr)).toBe('exit 4: The management token lacks the scope events:read');
  });

  it.each([
    [['sessions', 'list'], 'sessions-list'],
    [['sessions', 'show', 'talk'], 'sessions-show'],
    [['events', 'count'], 'events-count'],
    [['events', 'facets'], 'events-facets'],
    [['stats', '--group-by', 'app'], 'stats'],
  ])('print JSON that matches the documented schema: %j', async (argv, schema) => {
    const validate = new Ajv({ strict: false }).compile(
      JSON.parse(readFileSync(`docs/reference/schemas/${schema}.json`, 'utf8')) as object,
    );
    expect([validate(await json<unknown>(argv)), validate.errors]).toEqual([true, null]);
  });
});
