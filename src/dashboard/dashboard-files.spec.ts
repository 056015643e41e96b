import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { fastify, type FastifyInstance } from 'fastify';
import { serveDashboard } from './dashboard-files.js';

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const PAGE = '<!doctype html><title>built</title>';
const SCRIPT = 'export const built = true;';

describe('The dashboard in the service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-dashboard-'));
  let server: FastifyInstance;
  const get = (url: string, headers: Record<string, string> = BROWSER) => server.inject({ url, headers });

  beforeAll(async () => {
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), PAGE);
    writeFileSync(join(folder, 'assets', 'a-1.js'), SCRIPT);
    writeFileSync(join(folder, 'assets', 'a-1.js.br'), brotliCompressSync(SCRIPT));
    server = fastify();
    await serveDashboard(server, folder);
    server.get('/v1/apps', () => 'apps');
    server.get('/auth/login', (_request, reply) => reply.type('text/html').send('login'));
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(['/', '/events', '/events/01a2?app=7', '/policies/production/files/a/b.yaml', '/v1events'])(
    'returns its page for %s, to be revalidated each time',
    async (url) => {
      const answer = await get(url);
      expect([answer.statusCode, answer.body]).toEqual([200, PAGE]);
      expect(answer.headers['cache-control']).toBe('no-cache');
    },
  );

  it('lets the page load and run only resources of the service', async () => {
    const policy = String((await get('/')).headers['content-security-policy']);
    expect(policy).toMatch(/default-src 'self'; script-src 'self'; style-src 'self';/);
    expect(policy).toMatch(/frame-ancestors 'none'.*require-trusted-types-for 'script'; trusted-types 'none'; /);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
  });

  it.each([
    '/v1/nothing',
    '/auth/nothing',
    '/proxy/x',
    '/docs/x',
    '/assets/gone-2.js',
    '/assets/a-1.js.br',
    '/metrics/x',
    '/csp-reports',
  ])('never returns its page for %s', async (url) => {
    expect((await get(url)).statusCode).toBe(404);
  });

  it('does not affect routes of the service, or clients that do not accept HTML', async () => {
    expect((await get('/v1/apps')).body).toBe('apps');
    expect((await get('/auth/login')).body).toBe('login');
    expect((await get('/events', { accept: 'application/json' })).statusCode).toBe(404);
    expect((await server.inject({ method: 'POST', url: '/events', headers: BROWSER })).statusCode).toBe(404);
  });

  it('sends assets as compressed at build time, to be cached permanently', async () => {
    const packed = await get('/assets/a-1.js', { 'accept-encoding': 'br' });
    expect([packed.statusCode, packed.headers['content-encoding']]).toEqual([200, 'br']);
    expect(packed.headers['content-type']).toContain('javascript');
    expect(packed.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect((await get('/assets/a-1.js', {})).body).toBe(SCRIPT);
  });

  it('reports a missing build, and the API still works', async () => {
    const bare = fastify();
    await serveDashboard(bare, join(folder, 'missing'));
    bare.get('/v1/apps', () => 'apps');
    const page = await bare.inject({ url: '/', headers: BROWSER });
    expect([page.statusCode, page.body]).toEqual([503, expect.stringContaining('npm run build')]);
    expect((await bare.inject('/v1/apps')).body).toBe('apps');
    expect((await bare.inject('/assets/x.js')).statusCode).toBe(404);
    await bare.close();
  });
});
