import { fstatSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import '../src/config/quiet-libraries.js';
import '../src/config/network-defaults.js';
import { stackFrames } from '../src/core/stack-frames.js';
import { keepCompiledCode } from './compile-cache.js';
import { useProxyOf } from './environment-proxy.js';
import { EXIT } from './exit-numbers.js';
import { runUnderNewerNode } from './newer-node.js';

/** `run` from one of the two builds of the commands: the bundle or the single modules. */
type Commands = Pick<typeof import('./run.js'), 'run'>;

/**
 * Runs the command line of this process and sets its exit code. No other module changes the state of the process.
 *
 * @param load imports the commands; called only if this Node can run them
 */
export async function runProcess(load: (argv: readonly string[]) => Promise<Commands>): Promise<void> {
  process.on('uncaughtException', endAfter);
  process.exitCode = (await runUnderNewerNode()) ?? (await runHere(load));
  endThough();
}

/**
 * Ends the process after an error that no code expected: without this, Node.js would exit with 1, the code for findings. The message may
 * quote input text, so only the stack is printed.
 */
function endAfter(error: unknown): void {
  const name = error instanceof Error ? error.name : 'non-Error value';
  say([...stackFrames(error), `exit ${EXIT.defect}: internal error: uncaught ${name}; please report the lines above`]);
  // After such an error the state of the process is unknown, so nothing that still waits may run.
  process.exit(EXIT.defect);
}

/** Writes lines to stderr at once. If that fails, there is no other place for them, and the exit code remains. */
function say(lines: readonly string[]): void {
  try {
    writeSync(process.stderr.fd, `${lines.join('\n')}\n`);
  } catch {
    // The reader of stderr is gone.
  }
}

/** Whether the current folder exists: a process can outlive it. */
function isInFolder(): boolean {
  try {
    return process.cwd() !== '';
  } catch {
    return false;
  }
}

/**
 * Ends the process even if a command has left open handles, as a service does that could not start: a supervisor waits for the exit
 * code. The timer itself does not keep the process alive, and pending output is flushed first.
 */
function endThough(): void {
  setTimeout(() => {
    if (process.stdout.writableLength + process.stderr.writableLength > 0) endThough();
    // Open handles would keep the process alive forever; the exit code is set and all output is flushed.
    else process.exit();
  }, 1_000).unref();
}

async function runHere(load: (argv: readonly string[]) => Promise<Commands>): Promise<number> {
  if (!isInFolder()) {
    say([`exit ${EXIT.usage}: the current folder does not exist any more`]);
    return EXIT.usage;
  }
  keepCompiledCode(process.env);
  const argv = process.argv.slice(2);
  // The service chooses its connections by its own settings.
  if (argv[0] !== 'server') useProxyOf(process.env);
  const { run } = await load(argv);
  const interrupt = new AbortController();
  // The first signal aborts the command gracefully, a later one exits at once. One Ctrl-C may arrive twice, from the terminal and
  // forwarded by npm, so signals within one second count as one.
  let askedAtMs: number | undefined;
  const stop = (): void => {
    askedAtMs ??= performance.now();
    // A signal at least one second after the first exits at once, with the code that shells expect (128 + SIGINT).
    if (performance.now() - askedAtMs >= 1_000) process.exit(130);
    interrupt.abort();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', stop);
  const stdout = toTheEnd(process.stdout);
  // `write` reports a failure to its caller; without a listener, the event would crash the process.
  for (const stream of [stdout, process.stdout, process.stderr]) stream.on('error', () => undefined);
  return run(argv, {
    stdin: process.stdin,
    stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    nowMs: () => performance.now(),
    signal: interrupt.signal,
  });
}

/**
 * The output stream, which for a file writes every byte or fails. Node's own stream for files writes once: of the last text before the
 * disk is full, only a part would be in the file, and nobody would notice.
 */
function toTheEnd(stream: typeof process.stdout): Writable & { readonly isTTY?: boolean } {
  const { fd } = stream;
  if (!fstatSync(fd).isFile()) return stream;
  return new Writable({
    write(bytes: Buffer, _encoding, done) {
      try {
        for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
}
