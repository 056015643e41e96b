import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Readable } from 'node:stream';

const MODULE = pathToFileURL('src/http/log-writer.ts').href;
const HOOKS = pathToFileURL('test/support/register-typescript.mjs').href;
const LOGGER = `
  import { createRequire } from 'node:module';
  const pino = createRequire(${JSON.stringify(MODULE)})('pino');
  const { LogWriter } = await import(${JSON.stringify(MODULE)});
  const loggerOf = (options) => {
    const logger = pino({ base: null, timestamp: false }, new LogWriter({ ...options, onLeftOut: (lines) => logger.warn({ lines }, 'left out') }));
    return logger;
  };
`;

type Child = ChildProcessByStdio<null, Readable, Readable>;

const scriptOf = (script: string): string[] => [
  ...['--disable-warning=ExperimentalWarning', '--import', HOOKS],
  ...['--input-type=module', '-e', `${LOGGER}\n${script}`],
];

/** A process that logs to its standard output. */
function run(script: string): Child {
  const child = spawn(process.execPath, scriptOf(script), {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr.setEncoding('utf8');
  return child;
}

async function textOf(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += String(chunk);
  return text;
}

/** The numbers of the lines of a log, in their order. */
const numbersIn = (text: string): number[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { readonly n: number }).n);

/** Logs over 1 MB, much more than a pipe holds. */
const LOG_MUCH = `
  const logger = loggerOf({ latestMs: 60_000 });
  for (let n = 0; n < 20_000; n++) logger.info({ n, text: 'x'.repeat(40) });`;

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

describe('Buffered log lines', () => {
  it.each([
    // The tested case: an exit that does not wait for writes.
    ['process.exit(0)', 0],
    ["setImmediate(() => { throw new Error('broken'); })", 1],
    ['', 0],
  ])('are all written when the process ends by %j', async (end, code) => {
    const child = run(`${LOG_MUCH}\n${end}`);
    const ended = once(child, 'exit');
    expect(numbersIn(await textOf(child.stdout))).toEqual(numbers(20_000));
    expect(await ended).toEqual([code, null]);
  });

  it('are all written to a file when the process ends', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'weir-log-'));
    try {
      const file = join(folder, 'log');
      const output = openSync(file, 'a');
      const child = spawn(process.execPath, scriptOf(`${LOG_MUCH}\nprocess.exit(1)`), {
        stdio: ['ignore', output, 'inherit'],
      });
      closeSync(output);
      expect(await once(child, 'exit')).toEqual([1, null]);
      // A write in progress when the process ends may come out last.
      const written = numbersIn(readFileSync(file, 'utf8'));
      expect(written.sort((one, other) => one - other)).toEqual(numbers(20_000));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  // The exits are the subject of the test, and run in a process of their own.
  it.each([
    ['its exit', 'process.exit(1)'],
    ['an error', "setImmediate(() => { throw new Error('broken'); })"],
    ['a fatal line', "logger.fatal('lost'); process.exit(1)"],
    // A child process that inherits the output makes it blocking for all processes that share it.
    ['its exit, after a child process', 'await inherited(); process.exit(1)'],
    ['an exit while they are being written', 'await inherited(); setTimeout(() => process.exit(1), 100)'],
  ])('do not keep a process from ending by %s if nobody reads them', async (_, end) => {
    const child = run(`
      import { spawn } from 'node:child_process';
      import { once } from 'node:events';
      const inherited = () => once(spawn(process.execPath, ['-e', ''], { stdio: 'inherit' }), 'exit');
      ${LOG_MUCH.replace('60_000', '1')}
      ${end}`);
    expect(await once(child, 'exit')).toEqual([1, null]);
    child.stdout.destroy();
  });

  it('do not keep a process from ending if their reader is gone', async () => {
    const child = run(`
      const logger = loggerOf({ latestMs: 60_000 });
      logger.info('to nobody');
      // In the child, with a code that no failure has.
      process.exit(3);`);
    child.stdout.destroy();
    expect(await once(child, 'exit')).toEqual([3, null]);
  });

  it('are written after a short delay, but a warning and the lines before it are written at once', async () => {
    const child = run(`
      const soon = loggerOf();
      soon.info('soon');
      setInterval(() => undefined, 1_000);
      const late = loggerOf({ latestMs: 60_000 });
      setTimeout(() => { late.info('before'); late.warn('now'); }, 200);`);
    let text = '';
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      text += String(chunk);
      if (text.includes('"now"') && text.includes('"soon"')) break;
    }
    child.kill();
    expect(text.split('\n').flatMap((line) => /"msg":"(\w+)"/.exec(line)?.[1] ?? [])).toEqual([
      'soon',
      'before',
      'now',
    ]);
  });

  it('never block the process if they are not read: excess lines are dropped and their number is logged', async () => {
    const child = run(`
      const logger = loggerOf({ latestMs: 1, maxWaitingBytes: 300_000 });
      for (let n = 0; n < 30_000; n++) logger.info({ n, text: 'x'.repeat(40) });
      process.stderr.write('still here');
      setInterval(() => undefined, 1_000);`);
    const [firstOutput] = (await once(child.stderr, 'data')) as [string];
    expect(firstOutput).toBe('still here');
    let text = '';
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      text += String(chunk);
      if (text.includes('left out')) break;
    }
    child.kill();
    const written = text.split('\n').filter((line) => line.includes('"n":')).length;
    const leftOut = Number(/"lines":(\d+),"msg":"left out"/.exec(text)?.[1]);
    expect(written).toBeGreaterThan(1_000);
    expect(written + leftOut).toBe(30_000);
  });

  it('are no longer written when the reader is gone, and the process continues', async () => {
    const child = run(`
      const logger = loggerOf({ latestMs: 1 });
      const timer = setInterval(() => logger.info('to nobody'), 1);
      setTimeout(() => { clearInterval(timer); process.stderr.write('ended in order'); }, 300);`);
    child.stdout.destroy();
    const [firstOutput] = (await once(child.stderr, 'data')) as [string];
    expect(firstOutput).toBe('ended in order');
    expect(child.exitCode ?? (await once(child, 'exit'))[0]).toBe(0);
  });
});
