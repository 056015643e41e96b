/** The complete tutorial: every command is run as written, and prints the output in the page. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { ServerProcess } from '../support/server-process.js';

const run = promisify(execFile);
const PAGE = readFileSync('docs/guides/tutorial.md', 'utf8');
/** The address of the service in the page. */
const SHOWN_URL = 'http://localhost:8080';

interface Step {
  readonly commands: string;
  /** Lines that the commands print in this order, among others. */
  readonly shown: readonly string[];
}

function stepsOf(page: string): Step[] {
  const blocks = [...page.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(([, kind, text]) => ({ kind, text: text! }));
  return blocks.flatMap(({ kind, text }, index) => {
    const next = blocks[index + 1];
    const shown = next?.kind === 'text' ? next.text.trimEnd().split('\n') : [];
    return kind === 'sh' ? [{ commands: text, shown }] : [];
  });
}

const [first, ...steps] = stepsOf(PAGE);
const END = '--- end of step';

describe('The tutorial', () => {
  let folder: string;
  let server: ServerProcess;
  let printed: readonly string[];
  let ended: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'weir-tutorial-'));
    const checkout = join(folder, 'weir');
    mkdirSync(join(folder, 'home'));
    mkdirSync(checkout);
    const npm = join(folder, 'npm');
    // The first step is done here: the tested build runs with its own data and port.
    await run('npm', ['link'], { env: { ...process.env, npm_config_prefix: npm } });
    server = await ServerProcess.start({ WEIR_DATA_DIR: join(checkout, '.weir') });
    const script = steps.map(({ commands }) => `${commands}\necho '${END}'\n`).join('');
    const env = { PATH: `${join(npm, 'bin')}:${process.env['PATH']}`, HOME: join(folder, 'home'), NO_COLOR: '1' };
    const asWritten = `exec 2>&1\nset -eo pipefail\n${script.replaceAll(SHOWN_URL, server.url)}`;
    const { stdout } = await run('bash', ['-c', asWritten], { cwd: checkout, env }).catch(
      (error: { stdout: string }) => error,
    );
    const parts = stdout.split(`${END}\n`);
    [printed, ended] = [parts.slice(0, -1), parts.at(-1)!];
  }, 240_000);
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('begins with the installation and start of Weir in its checkout', () => {
    expect(first?.commands).toBe('npm ci\nnpm link\nnpm start\n');
    const { scripts, bin } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, Record<string, string>>;
    expect(scripts).toHaveProperty('start');
    expect(readFileSync(resolve(bin!['weir']!), 'utf8')).toContain('#!/usr/bin/env node');
  });

  it('can be followed to its end', () => {
    expect({ steps: printed.length, printedAfterThem: ended }).toEqual({ steps: steps.length, printedAfterThem: '' });
  });

  it.each(steps.map((step, index) => ({ ...step, index, named: step.commands.split('\n')[0] })))(
    'shows the printed output: $named',
    ({ shown, index }) => {
      let rest = printed[index] ?? '';
      for (const line of shown) {
        const parts = line.split('…');
        for (const part of parts) {
          expect(rest).toContain(part);
          rest = rest.slice(rest.indexOf(part) + part.length);
        }
      }
    },
  );
});
