import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runWeir } from '../../test/support/run-weir.js';

const lastLine = (text: string): string | undefined => text.trimEnd().split('\n').at(-1);

/** A server that may be asked about these environments, and the requests that it received with their tokens. */
interface FakeServer {
  readonly url: string;
  readonly asked: string[];
  close(): void;
}

async function serverOf(...environments: string[]): Promise<FakeServer> {
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    const body = request.url === '/v1/me' ? { environments } : { data: [], next_before: null };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked, close: () => (server.closeAllConnections(), server.close()) };
}

describe('A project whose file names the servers', () => {
  let cwd: string;
  let staging: FakeServer;
  let production: FakeServer;
  let current: FakeServer;
  beforeEach(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'weir-servers-'));
    staging = await serverOf('development', 'staging');
    production = await serverOf('production');
    current = await serverOf('development', 'staging', 'production');
    put('policies/weir.config.yaml', projectFile());
    const contexts = {
      a: { url: staging.url, token: 'of-staging' },
      b: { url: production.url, token: 'of-production' },
      c: { url: current.url, token: 'of-current' },
    };
    put('config/weir/config.json', JSON.stringify({ version: 1, current: 'c', contexts }));
  });
  afterEach(() => {
    for (const server of [staging, production, current]) server.close();
    rmSync(cwd, { recursive: true, force: true });
  });

  function projectFile(): string {
    const servers = `servers: { staging: '${staging.url}', production: '${production.url}' }`;
    return `apiVersion: weir/v1\nkind: Project\n${servers}\n`;
  }
  function put(path: string, text: string): void {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text, { mode: 0o600 });
  }
  const weir = (...argv: string[]) => runWeir(argv, { cwd, env: { XDG_CONFIG_HOME: join(cwd, 'config') } });
  const rollback = ['rollback', 'production', '--because', 'Pager', '--yes'];

  it('is served by each of them with the token that was saved for it', async () => {
    expect((await weir('history', 'staging')).exit).toBe(0);
    expect((await weir('history', 'production')).exit).toBe(0);
    expect(staging.asked).toEqual(['GET /v1/policies/staging/deployments?limit=20 Bearer of-staging']);
    expect(production.asked).toEqual(['GET /v1/policies/production/deployments?limit=20 Bearer of-production']);
    expect(current.asked).toEqual([]);
  });

  it('asks only these servers about all environments', async () => {
    expect((await weir('history')).exit).toBe(0);
    const paths = (server: FakeServer) => server.asked.map((line) => line.split(' ')[1]);
    expect(paths(staging)).toEqual(['/v1/me', '/v1/policies/staging/deployments?limit=20']);
    expect(paths(production)).toEqual(['/v1/me', '/v1/policies/production/deployments?limit=20']);
    expect(current.asked).toEqual([]);
  });

  it('sends them the token on stdin, also if a command opens several connections', async () => {
    const token = `wt_${'live_'}stdin`;
    const env = { XDG_CONFIG_HOME: join(cwd, 'config') };
    const { exit } = await runWeir(['history', '--token-file', '-'], { cwd, env, stdin: `${token}\n` });
    expect(exit).toBe(0);
    const tokens = [staging, production].map(({ asked }) => asked.map((line) => line.split(' ').at(-1)));
    expect(tokens).toEqual([
      [token, token],
      [token, token],
    ]);
  });

  it.each([
    ['rollback', rollback],
    ['promote', ['promote', 'staging', 'production', '--yes']],
    ['show', ['show', 'production']],
    ['history', ['history', 'production']],
    ['exceptions list', ['exceptions', 'list', 'production', '--deployed']],
    ['rules stats', ['rules', 'stats', 'production']],
  ])('sends %s to no other server if its file has an error', async (_name, argv) => {
    put('policies/weir.config.yaml', `${projectFile()}\tunreadable`);
    const { exit, stderr } = await weir(...argv);
    expect(exit).toBe(3);
    expect(stderr).toContain('policies/weir.config.yaml:');
    expect(lastLine(stderr)).toBe(
      'exit 3: the project file, which can name the server, has errors; no server was asked',
    );
    expect(current.asked).toEqual([]);
  });

  it.each([
    [['--config', 'typo.yaml'], 'exit 2: there is no file typo.yaml'],
    [['--policies', 'typo'], 'exit 2: there is no folder typo'],
  ])('sends a rollback to no other server if a flag names a missing file: %j', async (flags, words) => {
    expect(lastLine((await weir(...rollback, ...flags)).stderr)).toBe(words);
    expect(current.asked).toEqual([]);
  });

  it('can be rolled back without its file if the server is named', async () => {
    put('policies/weir.config.yaml', '\tunreadable');
    await weir(...rollback, '--url', production.url);
    expect(production.asked[0]).toBe('GET /v1/policies/production Bearer of-production');
  });
});
