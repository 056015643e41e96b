import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runWeir } from '../../test/support/run-weir.js';

const NAMES = [
  ...['node', 'contexts', 'settings', 'database', 'standby', 'policies', 'server', 'clock', 'token', 'providers'],
];

describe('weir doctor', () => {
  let cwd: string;
  beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), 'weir-doctor-'))));
  afterEach(() => rmSync(cwd, { recursive: true, force: true }));

  /** Runs every check; no provider is reachable. */
  async function checked(env: Record<string, string>, ...flags: string[]) {
    const nowhere = 'http://127.0.0.1:1';
    const { exit, stdout } = await runWeir(['doctor', '--json', ...flags], {
      cwd,
      env: { XDG_CONFIG_HOME: cwd, WEIR_OPENAI_BASE_URL: nowhere, WEIR_ANTHROPIC_BASE_URL: nowhere, ...env },
    });
    const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string; message: string }[] };
    expect(checks.map(({ name }) => name)).toEqual(NAMES);
    return { exit, of: (wanted: string) => checks.find(({ name }) => name === wanted) };
  }

  it.each<[string, Record<string, string>, readonly string[], string]>([
    ['a URL without a scheme', { WEIR_URL: 'localhost:8080' }, [], 'did you mean http://localhost:8080?'],
    ['a token with a blank', { WEIR_TOKEN: 'two words' }, [], 'WEIR_TOKEN contains more than a token'],
    ['an unknown context', {}, ['--context', 'none'], 'there is no context "none"'],
  ])(
    'reports %s and continues with the other checks',
    async (_what, env, flags, words) => {
      const { exit, of } = await checked(env, ...flags);
      expect(exit).toBe(1);
      expect(of('server')).toMatchObject({ status: 'problem', message: expect.stringContaining(words) });
      expect(of('clock')).toMatchObject({ status: 'skipped' });
    },
    30_000,
  );

  it('reports a configuration that other users can read', async () => {
    mkdirSync(join(cwd, 'weir'));
    writeFileSync(join(cwd, 'weir', 'config.json'), '{"version":1,"contexts":{}}');
    chmodSync(join(cwd, 'weir', 'config.json'), 0o644);
    const { of } = await checked({});
    expect(of('contexts')).toMatchObject({ status: 'problem', message: expect.stringContaining('run chmod 600') });
  }, 30_000);

  it('creates no data folder, and says whether it could be created', async () => {
    writeFileSync(join(cwd, 'file'), '');
    expect((await checked({ WEIR_DATA_DIR: join(cwd, 'new', 'data') })).of('database')).toMatchObject({ status: 'ok' });
    expect(existsSync(join(cwd, 'new'))).toBe(false);
    for (const taken of ['file', 'file/data']) {
      const { of } = await checked({ WEIR_DATA_DIR: join(cwd, taken) });
      expect(of('database')).toMatchObject({ status: 'problem', message: expect.stringContaining('ENOTDIR') });
    }
  }, 30_000);
});
