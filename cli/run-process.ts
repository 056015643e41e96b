import '../src/config/quiet-libraries.js';
import { keepCompiledCode } from './compile-cache.js';
import { runUnderNewerNode } from './newer-node.js';

/** Runs a command line: `run` from one of the two builds of the commands. */
type Commands = Pick<typeof import('./run.js'), 'run'>;

/**
 * Runs the command line of this process and sets its exit code. Only here is the process touched.
 *
 * @param load imports the commands, once it is clear that this Node can run them
 */
export async function runProcess(load: (argv: readonly string[]) => Promise<Commands>): Promise<void> {
  process.exitCode = (await runUnderNewerNode()) ?? (await runHere(load));
  endThough();
}

/**
 * What a command leaves open, such as a service that could not start, must not keep the process: whoever supervises it
 * waits for the exit code. The timer holds nothing itself, and what is still to be printed is waited for.
 */
function endThough(): void {
  setTimeout(() => {
    if (process.stdout.writableLength + process.stderr.writableLength > 0) endThough();
    // What is left open would hold the process for ever; the exit code is set and everything is printed.
    else process.exit();
  }, 1_000).unref();
}

async function runHere(load: (argv: readonly string[]) => Promise<Commands>): Promise<number> {
  keepCompiledCode(process.env);
  const argv = process.argv.slice(2);
  const { run } = await load(argv);
  const interrupt = new AbortController();
  // The first signal lets the command end in order, a later one kills. One Ctrl-C is one request, though it arrives from
  // the terminal and again from npm, which passes it on.
  let askedAtMs: number | undefined;
  const stop = (): void => {
    askedAtMs ??= performance.now();
    // Asked again after a while: a command that does not end in order is ended here, as shells expect it (128 + SIGINT).
    if (performance.now() - askedAtMs >= 1_000) process.exit(130);
    interrupt.abort();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  // A closed pipe is met where it is written to.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  return run(argv, {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    nowMs: () => performance.now(),
    signal: interrupt.signal,
  });
}
