import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Watched } from './programs/watch.js';

/** A program under measurement in a separate process. */
export interface Running {
  readonly url: string;
  readonly pid: number;
  /** Activity of its main thread since the last call; only for programs started with `watched`. */
  watch(): Promise<Watched>;
  stop(): Promise<void>;
}

/** A free loopback port. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Timeout of a start; long, since it is slow with a database of a year or on a busy machine. */
const START_MS = 180_000;

const WATCH = './dist/bench/programs/watch.js';

/**
 * Starts a built program and waits until `readyPath` answers; its output is shown when it fails to start.
 * @param cwd its working directory; by default that of this process
 */
export function start(
  script: string,
  env: Record<string, string>,
  readyPath: string,
  watched = false,
  cwd = process.cwd(),
): Promise<Running> {
  const argv = [...(watched ? ['--import', WATCH] : []), script];
  return startCommand({
    command: process.execPath,
    argv: () => argv,
    env: { HOST: '127.0.0.1', WEIR_RATE_ADDRESS: 'off', ...env },
    readyPath,
    watched,
    cwd,
  });
}

/** A program that serves HTTP on the port given as `PORT` in its environment or as an argument. */
export interface Command {
  readonly command: string;
  readonly argv: (port: number) => readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly readyPath: string;
  readonly watched?: boolean;
  readonly cwd?: string;
}

/** Starts a program in any language and waits as {@link start} does. */
export async function startCommand({ command, argv, env, readyPath, watched = false, cwd }: Command): Promise<Running> {
  const port = await freePort();
  const child = spawn(command, argv(port), {
    ...(cwd === undefined ? {} : { cwd }),
    env: { PATH: process.env['PATH'] ?? '', ...env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe', ...(watched ? (['ipc'] as const) : [])],
  });
  let output = '';
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-4_000);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const url = `http://127.0.0.1:${port}`;
  await untilReady(child, `${url}${readyPath}`, () => output);
  const watch = async (): Promise<Watched> => {
    const answer = once(child, 'message') as Promise<[Watched]>;
    child.send('watch');
    return (await answer)[0];
  };
  return { url, pid: child.pid!, watch, stop: () => stop(child) };
}

async function untilReady(child: ChildProcess, url: string, output: () => string): Promise<void> {
  const deadlineMs = Date.now() + START_MS;
  while (Date.now() < deadlineMs) {
    if (child.exitCode !== null) throw new Error(`the program ended at start:\n${output()}`);
    const ready = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (ready) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await stop(child);
  throw new Error(`the program was not ready after ${START_MS / 1000} s:\n${output()}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(timer);
}
