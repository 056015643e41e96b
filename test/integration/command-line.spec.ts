import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync, chmodSync, mkdirSync, cpSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:http';
import { formatPolicyFile } from '../../src/authoring/index.js';
import { COMMANDS } from '../../cli/commands/index.js';
import { newCredential } from '../../src/access/credential.js';
import { portOf } from '../support/ports.js';
import { runWeir, type WeirOptions } from '../support/run-weir.js';
import { freePort } from '../support/server-process.js';
import { startTestApp, TEST_PLUGINS, type TestApp } from '../support/test-app.js';

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1)!;

describe('The commands that talk to a server', () => {
  let app: TestApp;
  let folder: string;
  beforeAll(async () => {
    app = await startTestApp();
    folder = mkdtempSync(join(tmpdir(), 'weir-cli-'));
    cpSync(app.policiesDir, join(folder, 'policies'), { recursive: true });
    for (const [index, prompt] of ['alpha', 'beta mail-1', 'gamma ssn-1', 'delta token-1'].entries()) {
      await submit({ type: 'ai.request', event_id: `e${index}`, request_id: `r${index}`, payload: { prompt } });
    }
    await submit({ type: 'agent.tool_call', event_id: 't1', payload: { tool: 'run_shell', arguments: { cmd: 'ls' } } });
    await submit({ type: 'agent.tool_call', event_id: 't2', payload: { tool: 'search', arguments: { q: 'mail-2' } } });
  }, 60_000);
  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function submit(event: object): Promise<void> {
    const response = await fetch(`${app.url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.bootstrap.keys.production}`, 'content-type': 'application/json' },
      body: JSON.stringify({ metadata: { team: 'search', mail: 'mail-9' }, ...event }),
    });
    await response.arrayBuffer();
  }
  const weir = (argv: readonly string[], options: WeirOptions = {}) =>
    runWeir(argv, {
      cwd: folder,
      catalog: TEST_PLUGINS,
      ...options,
      env: {
        WEIR_URL: app.url,
        WEIR_TOKEN: app.bootstrap.token,
        XDG_CONFIG_HOME: join(folder, 'config'),
        ...options.env,
      },
    });
  const json = async <T>(argv: readonly string[]): Promise<T> =>
    JSON.parse((await weir([...argv, '--json'])).stdout) as T;

  describe('the audit log', () => {
    it('can be filtered by actor, action, subject and time, and printed as CSV', async () => {
      const { key } = await json<{ key: { id: string } }>(['keys', 'create', '--name', 'seen', '--env', 'staging']);
      const shown = await weir(['audit', '--action', 'key.created,key.deleted', '--subject', key.id]);
      expect(shown.exit).toBe(0);
      expect(shown.stdout).toMatch(
        /^AT +WHO +ACTION +SUBJECT +FROM\n\d{4}-\S+ +.+ \(\w{12}\) +key\.created +seen \(\w{12}\) +127\.0\.0\.1\n$/,
      );
      expect(lastLine(shown.stderr)).toBe('exit 0: 1 entry');
      const { entries, more } = await json<{ entries: { action: string }[]; more: boolean }>([
        ...['audit', '--actor', 'token,system', '--since', '1h', '--limit', '1'],
      ]);
      expect([entries.length, more]).toEqual([1, true]);
      const csv = await weir(['audit', '--subject', key.id, '--format', 'csv']);
      expect(csv.stdout.trimEnd().split('\r\n')).toHaveLength(2);
      expect((await weir(['audit', '--until', '1h'])).stdout).toBe('AT  WHO  ACTION  SUBJECT  FROM\n');
      expect(await weir(['audit', '--limit', '0'])).toMatchObject({ exit: 2, stdout: '' });
      expect(await weir(['audit', '--action', 'nothing'])).toMatchObject({ exit: 2, stdout: '' });
    });
  });

  describe('keys', () => {
    it('are written to a file that only its owner can read, and never to a pipe', async () => {
      const piped = await weir(['keys', 'create', '--name', 'ci', '--env', 'staging']);
      expect(piped).toMatchObject({ exit: 2, stdout: '' });
      expect(lastLine(piped.stderr)).toBe(
        'exit 2: the secret is shown once and stdout is not a terminal: use --out-file, or --json',
      );
      const made = await weir(['keys', 'create', '--name', 'ci', '--env', 'staging', '--out-file', 'key.txt']);
      expect(made.exit).toBe(0);
      expect(made.stdout).toBe('');
      expect(lastLine(made.stderr)).toMatch(/^exit 0: key \w{12} is created; its secret is in key\.txt$/);
      expect(statSync(join(folder, 'key.txt')).mode & 0o777).toBe(0o600);
      const secret = readFileSync(join(folder, 'key.txt'), 'utf8').trim();
      expect(made.stderr).not.toContain(secret);
      const again = await weir(['keys', 'create', '--name', 'ci', '--env', 'staging', '--out-file', 'key.txt']);
      expect(lastLine(again.stderr)).toBe('exit 2: key.txt already exists');
      const inspected = await weir(['keys', 'inspect', '--key-file', 'key.txt']);
      expect(inspected.stdout).toMatch(/^key for development or staging, id \w{12}, checksum correct\n$/);
    });

    it('can be rotated with an overlap, listed by last use, and deleted by id', async () => {
      const { key } = await json<{ key: { id: string } }>(['keys', 'create', '--name', 'old', '--env', 'production']);
      const rotated = await json<{ key: { id: string }; secret: string; old: { id: string; expires_at: string } }>([
        ...['keys', 'rotate', key.id, '--delete-old-after', '24h'],
      ]);
      expect(rotated.secret).toMatch(/^sk_live_wr1_/);
      expect(rotated.old.id).toBe(key.id);
      expect(Date.parse(rotated.old.expires_at)).toBeGreaterThan(Date.now());
      expect((await weir(['keys', 'list', '--unused', '30d'])).stderr).toContain('exit 0: 0 keys');
      expect((await weir(['keys', 'list', '--unused', '0s'])).stdout).toContain(key.id);
      const unasked = await weir(['keys', 'delete', key.id]);
      expect([unasked.exit, lastLine(unasked.stderr)]).toEqual([2, expect.stringContaining('use --yes')]);
      expect((await weir(['keys', 'list'])).stdout).toContain(key.id);
      const deleted = await weir(['keys', 'delete', key.id, '--yes']);
      expect(lastLine(deleted.stderr)).toBe(`exit 0: key ${key.id} (production) is deleted`);
      expect((await weir(['keys', 'delete', key.id, '--yes'])).exit).toBe(2);
    });

    it('can be inspected without a server, which detects typing errors', async () => {
      const good = newCredential('sk_live_').text;
      const bad = `${good.slice(0, -1)}${good.endsWith('0') ? '1' : '0'}`;
      const options = { env: { WEIR_URL: 'http://127.0.0.1:1' } };
      expect(await weir(['keys', 'inspect'], { ...options, stdin: `${good}\n` })).toMatchObject({ exit: 0 });
      const mistyped = await weir(['keys', 'inspect'], { ...options, stdin: bad });
      expect(mistyped).toMatchObject({ exit: 1, stdout: 'not a Weir credential, or mistyped\n' });
      expect(mistyped.stderr).not.toContain(bad);
    });
  });

  describe('tokens', () => {
    it('are not created with an unknown scope, and the error suggests a known one', async () => {
      const { exit, stderr } = await weir(['tokens', 'create', '--name', 'ci', '--scope', 'policy:depoly', '--json']);
      expect([exit, lastLine(stderr)]).toEqual([
        2,
        'exit 2: there is no scope "policy:depoly"; did you mean "policy:deploy"?',
      ]);
    });

    it('expire by default, and have the requested scopes', async () => {
      const { token } = await json<{ token: { id: string; scopes: string[]; expires_at: string } }>([
        ...['tokens', 'create', '--name', 'ci', '--scope', 'policy:read,events:read', '--env', 'production'],
      ]);
      expect(token.scopes).toEqual(['policy:read', 'events:read']);
      expect(token.expires_at).not.toBeNull();
      expect((await weir(['tokens', 'list'])).stdout).toContain(token.id);
      expect((await weir(['tokens', 'delete', token.id])).exit).toBe(2);
      expect((await weir(['tokens', 'delete', token.id, '--yes'])).exit).toBe(0);
      expect(lastLine((await weir(['tokens', 'delete', token.id, '--yes'])).stderr)).toContain(
        'exit 2: there is no token',
      );
    });
  });

  describe('contexts', () => {
    it('store a token in a file that only its owner can read, and delete it on logout', async () => {
      const env = { XDG_CONFIG_HOME: join(folder, 'own'), WEIR_TOKEN: '', WEIR_URL: '' };
      const login = await weir(['login', '--url', app.url, '--name', 'here'], { env, stdin: app.bootstrap.token });
      expect(login.exit).toBe(0);
      const file = join(folder, 'own', 'weir', 'config.json');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const whoami = await weir(['whoami'], { env });
      expect(whoami.stdout).toContain('admin@localhost (active)');
      expect((await weir(['context', 'list'], { env })).stdout).toMatch(/\* {2}here .* yes\n$/);
      chmodSync(file, 0o644);
      const open = await weir(['whoami'], { env });
      expect(open.exit).toBe(2);
      expect(lastLine(open.stderr)).toContain('can be read by other users: run chmod 600');
      chmodSync(file, 0o600);
      // The token of a context is sent to no other server.
      const elsewhere = await weir(['whoami', '--url', 'http://127.0.0.1:1'], { env });
      expect(elsewhere.exit).toBe(4);
      const slip = await weir(['context', 'remove', 'here'], { env });
      expect([slip.exit, lastLine(slip.stderr)]).toEqual([
        2,
        'exit 2: the context here is removed with its token: use --yes to confirm',
      ]);
      expect((await weir(['context', 'list'], { env })).stdout).toContain('here');
      expect((await weir(['logout'], { env })).exit).toBe(0);
      expect(lastLine((await weir(['whoami'], { env })).stderr)).toBe(
        'exit 4: no token was given: run weir login, or set WEIR_TOKEN or --token-file',
      );
      expect((await weir(['context', 'remove', 'here'], { env })).exit).toBe(0);
    });

    it('refuse an invalid token', async () => {
      const wrong = await weir(['login', '--url', app.url], { env: { WEIR_TOKEN: '' }, stdin: 'wt_live_nonsense' });
      expect(wrong.exit).toBe(4);
      expect(wrong.stderr).not.toContain('nonsense');
    });
  });

  describe('events', () => {
    it('are listed and shown without texts, unless texts are requested', async () => {
      const listed = await weir(['events', 'list', '--type', 'ai.request']);
      expect(listed.stdout.trim().split('\n')).toHaveLength(4);
      expect(listed.stdout).toContain('words.block-ssn');
      expect((await weir(['events', 'list', '--json'])).stdout).not.toContain('alpha');
      const shown = await weir(['events', 'show', 'e0']);
      expect(shown.stdout).not.toContain('alpha');
      expect((await weir(['events', 'show', 'e0', '--show-content'])).stdout).toContain('alpha');
      expect(lastLine((await weir(['events', 'show', 'nobody'])).stderr)).toBe(
        'exit 2: there is no such event for this token',
      );
    });

    it('can be marked right or wrong, listed by mark, and unmarked', async () => {
      const [line = ''] = (await weir(['events', 'list', '--rule', 'words.block-ssn', '--calls'])).stdout.split('\n');
      const id = line.split('  ')[1]!;
      const wrong = await weir(['events', 'mark', id, 'wrong', '--note', 'an order number']);
      expect(wrong).toMatchObject({ exit: 0, stdout: '' });
      expect(lastLine(wrong.stderr)).toBe('exit 0: words.block-ssn is marked wrong');
      expect((await weir(['events', 'list', '--mark', 'wrong', '--calls'])).stdout).toBe(`${line}\n`);
      const marks = await weir(['events', 'marks', '--mark', 'wrong']);
      expect(marks.stdout).toMatch(
        new RegExp(`^AT +MARK +RULE +EVENT +BY\\n\\S+ \\S+ +wrong +words.block-ssn +${id} +\\S.*\\n$`),
      );
      expect((await weir(['events', 'marks', '--show-content'])).stdout).toContain('an order number');
      expect((await weir(['events', 'marks', '--json'])).stdout).not.toContain('an order number');
      expect((await weir(['events', 'show', id])).stdout).not.toContain('an order number');
      const report = await json<{ mark: { mark: string } }>(['events', 'mark', id, 'right']);
      expect(report.mark.mark).toBe('right');
      expect(lastLine((await weir(['events', 'mark', id, 'missed'])).stderr)).toBe(
        'exit 2: --rule must name the rule that should have fired',
      );
      expect(await weir(['events', 'mark', id, 'maybe'])).toMatchObject({ exit: 2, stdout: '' });
      expect((await weir(['events', 'mark', id, 'none'])).exit).toBe(0);
      expect((await weir(['events', 'marks'])).stdout).toBe('AT  MARK  RULE  EVENT  BY\n');
    });

    it('can be exported, and an interrupted export can be resumed', async () => {
      expect((await weir(['events', 'export', '-o', 'all.jsonl'])).exit).toBe(0);
      const all = readFileSync(join(folder, 'all.jsonl'), 'utf8');
      expect(statSync(join(folder, 'all.jsonl')).mode & 0o777).toBe(0o600);
      const lines = all.trimEnd().split('\n');
      writeFileSync(join(folder, 'part.jsonl'), `${lines.slice(0, 3).join('\n')}\n${lines[3]!.slice(0, 20)}`);
      expect((await weir(['events', 'export', '-o', 'part.jsonl', '--resume'])).exit).toBe(0);
      expect(readFileSync(join(folder, 'part.jsonl'), 'utf8')).toBe(all);
      const csv = await weir(['events', 'export', '--format', 'csv']);
      expect(csv.stdout.split('\r\n').length).toBe(lines.length + 2);
    });
  });

  describe('rules', () => {
    it('are listed with the number of their hits', async () => {
      const { exit, stdout, stderr } = await weir(['rules', 'stats', 'production', '--since', '1h']);
      expect(exit).toBe(0);
      expect(stdout.split('\n')[0]).toMatch(
        /^RULE {2,}ACTION {2,}HITS {2}ENFORCED {2}EXCEPTED {2}LAST HIT {2,}MARKED WRONG$/,
      );
      expect(stdout).toMatch(/^words\.block-ssn\s+block\s+1\s+1\s+0\s+\d{4}-\d\d-\d\d \d\d:\d\d$/m);
      expect(lastLine(stderr)).toMatch(
        /^exit 0: \d+ hits of \d rules in production since \S+, \d rules? without a hit$/,
      );
    });

    it('are listed on request if they had no hit', async () => {
      const dead = await weir(['rules', 'stats', 'development', '--dead', '1h']);
      expect(dead.exit).toBe(1);
      expect(dead.stdout).toContain('words.block-ssn');
    });
  });

  describe('backtest', () => {
    it('reproduces all recorded decisions with the active policy', async () => {
      const own = await weir(['backtest', '--since', '1h', '--self-test']);
      expect(own.exit).toBe(0);
      const report = await json<{ decisions: number; own: object }>(['backtest', '--since', '1h', '--self-test']);
      expect(report.decisions).toBe(6);
      expect(report.own).toEqual({ decisions: 6, notReproduced: 0, cannotTell: 0 });
    });

    it('shows what another policy, even one from a file, would change, and fails if a given threshold is exceeded', async () => {
      const other = join(folder, 'other');
      cpSync(join(folder, 'policies'), other, { recursive: true });
      const file = join(other, 'production/policy.yaml');
      const text = readFileSync(file, 'utf8');
      writeFileSync(file, text.replace('any_of: [SSN]', 'any_of: [TOKEN]'));
      const { exit, stdout, stderr } = await weir([
        ...['backtest', '--since', '1h', '--policies', 'other', '--max-new-blocks', '1%', '--no-new-allows'],
      ]);
      expect(exit).toBe(1);
      expect(stdout).toContain('allow → block');
      expect(stdout).toContain('block → allow');
      expect(lastLine(stderr)).toBe('exit 1: new blocks 16.67 % exceed --max-new-blocks 1%; 1 new allows');
      await weir(['events', 'export', '-o', 'decisions.jsonl']);
      const offline = await weir(['backtest', '--file', 'decisions.jsonl', '--policies', 'other'], {
        env: { WEIR_URL: 'http://127.0.0.1:1' },
      });
      expect(offline.stdout).toBe(stdout);
    });

    it('exits with 7 if there are no recorded decisions', async () => {
      writeFileSync(join(folder, 'empty.jsonl'), '');
      const empty = await weir(['backtest', '--file', 'empty.jsonl']);
      expect([empty.exit, lastLine(empty.stderr)]).toEqual([7, 'exit 7: there are no recorded decisions']);
      writeFileSync(join(folder, 'wrong.jsonl'), '{"a":1}\n');
      expect((await weir(['backtest', '--file', 'wrong.jsonl'])).exit).toBe(2);
      expect((await weir(['backtest', '--since', '1h', '--env', 'development'])).exit).toBe(7);
    });
  });

  describe('explain and capture', () => {
    it('reproduce a decision, with or without local policy files', async () => {
      const explained = await weir(['explain', 'e2']);
      expect(explained.exit).toBe(0);
      expect(explained.stdout).toContain('words.block-ssn   block');
      expect(explained.stdout).toContain('✓ words.types any_of ["SSN"]   words.types = ["SSN"]');
      expect(explained.stdout).not.toContain('gamma');
      expect(lastLine(explained.stderr)).toContain('reproduced: yes');
      // It also explains why a rule did not fire.
      const idle = await weir(['explain', 'e0', '--all']);
      expect(idle.stdout).toContain('words.block-ssn   did not fire');
      expect(idle.stdout).toContain('✗ words.types any_of ["SSN"]   words.types = []');
      const empty = join(folder, 'empty');
      mkdirSync(empty, { recursive: true });
      const elsewhere = await weir(['explain', 't1'], { cwd: empty });
      expect(elsewhere.exit).toBe(0);
      expect(lastLine(elsewhere.stderr)).toContain('of the server');
    });

    it('name the event whose decision caused a violation', async () => {
      const { events } = await json<{ events: { id: string; parent_id: string }[] }>([
        ...['events', 'list', '--type', 'policy.violation'],
      ]);
      const { id, parent_id: parent } = events[0]!;
      const { exit, stderr } = await weir(['explain', id]);
      expect([exit, lastLine(stderr)]).toEqual([
        7,
        `exit 7: no rule judged this event; explain the event that caused it: ${parent}`,
      ]);
      expect((await weir(['explain', parent])).exit).toBe(0);
    });

    it('turn a decision into a test that passes and contains no recorded text', async () => {
      for (const event of ['e2', 'e1', 't1']) {
        const made = await weir(['capture', event]);
        expect([event, made.exit, lastLine(made.stderr)]).toEqual([event, 0, expect.stringContaining('passes')]);
        for (const word of ['gamma', 'beta', 'search', 'mail-', 'cmd']) expect(made.stdout).not.toContain(word);
        expect(formatPolicyFile('made.test.yaml', made.stdout)).toEqual({ kind: 'formatted', text: made.stdout });
      }
    });
  });

  it('check an installation, and name a next step for each problem', async () => {
    const healthy = await weir(['doctor', '--json'], {
      env: { WEIR_OPENAI_BASE_URL: app.url, WEIR_ANTHROPIC_BASE_URL: app.url },
    });
    const { checks } = JSON.parse(healthy.stdout) as {
      checks: { name: string; status: string; next: string | null }[];
    };
    expect(Object.fromEntries(checks.map(({ name, status }) => [name, status]))).toMatchObject({
      node: 'ok',
      settings: 'ok',
      policies: 'ok',
      server: 'ok',
      clock: 'ok',
      token: 'ok',
    });
    const ill = await weir(['doctor', '--json'], { env: { WEIR_URL: 'http://127.0.0.1:1', PORT: 'eighty' } });
    expect(ill.exit).toBe(1);
    const found = (JSON.parse(ill.stdout) as typeof healthy & { checks: typeof checks }).checks;
    for (const { status, next } of found) expect(next !== null).toBe(status === 'problem' || status === 'warning');
    expect(found.filter(({ status }) => status === 'problem').map(({ name }) => name)).toEqual(['settings', 'server']);
  }, 30_000);

  it.each([
    [['keys', 'list']],
    [['tokens', 'list']],
    [['events', 'list']],
    [['events', 'show', 'e0']],
    [['events', 'export', '-o', 'schema.jsonl']],
    [['rules', 'stats', 'production']],
    [['backtest', '--since', '1h']],
    [['explain', 'e2']],
    [['capture', 'e2']],
    [['whoami']],
    [['context', 'list']],
    [['doctor']],
  ])(
    'print JSON that matches their schema if --json is set: %j',
    async (argv) => {
      const [first, second] = argv;
      const entry = COMMANDS.find((one) => ('load' in one ? one.usage.split(' ')[0] : one.name) === first)!;
      const command = 'load' in entry ? entry : entry.commands.find(({ usage }) => usage.split(' ')[0] === second)!;
      const schema = (await command.load()).output;
      const { stdout } = await weir([...argv, '--json']);
      expect(schema!.safeParse(JSON.parse(stdout)).error?.issues).toBeUndefined();
      expect((JSON.parse(stdout) as { schemaVersion: number }).schemaVersion).toBe(1);
    },
    30_000,
  );

  it('are completed, with their flags, in bash, zsh and fish', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { exit, stdout } = await weir(['completion', shell]);
      expect(exit).toBe(0);
      for (const word of ['backtest', 'rotate', 'delete-old-after']) expect(stdout).toContain(word);
    }
  }, 60_000);

  describe('with a failing server', () => {
    async function against(
      answer: (call: number) => { status: number; body: string; headers?: Record<string, string> },
      argv: readonly string[],
    ) {
      let calls = 0;
      const server = createServer((request, response) => {
        request.resume();
        const { status, body, headers = {} } = answer(++calls);
        response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers }).end(body);
      });
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
      const port = portOf(server);
      const result = await weir(argv, { env: { WEIR_URL: `http://127.0.0.1:${port}` } });
      await new Promise((closed) => server.close(closed));
      return { ...result, calls };
    }
    const error = (type: string) => JSON.stringify({ error: { type, message: 'Not now', trace_id: 't-1' } });

    it('retry requests that only read, and then report the error', async () => {
      const result = await against(() => ({ status: 503, body: error('unavailable') }), ['events', 'list']);
      expect([result.exit, result.calls]).toEqual([4, 3]);
      expect(lastLine(result.stderr)).toBe('exit 4: Not now, trace t-1');
    });

    it('never retry requests that change something', async () => {
      const argv = ['tokens', 'create', '--name', 'x', '--scope', 'events:read', '--json'];
      const result = await against(() => ({ status: 503, body: error('unavailable') }), argv);
      expect([result.exit, result.calls]).toEqual([4, 1]);
    });

    it('accept neither an HTML page nor a redirect as an answer', async () => {
      const page = await against(() => ({ status: 200, body: '<html>' }), ['whoami']);
      expect([page.exit, lastLine(page.stderr)]).toEqual([
        4,
        'exit 4: the answer is not JSON: is the URL the address of a Weir server?',
      ]);
      const moved = await against(
        () => ({ status: 302, body: '', headers: { location: 'http://127.0.0.1:1/' } }),
        ['whoami'],
      );
      expect(moved.exit).toBe(4);
    });

    it('report the address at which no server listens', async () => {
      const url = `http://127.0.0.1:${await freePort()}`;
      const result = await weir(['whoami'], { env: { WEIR_URL: url } });
      expect(result.exit).toBe(4);
      expect(lastLine(result.stderr)).toBe(`exit 4: ${url} cannot be reached: nothing listens there (ECONNREFUSED)`);
    });
  });
});
