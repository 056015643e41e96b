#!/usr/bin/env node
import { keepCompiledCode } from './compile-cache.js';
import { runUnderNewerNode } from './newer-node.js';
import { runModule } from './offline.js';

process.exitCode = (await runUnderNewerNode()) ?? (await runHere());
endThough();

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

async function runHere(): Promise<number> {
  keepCompiledCode(process.env);
  const argv = process.argv.slice(2);
  const { run } = (await import(runModule(argv, process.env))) as typeof import('./run.js');
  const interrupt = new AbortController();
  // The first signal lets the command end in order, a later one kills. One Ctrl-C is one request, though it arrives from
  // the terminal and again from npx, which passes it on.
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
