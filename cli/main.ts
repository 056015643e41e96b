#!/usr/bin/env node
import { hideBin } from 'yargs/helpers';
import { runUnderNewerNode } from './newer-node.js';

process.exitCode = (await runUnderNewerNode()) ?? (await runHere());

async function runHere(): Promise<number> {
  const { run } = await import('./run.js');
  const interrupt = new AbortController();
  // The first signal lets the command end in order; without a listener the second one kills.
  process.once('SIGINT', () => interrupt.abort()).once('SIGTERM', () => interrupt.abort());
  // A closed pipe is met where it is written to.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  return run(hideBin(process.argv), {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    nowMs: () => performance.now(),
    signal: interrupt.signal,
  });
}
