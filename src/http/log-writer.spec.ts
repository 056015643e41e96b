import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import type { Readable } from 'node:stream';

const MODULE = pathToFileURL('src/http/log-writer.ts').href;
const LOGGER = `
  import { createRequire } from 'node:module';
  const pino = createRequire(${JSON.stringify(MODULE)})('pino');
  const { LateLines } = await import(${JSON.stringify(MODULE)});
  const loggerOf = (options) => {
    const logger = pino({ base: null, timestamp: false }, new LateLines({ ...options, onLeftOut: (lines) => logger.warn({ lines }, 'left out') }));
    return logger;
  };
`;

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** A process that logs to its standard output. */
function run(script: string): Child {
  const child = spawn(process.execPath, ['--input-type=module', '-e', `${LOGGER}\n${script}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr.setEncoding('utf8');
  return child;
}

async function linesOf(stream: Readable): Promise<Record<string, unknown>[]> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += String(chunk);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

describe('Buffered log lines', () => {
  it.each([
    // The tested case: an exit that does not wait for writes.
    ['process.exit(0)', 0],
    ["setImmediate(() => { throw new Error('broken'); })", 1],
    ['', 0],
  ])('are all written when the process ends by %j', async (end, code) => {
    const child = run(`
      const logger = loggerOf({ latestMs: 60_000 });
      for (let n = 0; n < 2_000; n++) logger.info({ n, text: 'x'.repeat(40) });
      ${end}`);
    const ended = once(child, 'exit');
    const lines = await linesOf(child.stdout);
    // A write in flight when the process ends may come out last.
    expect(lines.map(({ n }) => Number(n)).sort((one, other) => one - other)).toEqual(numbers(2_000));
    expect(await ended).toEqual([code, null]);
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
    const [told] = (await once(child.stderr, 'data')) as [string];
    expect(told).toBe('still here');
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
    const [told] = (await once(child.stderr, 'data')) as [string];
    expect(told).toBe('ended in order');
    expect(child.exitCode ?? (await once(child, 'exit'))[0]).toBe(0);
  });
});
