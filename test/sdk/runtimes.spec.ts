import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { SimulatedProvider } from '../support/simulated-provider.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { installedPackage, run } from './installed-package.js';

const RUNTIMES = resolve('test/sdk/runtimes');

/** The path of a runtime's program in its package for this machine; undefined if it is not installed. */
function programOf(scope: string, name: string): string | undefined {
  const folder = join(RUNTIMES, 'node_modules', scope);
  if (!existsSync(folder)) return undefined;
  return readdirSync(folder)
    .flatMap((each) => [join(folder, each, 'bin', name), join(folder, each, name)])
    .find((path) => existsSync(path));
}

const BUN = programOf('@oven', 'bun');
const DENO = programOf('@deno', 'deno');
const WORKERD = programOf('@cloudflare', 'workerd');

/** Compatibility dates: a worker runs with the interfaces of its date. */
const WORKER_DATES = ['2026-10-01', '2024-01-01'] as const;

interface Settings {
  readonly providerUrl: string;
  readonly weirUrl: string;
  readonly weirKey: string;
  readonly session: string;
}

/**
 * Runs a program of `test/sdk/runtimes/programs`, and returns its JSON output. A worker is stopped after its answer and
 * after `late` has resolved; programs end by themselves.
 */
type Run = (program: 'everything' | 'leave', settings: Settings, late?: () => Promise<void>) => Promise<unknown>;

describe('the package weir-sdk in each supported runtime', () => {
  let app: TestApp;
  let provider: SimulatedProvider;
  let folder: string;
  beforeAll(async () => {
    provider = await SimulatedProvider.start();
    provider.say('hello', 'Hi');
    app = await startTestApp();
    folder = await installedPackage(['openai', '@anthropic-ai/sdk']);
    cpSync(join(RUNTIMES, 'programs'), folder, { recursive: true });
    for (const date of WORKER_DATES) {
      const config = readFileSync(join(RUNTIMES, 'worker.capnp'), 'utf8').replace('DATE', date);
      writeFileSync(join(folder, `worker-${date}.capnp`), config);
    }
  }, 600_000);
  afterAll(async () => {
    await app.close();
    await provider.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const byCommand =
    (command: readonly string[]): Run =>
    async (program, settings) => {
      const [file, ...words] = [...command, program === 'leave' ? 'leave.mjs' : 'main.mjs'];
      const env = { PATH: process.env['PATH'], HOME: folder, SETTINGS: JSON.stringify(settings), NO_COLOR: '1' };
      const { stdout } = await run(file!, words, { cwd: folder, env });
      return JSON.parse(stdout);
    };

  let bundled: Promise<unknown> | undefined;
  const inWorkerd =
    (date: string): Run =>
    async (program, settings, late) => {
      // A worker has to be a single file.
      const bundler = resolve('node_modules/rolldown/bin/cli.mjs');
      const words = [
        'worker.mjs',
        '--format',
        'esm',
        '--platform',
        'browser',
        '--no-code-splitting',
        '--file',
        'bundle.mjs',
      ];
      await (bundled ??= run(process.execPath, [bundler, ...words], { cwd: folder }));
      const worker = spawn(WORKERD!, ['serve', `worker-${date}.capnp`, '--control-fd=3'], {
        cwd: folder,
        stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
      });
      try {
        const url = `http://127.0.0.1:${await portOf(worker)}/${program}`;
        const answer: unknown = await (await fetch(url, { method: 'POST', body: JSON.stringify(settings) })).json();
        await late?.();
        return answer;
      } finally {
        const ended = once(worker, 'exit');
        worker.kill('SIGTERM');
        await ended;
      }
    };

  const stored = async (session: string): Promise<{ type: string; metadata?: object }[]> => {
    const found = await fetch(`${app.url}/v1/events?limit=100&session=${session}`, {
      headers: { authorization: `Bearer ${app.bootstrap.token}` },
    });
    return ((await found.json()) as { data: { type: string; metadata?: object }[] }).data;
  };

  const runtimes: readonly (readonly [name: string, program: string | undefined, run: Run, context: RegExp])[] = [
    ['Node.js', process.execPath, byCommand([process.execPath]), /^kept$/],
    ['Bun', BUN, byCommand([BUN!, 'run']), /^kept$/],
    ['Deno', DENO, byCommand([DENO!, 'run', '--allow-net', '--allow-env', '--allow-read', '--allow-sys']), /^kept$/],
    ['workerd', WORKERD, inWorkerd(WORKER_DATES[0]), /^kept$/],
    // With this date, modules of Node.js are missing, and the SDK reports that.
    ['workerd of an older day', WORKERD, inWorkerd(WORKER_DATES[1]), /^WeirConfigError: .*AsyncLocalStorage/],
  ];
  const missing = runtimes.filter(([, program]) => program === undefined).map(([name]) => name);
  if (missing.length > 0) {
    const how = 'Run npm ci --prefix test/sdk/runtimes for them.';
    process.stderr.write(`Skipped, as they are not installed: tests of the SDK in ${missing.join(', ')}. ${how}\n`);
  }

  for (const [name, program, runIn, context] of runtimes) {
    (program === undefined ? describe.skip : describe)(name, () => {
      const sessionOf = (what: string): string => `${name.replaceAll(' ', '-')}-${what}`;
      const settings = (session: string): Settings => ({
        providerUrl: provider.url,
        weirUrl: app.url,
        weirKey: app.bootstrap.keys.production,
        session: sessionOf(session),
      });

      it('makes, masks, blocks, streams and reports calls, and runs allowed tools', async () => {
        const before = provider.requests.length;
        expect(await runIn('everything', settings('all'))).toEqual({
          answer: 'Hi',
          decision: 'allow',
          ofAnswer: [],
          masked: [{ type: 'contains_pii', count: 1 }],
          blocked: [true, 400, true, ['words.block-ssn']],
          streamed: 'Hi',
          message: 'Hi',
          plain: 'Hi',
          tool: 'sunny in Bern',
          toolBlocked: 'tool_use_blocked',
          context: expect.stringMatching(context) as unknown,
          flushed: true,
          stats: expect.objectContaining({ redacted: 2, refused: 2, unavailable: 0, dropped: 0, queued: 0 }) as unknown,
        });
        const seen = JSON.stringify(provider.requests.slice(before).map(({ body }) => body));
        expect(seen).toContain('hello to [MAIL_1]');
        expect(seen).not.toMatch(/mail-471|ssn-1/);
        const types = (await stored(sessionOf('all'))).map(({ type }) => type);
        expect(types.filter((type) => type === 'ai.response').length).toBeGreaterThanOrEqual(5);
        expect(types.filter((type) => type === 'agent.tool_call')).toHaveLength(2);
      });

      it('sends queued reports before it ends', async () => {
        const reported = async (): Promise<void> => {
          while ((await stored(sessionOf('gone'))).length < 2);
        };
        expect(await runIn('leave', settings('gone'), reported)).toBe('Hi');
        const types = (await stored(sessionOf('gone'))).map(({ type }) => type);
        expect(types.sort()).toEqual(['ai.request', 'ai.response']);
      });
    });
  }
});

/** The port on which workerd listens, according to its control output. */
async function portOf(worker: ChildProcess): Promise<number> {
  const reported = worker.stdio[3] as Readable;
  let text = '';
  for await (const part of reported) {
    text += String(part);
    const line = text.split('\n').find((each) => each.includes('"listen"'));
    if (line !== undefined) return (JSON.parse(line) as { port: number }).port;
  }
  throw new Error(`workerd ended before it listened: ${text}`);
}
