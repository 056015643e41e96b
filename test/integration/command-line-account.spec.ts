import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request as ask, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { urlOf } from '../support/ports.js';
import { runWeir, type WeirOptions } from '../support/run-weir.js';
import { startTestApp, TEST_PLUGINS, type TestApp } from '../support/test-app.js';

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1)!;

describe('The commands for accounts, apps, keys and tokens', () => {
  let app: TestApp;
  let folder: string;
  beforeAll(async () => {
    app = await startTestApp();
    folder = mkdtempSync(join(tmpdir(), 'weir-cli-'));
    for (let n = 0; n < 30; n += 1) {
      const response = await fetch(`${app.url}/v1/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${app.bootstrap.keys.production}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          ...{ type: 'ai.request', event_id: `e${n}`, request_id: `r${n}` },
          payload: { prompt: n % 3 === 0 ? `token-${n}` : `plain ${'x'.repeat(500)}` },
        }),
      });
      await response.arrayBuffer();
    }
  }, 60_000);
  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const weir = (argv: readonly string[], options: WeirOptions = {}) =>
    runWeir(argv, {
      ...{ cwd: folder, catalog: TEST_PLUGINS },
      ...options,
      env: {
        ...{ WEIR_URL: app.url, WEIR_TOKEN: app.bootstrap.token, XDG_CONFIG_HOME: join(folder, 'config') },
        ...options.env,
      },
    });
  const json = async <T>(argv: readonly string[]): Promise<T> =>
    JSON.parse((await weir([...argv, '--json'])).stdout) as T;

  describe('subscriptions', () => {
    const local = (...argv: string[]) =>
      weir(['subscriptions', ...argv], { env: { WEIR_DATA_DIR: app.dataDir, WEIR_TOKEN: '' } });
    const submitted = async (): Promise<number> => {
      const response = await fetch(`${app.url}/v1/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${app.bootstrap.keys.production}`, 'content-type': 'application/json' },
        body: JSON.stringify({ type: 'agent.tool_call', payload: { tool: 'search' } }),
      });
      await response.arrayBuffer();
      return response.status;
    };
    const until = async (status: number): Promise<void> => {
      while ((await submitted()) !== status);
    };

    it('can be changed while the service locks its embedded database, and take effect at once', async () => {
      const { email } = app.bootstrap.account;
      const lapsed = await local('set', email, 'lapsed');
      expect([lapsed.exit, lastLine(lapsed.stderr)]).toEqual([0, 'exit 0: the subscription is lapsed']);
      await until(402);
      expect(JSON.parse((await local('show', email, '--json')).stdout)).toMatchObject({
        schemaVersion: 1,
        subscription: { state: 'lapsed', trial: null },
      });
      const active = await local('set', email, 'active', '--until', '2100-01-01');
      expect(active.stdout).toContain('paid until  2100-01-01T00:00:00.000Z');
      await until(200);
      expect((await local('set', email, 'active')).exit).toBe(0);
    });

    it('cannot be set for an unknown account, or to an unknown state', async () => {
      expect(lastLine((await local('set', 'nobody@example.com', 'active')).stderr)).toBe(
        'exit 2: there is no such account',
      );
      expect(lastLine((await local('set', app.bootstrap.account.email, 'activ')).stderr)).toBe(
        'exit 2: <state> takes trialing, active, inactive, lapsed; it is "activ"',
      );
      expect(
        lastLine((await local('set', app.bootstrap.account.email, 'lapsed', '--until', '2100-01-01')).stderr),
      ).toBe('exit 2: --until cannot be combined with lapsed');
    });
  });

  describe('apps', () => {
    it('can be created, listed, renamed, and archived only with --yes', async () => {
      const made = await json<{ app: { id: string } }>(['apps', 'create', 'checkout']);
      expect((await weir(['apps', 'list'])).stdout).toMatch(
        new RegExp(`^ID +NAME +SINCE\\n(.*\\n)*${made.app.id} +checkout +\\d{4}-\\d\\d-\\d\\d\\n$`),
      );
      const again = await weir(['apps', 'create', 'checkout']);
      expect([again.exit, lastLine(again.stderr)]).toEqual([2, 'exit 2: the name is the name of another app']);
      expect((await weir(['apps', 'rename', 'checkout', 'till'])).exit).toBe(0);
      const asked = await weir(['apps', 'archive', 'till']);
      expect([asked.exit, lastLine(asked.stderr)]).toEqual([
        2,
        expect.stringMatching(
          /^exit 2: the keys of "till" stop working immediately and cannot be restored: use --yes to confirm$/,
        ),
      ]);
      expect((await weir(['apps', 'archive', 'till', '--yes'])).exit).toBe(0);
      expect((await weir(['apps', 'show', 'till'])).exit).toBe(2);
    });

    it('have two limits that are changed separately', async () => {
      await weir(['apps', 'create', 'limited']);
      expect((await weir(['apps', 'limits', 'limited', '--events', '50/1m'])).stdout).toMatch(
        /^events +0 of 50 in 60 s \(app limit\)$/m,
      );
      const both = await json<{ app: { limits: object } }>(['apps', 'limits', 'limited', '--proxy', '5/1s']);
      expect(both.app.limits).toEqual({ events: { count: 50, seconds: 60 }, proxy: { count: 5, seconds: 1 } });
      const one = await json<{ app: { limits: object } }>(['apps', 'limits', 'limited', '--events', 'none']);
      expect(one.app.limits).toEqual({ events: null, proxy: { count: 5, seconds: 1 } });
      const shown = await weir(['apps', 'limits', 'limited']);
      expect(shown.stdout).toMatch(/^proxy +0 of 5 in 1 s \(app limit\)$/m);
      for (const bad of ['many', '5/1x', '0/1m']) {
        expect(await weir(['apps', 'limits', 'limited', '--proxy', bad])).toMatchObject({ exit: 2, stdout: '' });
      }
    });
  });

  describe('views', () => {
    it('store named filters for listing events', async () => {
      expect((await weir(['views', 'save', 'Tokens', '--rule', 'words.flag-token', '--shared'])).exit).toBe(0);
      expect((await weir(['views', 'list'])).stdout).toMatch(/ Tokens +shared +\S.* +rule=words\.flag-token\n$/);
      const flags = ['--calls', '--json'];
      const byView = await weir(['events', 'list', '--view', 'Tokens', ...flags]);
      expect(JSON.parse(byView.stdout).events).toHaveLength(10);
      expect(byView.stdout).toBe((await weir(['events', 'list', '--rule', 'words.flag-token', ...flags])).stdout);
      const other = await weir(['events', 'list', '--view', 'Tokens', '--rule', 'words.block-ssn', ...flags]);
      expect(JSON.parse(other.stdout).events).toEqual([]);
      expect(lastLine((await weir(['views', 'save', 'Tokens', '--model', 'm'])).stderr)).toBe(
        'exit 2: the name is the name of another view',
      );
      expect((await weir(['views', 'save', 'nothing'])).exit).toBe(2);
      expect((await weir(['views', 'delete', 'Tokens'])).exit).toBe(2);
      expect((await weir(['views', 'delete', 'Tokens', '--yes'])).exit).toBe(0);
      expect((await weir(['events', 'list', '--view', 'Tokens'])).exit).toBe(2);
    });
  });

  describe('logging in', () => {
    it('exchanges the password for a token, and then ends its own session', async () => {
      const env = { XDG_CONFIG_HOME: join(folder, 'by-password'), WEIR_TOKEN: '', WEIR_URL: '' };
      const { email, password } = app.bootstrap.account;
      const flags = ['login', '--url', app.url, '--email', email, '--scope', 'events:read,account:admin'];
      const login = await weir([...flags, '--password-file', '-'], { env, stdin: `${password}\n` });
      expect([login.exit, lastLine(login.stderr)]).toEqual([0, expect.stringContaining(`as ${email}`)]);
      expect((await weir(['whoami', '--json'], { env })).stdout).not.toContain('policy:deploy');
      const audit = await weir(['audit', '--action', 'session.started,session.ended,token.created', '--json'], { env });
      const { entries } = JSON.parse(audit.stdout) as { entries: { action: string }[] };
      expect(entries.slice(0, 3).map(({ action }) => action)).toEqual([
        'session.ended',
        'token.created',
        'session.started',
      ]);
      const wrong = await weir([...flags, '--password-file', '-'], { env, stdin: 'not the password' });
      expect([wrong.exit, lastLine(wrong.stderr)]).toEqual([4, 'exit 4: The e-mail address or the password is wrong']);
      expect(lastLine((await weir(flags, { env })).stderr)).toBe(
        'exit 2: without a terminal, provide the password in a file or on stdin: --password-file -',
      );
    });
  });

  describe('items that need attention', () => {
    it('are listed, can be hidden, and cause a separate exit code if one is critical', async () => {
      expect(await weir(['attention'])).toMatchObject({
        exit: 0,
        stdout: '',
        stderr: 'exit 0: nothing needs attention\n',
      });
      await weir(['events', 'mark', 'e0', 'wrong']);
      const shown = await weir(['attention', '--env', 'production']);
      expect(shown.stdout).toMatch(
        /^SEVERITY .*\ninfo +production +\S+ \S+ +marks open +rule words\.flag-token, wrong 1, missed 0 +marks_open:production:words\.flag-token\n$/,
      );
      expect(lastLine(shown.stderr)).toBe('exit 0: 1 item, none critical');
      const hidden = await json<{ items: object[] }>([
        ...['attention', '--hide', 'marks_open:production:words.flag-token', '--for', '7d'],
      ]);
      expect(hidden.items).toEqual([]);
      expect((await weir(['attention', '--hide', 'nonsense'])).exit).toBe(2);
      expect((await weir(['attention', '--hide', 'key_unused:x', '--for', '100d'])).exit).toBe(2);
      const failed = await fetch(`${app.url}/v1/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${app.bootstrap.keys.production}`, 'content-type': 'application/json' },
        body: JSON.stringify({ type: 'ai.request', request_id: 'down', payload: { prompt: 'explode' } }),
      });
      expect(failed.status).toBe(503);
      const critical = await weir(['attention']);
      expect([critical.exit, lastLine(critical.stderr)]).toEqual([1, 'exit 1: 1 of 1 item critical']);
    });
  });

  describe('schedules of exports', () => {
    const AWS = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE7F2A', AWS_SECRET_ACCESS_KEY: 'wJalr' + 'XUtnFEMI' };
    const schedules = ['exports', 'schedules'];

    it('can be created, listed, paused, resumed, changed and deleted', async () => {
      const made = await weir([
        ...schedules,
        'create',
        'nightly',
        '--every',
        'day',
        '--hour',
        '3',
        '--decision',
        'block',
      ]);
      expect(lastLine(made.stderr)).toMatch(/^exit 0: each day at 03:00 UTC, next \d{4}-\d\d-\d\dT03:00:00\.000Z$/);
      const id = made.stdout.trim();
      const listed = async () => (await weir([...schedules, 'list'])).stdout;
      expect(await listed()).toMatch(
        new RegExp(`^ID .*\\n${id} +nightly +each day at 03:00 UTC +jsonl +here +\\d{4}-\\S+ 03:00 +none\\n$`),
      );
      expect((await weir([...schedules, 'pause', 'nightly'])).exit).toBe(0);
      expect(await listed()).toContain('paused');
      expect((await weir([...schedules, 'resume', id])).exit).toBe(0);
      expect(await listed()).not.toContain('paused');
      expect((await weir([...schedules, 'runs', 'nightly'])).stdout).toMatch(/^EXPORT .*PROBLEM\n$/);
      const update = async (...flags: string[]) => weir([...schedules, 'update', 'nightly', ...flags, '--json']);
      const updated = async (...flags: string[]) => JSON.parse((await update(...flags)).stdout).schedule;
      expect(await updated('--hour', '5', '--format', 'csv', '--bom')).toMatchObject({
        ...{ id, due: { every: 'day', hour: 5 }, format: 'csv', filters: { decision: 'block' } },
      });
      expect(await updated('--every', 'week', '--weekday', 'friday')).toMatchObject({
        due: { every: 'week', weekday: 'friday', hour: 5 },
      });
      expect(await updated('--hour', '6', '--rule', 'a.b')).toMatchObject({
        ...{ due: { every: 'week', weekday: 'friday', hour: 6 }, filters: { rule: 'a.b' } },
      });
      expect((await updated('--all-events')).filters).toEqual({});
      for (const flags of [
        [],
        ['--day', '3'],
        ['--all-events', '--rule', 'x'],
        ['--keep', '--to', 's3://b/'],
        ['--columns', 'id,'],
      ])
        expect((await update(...flags)).exit).toBe(2);
      expect((await weir([...schedules, 'delete', 'nightly'])).exit).toBe(2);
      expect((await weir([...schedules, 'delete', 'nightly', '--yes'])).exit).toBe(0);
      const gone = await weir([...schedules, 'delete', 'nightly', '--yes']);
      expect([gone.exit, lastLine(gone.stderr)]).toEqual([
        2,
        'exit 2: there is no such schedule. See: weir exports schedules list',
      ]);
    });

    it('write to a bucket with credentials from the environment, which are never printed', async () => {
      const to = ['--to', 's3://audit/weir/', '--region', 'eu-central-1'];
      const made = await weir([...schedules, 'create', 'b', '--every', 'week', ...to, '--json'], { env: AWS });
      expect(JSON.parse(made.stdout)).toMatchObject({
        schedule: {
          due: { every: 'week', weekday: 'monday', hour: 2 },
          destination: { kind: 's3', bucket: 'audit', prefix: 'weir/', access_key_ends: '7F2A' },
        },
      });
      const listed = await weir([...schedules, 'list', '--json']);
      expect(made.stdout + made.stderr + listed.stdout).not.toContain(AWS.AWS_SECRET_ACCESS_KEY);
      expect((await weir([...schedules, 'delete', 'b', '--yes'])).exit).toBe(0);
    });

    it.each<[readonly string[], Readonly<Record<string, string>>, string]>([
      [['--to', 's3://audit', '--region', 'r'], {}, 'the credentials of the bucket are missing: set AWS_ACCESS_KEY_ID'],
      [['--to', 's3://audit'], AWS, 'in which region is the bucket? Use --region, or AWS_REGION'],
      [['--to', `s3://id:${AWS.AWS_SECRET_ACCESS_KEY}@audit`], AWS, '--to takes a bucket: s3://bucket/prefix/'],
      [['--region', 'r'], AWS, '--region needs a bucket: --to s3://bucket/prefix/'],
      [['--try'], AWS, '--try needs a bucket: --to s3://bucket/prefix/'],
    ])('and single exports name what is missing: %j', async (flags, env, problem) => {
      for (const command of [
        ['exports', 'create'],
        [...schedules, 'create', 'x', '--every', 'day'],
      ]) {
        const { exit, stdout, stderr } = await weir([...command, ...flags], { env });
        expect([exit, stdout, lastLine(stderr)]).toEqual([2, '', `exit 2: ${problem}`]);
        expect(stderr).not.toContain(AWS.AWS_SECRET_ACCESS_KEY);
      }
    });

    it('and single exports are not created if the trial write to their bucket fails', async () => {
      const before = (await weir(['exports', 'list'])).stdout;
      const flags = ['--to', 's3://audit', '--region', 'r', '--endpoint', 'https://localhost:1', '--try'];
      for (const command of [
        ['exports', 'create'],
        [...schedules, 'create', 'x', '--every', 'day'],
      ]) {
        const { exit, stdout, stderr } = await weir([...command, ...flags], { env: AWS });
        expect([exit, stdout, lastLine(stderr)]).toEqual([
          4,
          '',
          'exit 4: writing to the bucket failed, so no export was started: The endpoint is an address of a private network',
        ]);
        expect(stderr).not.toContain(AWS.AWS_SECRET_ACCESS_KEY);
      }
      expect((await weir(['exports', 'list'])).stdout).toBe(before);
      expect((await weir([...schedules, 'list'])).stdout).not.toContain(' x ');
    });

    it('accept only the flags that fit their interval', async () => {
      for (const flags of [
        ['--every', 'day', '--weekday', 'friday'],
        ['--every', 'week', '--day', '3'],
        ['--every', 'hour'],
      ]) {
        expect(await weir([...schedules, 'create', 'x', ...flags])).toMatchObject({ exit: 2, stdout: '' });
      }
      expect((await weir([...schedules, 'create', 'x', '--every', 'month', '--day', '31'])).exit).toBe(2);
    });
  });

  describe('exports', () => {
    let direct: string;
    beforeAll(async () => {
      await weir(['events', 'export', '--type', 'ai.request', '--until', '0s', '-o', 'direct.jsonl']);
      direct = readFileSync(join(folder, 'direct.jsonl'), 'utf8');
    });

    it('are written by the service, then fetched and verified by the command', async () => {
      const made = await weir(['exports', 'create', '--type', 'ai.request', '-o', 'all.jsonl']);
      expect(made).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/) });
      expect(lastLine(made.stderr)).toMatch(/^exit 0: 31 events in all\.jsonl, SHA-256 [0-9a-f]{64}$/);
      expect(readFileSync(join(folder, 'all.jsonl'), 'utf8')).toBe(direct);
      expect(statSync(join(folder, 'all.jsonl')).mode & 0o777).toBe(0o600);
      const id = made.stdout.trim();
      expect((await weir(['exports', 'list'])).stdout).toContain(id);
      expect(lastLine((await weir(['exports', 'fetch', id, '-o', 'all.jsonl'])).stderr)).toBe(
        'exit 2: all.jsonl already exists; to continue it: --resume',
      );
      writeFileSync(join(folder, 'part.jsonl'), direct.slice(0, 777));
      expect((await weir(['exports', 'fetch', id, '-o', 'part.jsonl', '--resume'])).exit).toBe(0);
      expect(readFileSync(join(folder, 'part.jsonl'), 'utf8')).toBe(direct);
      writeFileSync(join(folder, 'other.jsonl'), 'another file');
      const other = await weir(['exports', 'fetch', id, '-o', 'other.jsonl', '--resume']);
      expect([other.exit, lastLine(other.stderr)]).toEqual([
        4,
        'exit 4: other.jsonl differs from the export: delete the file and fetch it again',
      ]);
      const slip = await weir(['exports', 'cancel', id]);
      expect([slip.exit, lastLine(slip.stderr)]).toEqual([
        2,
        `exit 2: the export ${id} is cancelled, and its file is deleted: use --yes to confirm`,
      ]);
      expect((await weir(['exports', 'cancel', id, '--yes'])).exit).toBe(0);
      expect(lastLine((await weir(['exports', 'fetch', id, '-o', 'late.jsonl'])).stderr)).toBe(
        'exit 2: there is no such export, or it was deleted. See: weir exports list',
      );
    });

    it('resume after a broken connection, with their progress in a terminal', async () => {
      const { stdout } = await weir(['exports', 'create', '--type', 'ai.request', '--until-written']);
      const ranges: (string | undefined)[] = [];
      const cutting = await cuttingProxy(app.url, 1_000, (range) => ranges.push(range));
      try {
        const fetched = await weir(['exports', 'fetch', stdout.trim(), '-o', 'cut.jsonl'], {
          env: { WEIR_URL: urlOf(cutting) },
          terminal: true,
        });
        expect(fetched.exit).toBe(0);
        expect(fetched.stderr).toContain('MB fetched (');
        expect(readFileSync(join(folder, 'cut.jsonl'), 'utf8')).toBe(direct);
        expect(ranges).toEqual([undefined, 'bytes=1000-']);
      } finally {
        cutting.closeAllConnections();
        await new Promise((closed) => cutting.close(closed));
      }
    });

    it('can be limited to some columns of CSV, and fail if the service refuses the request', async () => {
      const made = await weir(['exports', 'create', '--format', 'csv', '--columns', 'id,type', '-o', 'two.csv']);
      expect(made.exit).toBe(0);
      expect(readFileSync(join(folder, 'two.csv'), 'utf8').split('\r\n')[0]).toBe('id,type');
      expect((await weir(['exports', 'create', '--columns', 'id'])).exit).not.toBe(0);
      expect((await weir(['exports', 'create', '--format', 'csv', '--columns', 'id,,type'])).exit).toBe(2);
    });
  });
});

/** A proxy that cuts the first transfer of a file after `after` bytes. */
async function cuttingProxy(url: string, after: number, seen: (range: string | undefined) => void): Promise<Server> {
  let isCut = false;
  const server = createServer((from, to) => {
    const isFile = from.url!.endsWith('/file');
    if (isFile) seen(from.headers.range);
    const cuts = isFile && !isCut;
    isCut ||= cuts;
    const passed = ask(`${url}${from.url}`, { method: from.method, headers: from.headers }, (answer) => {
      to.writeHead(answer.statusCode!, answer.headers);
      if (!cuts) {
        answer.pipe(to);
        return;
      }
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () => to.write(Buffer.concat(parts).subarray(0, after), () => to.destroy()));
    });
    from.pipe(passed);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return server;
}
