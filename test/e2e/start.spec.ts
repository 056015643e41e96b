import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, readBootstrap, ServerProcess } from '../support/server-process.js';

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the built service, which is expected to exit. */
async function startInVain(env: Record<string, string>): Promise<Ended> {
  const child = spawn(process.execPath, ['dist/server/main.js'], {
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr]: Buffer[][] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => stdout?.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr?.push(chunk));
  const [code] = (await once(child, 'exit')) as [number | null];
  return { code, stdout: Buffer.concat(stdout ?? []).toString(), stderr: Buffer.concat(stderr ?? []).toString() };
}

describe('The built service', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'weir-start-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('creates a first account once, prints which file has its credentials, and prints a command that works', async () => {
    const server = await ServerProcess.start({ WEIR_DATA_DIR: dataDir, WEIR_LOG_LEVEL: 'warn' });
    const bootstrap = readBootstrap(dataDir);
    try {
      expect(statSync(join(dataDir, 'bootstrap.json')).mode & 0o777).toBe(0o600);
      expect(Object.keys(bootstrap).sort()).toEqual(['account', 'app', 'base_url', 'keys', 'token']);
      expect(bootstrap.base_url).toBe(server.url.replace('127.0.0.1', 'localhost'));
      expect(server.output).toContain('bootstrap.json');
      for (const secret of [...Object.values(bootstrap.keys), bootstrap.token, bootstrap.account.password]) {
        expect(server.output).not.toContain(secret);
      }
      const command = server.output.split('\n').find((line) => line.trim().startsWith('curl ')) ?? '';
      const { stdout } = spawnSync('bash', ['-c', command.replace('curl ', 'curl -s ')], { encoding: 'utf8' });
      expect(JSON.parse(stdout)).toMatchObject({
        decision: 'redact',
        redactions: [{ type: 'contains_pii', count: 1 }],
        payload: { messages: [{ content: 'Write to [EMAIL_1]' }] },
      });
      expect(await server.stop()).toBe(0);
    } finally {
      await server.kill();
    }
    const again = await ServerProcess.start({ WEIR_DATA_DIR: dataDir, WEIR_LOG_LEVEL: 'warn' });
    try {
      expect(again.output).not.toContain('A first account');
      expect(readBootstrap(dataDir)).toEqual(bootstrap);
    } finally {
      await again.stop();
    }
  }, 120_000);

  it('reports all invalid settings, without values, a stack trace or log records', async () => {
    const marker = 'ZZ-MARKER-ZZ';
    const { code, stdout, stderr } = await startInVain({ PORT: marker, WEIR_BILLING: marker, WEIR_RATE_EVNTS: marker });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      [
        '3 settings are invalid:',
        '  WEIR_RATE_EVNTS: is not a setting; did you mean WEIR_RATE_EVENTS?',
        '  PORT: must be a whole number from 1 to 65535',
        '  WEIR_BILLING: must be on or off',
        '',
      ].join('\n'),
    );
  }, 60_000);

  it('refuses policies that do not compile, with the location of each problem', async () => {
    const policies = join(dataDir, 'policies');
    for (const environment of ['development', 'staging', 'production']) {
      mkdirSync(join(policies, environment), { recursive: true });
      const id = environment === 'staging' ? 'oops: [' : environment;
      const text = `apiVersion: weir/v1\nkind: Policy\nmetadata: { id: ${id}, title: T, owner: t@example.com }\nenvironment: ${environment}\ndefault: alow\n`;
      writeFileSync(join(policies, environment, 'policy.yaml'), text);
    }
    const { code, stdout, stderr } = await startInVain({
      WEIR_POLICIES_DIR: policies,
      WEIR_DATA_DIR: dataDir,
      PORT: String(await freePort()),
    });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/error\[[A-Z]+\d+\]/);
    for (const environment of ['development', 'staging', 'production'])
      expect(stderr).toContain(`${environment}/policy.yaml:`);
    expect(stderr).not.toMatch(/^\s+at /m);
  }, 60_000);

  it('reports that the port is in use', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    try {
      const { code, stderr } = await startInVain({
        PORT: String(port),
        WEIR_DATA_DIR: dataDir,
        WEIR_LOG_LEVEL: 'warn',
      });
      expect([code, stderr]).toEqual([
        1,
        'The port is in use. Stop the program that listens there, or set PORT to another port.\n',
      ]);
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
  }, 60_000);

  it('reports that the database cannot be reached, without its password', async () => {
    const url = `postgres://weir:${'pass' + 'word-5'}@127.0.0.1:${await freePort()}/weir`;
    const { code, stdout, stderr } = await startInVain({ DATABASE_URL: url, WEIR_DATA_DIR: dataDir });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^The database cannot be used: /);
    expect(stderr).not.toMatch(/word-5|^\s+at /m);
  }, 60_000);

  it('finishes running calls after SIGTERM, and accepts no new ones', async () => {
    // Long enough that a connection that stays open makes this test fail.
    const settings = { WEIR_DATA_DIR: dataDir, WEIR_LOG_LEVEL: 'warn', WEIR_DRAIN_TIMEOUT: '10m' };
    const server = await ServerProcess.start(settings);
    const key = readBootstrap(dataDir).keys.production;
    let running = true;
    const acknowledged: string[] = [];
    const writer = async (id: number): Promise<void> => {
      for (let sequence = 0; running; sequence++) {
        const eventId = `w${id}.${sequence}`;
        const body = { type: 'ai.request', event_id: eventId, request_id: 'r', payload: { prompt: 'hello' } };
        const answer = await fetch(`${server.url}/v1/events`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }).catch(() => undefined);
        if (answer === undefined) return;
        // Every accepted request gets a complete answer: an acknowledgement, or a 503.
        expect([200, 503]).toContain(answer.status);
        if (answer.status === 200) acknowledged.push(eventId);
      }
    };
    const writers = Array.from({ length: 8 }, (_, id) => writer(id));
    while (acknowledged.length < 40) await new Promise((resolve) => setImmediate(resolve));
    expect(await server.stop()).toBe(0);
    running = false;
    await Promise.all(writers);

    const again = await ServerProcess.start({ WEIR_DATA_DIR: dataDir, WEIR_LOG_LEVEL: 'warn' });
    try {
      const token = readBootstrap(dataDir).token;
      for (const eventId of acknowledged) {
        const answer = await fetch(`${again.url}/v1/events/${eventId}`, {
          headers: { authorization: `Bearer ${token}` },
        });
        expect([eventId, answer.status]).toEqual([eventId, 200]);
      }
    } finally {
      await again.stop();
    }
  }, 120_000);

  it('keeps the last policy that compiled when a file becomes invalid at run time', async () => {
    const policies = join(dataDir, 'policies');
    const text = (environment: string, fallback: string): string =>
      `apiVersion: weir/v1\nkind: Policy\nmetadata: { id: ${environment}, title: T, owner: t@example.com }\nenvironment: ${environment}\ndefault: ${fallback}\n`;
    for (const environment of ['development', 'staging', 'production']) {
      mkdirSync(join(policies, environment), { recursive: true });
      writeFileSync(join(policies, environment, 'policy.yaml'), text(environment, 'allow'));
    }
    const server = await ServerProcess.start({
      WEIR_DATA_DIR: dataDir,
      WEIR_POLICIES_DIR: policies,
      WEIR_LOG_LEVEL: 'info',
    });
    const stale = async (): Promise<{ stale: boolean; digest: string }> =>
      (
        (await (await fetch(`${server.url}/readyz`)).json()) as {
          policies: { production: { stale: boolean; digest: string } };
        }
      ).policies.production;
    const until = async (holds: (state: { stale: boolean; digest: string }) => boolean): Promise<void> => {
      for (let state = await stale(); !holds(state); state = await stale())
        await new Promise((resolve) => setTimeout(resolve, 50));
    };
    try {
      const { digest } = await stale();
      writeFileSync(join(policies, 'production', 'policy.yaml'), text('production', 'alow'));
      await until((state) => state.stale);
      expect((await stale()).digest).toBe(digest);
      expect(server.output).toMatch(/does not compile/);
      writeFileSync(join(policies, 'production', 'policy.yaml'), text('production', 'block'));
      await until((state) => !state.stale && state.digest !== digest);
    } finally {
      await server.stop();
    }
  }, 120_000);
});
