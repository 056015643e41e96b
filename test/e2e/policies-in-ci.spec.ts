import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { readBootstrap, ServerProcess } from '../support/server-process.js';

const MAIN = resolve('bin/weir.mjs');

/** The `weir` commands of the workflow in the guide, in its order, including the commands that the action runs. */
function workflowCommands(): string[] {
  const guide = readFileSync('docs/guides/policies-in-ci.md', 'utf8');
  const [, yaml] = /```yaml\n(name: policies[\s\S]*?)```/.exec(guide) ?? [];
  const workflow = parse(yaml ?? '') as {
    jobs: Record<string, { steps: { run?: string; with?: { args?: string } }[] }>;
  };
  const lines = Object.values(workflow.jobs).flatMap(({ steps }) =>
    steps.flatMap(({ run, with: inputs }) => run ?? (inputs?.args === undefined ? [] : `weir ${inputs.args}`)),
  );
  return lines.filter((line) => line.startsWith('weir '));
}

describe('The workflow of the guide "Policies in CI"', () => {
  let server: ServerProcess;
  let folder: string;
  let env: Record<string, string>;
  const git = (...argv: string[]): string =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=n@example.com', ...argv], {
      cwd: folder,
      encoding: 'utf8',
    });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'weir-ci-'));
    cpSync('policies', join(folder, 'policies'), { recursive: true, filter: (path) => !path.endsWith('.spec.ts') });
    const dataDir = join(folder, '.data');
    server = await ServerProcess.start({ WEIR_DATA_DIR: dataDir, WEIR_POLICIES_DIR: resolve('policies') });
    const { token, keys } = readBootstrap(dataDir);
    env = { PATH: process.env['PATH'] ?? '', HOME: folder, WEIR_URL: server.url, WEIR_TOKEN: token };
    git('init', '-q', '-b', 'main');
    git('add', 'policies');
    git('commit', '-qm', 'one');
    git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    const response = await fetch(`${server.url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys.production}`, 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'ai.request', request_id: 'r1', payload: { prompt: 'hello' } }),
    });
    expect(response.status).toBe(200);
  }, 120_000);
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('works as written, in a new repository and with a server', () => {
    const commands = workflowCommands();
    expect(commands.map((command) => command.split(' ')[1])).toEqual([
      ...['fmt', 'lint', 'schema', 'test', 'mutate', 'diff', 'backtest', 'plan', 'deploy'],
    ]);
    for (const command of commands) {
      const [weir, ...argv] = command.split(' ');
      expect(weir).toBe('weir');
      const { status, stderr } = spawnSync(process.execPath, [MAIN, ...argv], { cwd: folder, env, encoding: 'utf8' });
      expect([command, status, stderr.trimEnd().split('\n').at(-1)]).toEqual([
        command,
        0,
        expect.stringMatching(/^exit 0: /),
      ]);
    }
  }, 180_000);
});
