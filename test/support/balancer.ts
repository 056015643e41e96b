/**
 * A load balancer that polls `/readyz`: HAProxy if it is installed (`WEIR_TEST_HAPROXY` or PATH), else a built-in one that forwards
 * connections.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { portOf } from './ports.js';
import { freePort } from './server-process.js';

const ASK_EVERY_MS = 200;

export interface Balancer {
  readonly kind: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** @param ports ports of the replicas on this machine */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const haproxy = process.env['WEIR_TEST_HAPROXY'] ?? 'haproxy';
  return isThere(haproxy) ? startHaproxy(haproxy, ports) : startOwn(ports);
}

function isThere(program: string): boolean {
  try {
    execFileSync(program, ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function startHaproxy(program: string, ports: readonly number[]): Promise<Balancer> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'weir-haproxy-'));
  const servers = ports.map(
    (each, index) => `  server replica${index} 127.0.0.1:${each} check inter ${ASK_EVERY_MS} fall 2 rise 1`,
  );
  const lines = [
    'defaults',
    '  mode http',
    '  timeout connect 5s',
    // A busy replica answers late, but it is not down.
    '  timeout check 5s',
    '  timeout client 120s',
    '  timeout server 120s',
    // Requests are never retried: the tests measure the behaviour of the replicas.
    '  retries 0',
    'frontend all',
    `  bind 127.0.0.1:${port}`,
    '  default_backend replicas',
    'backend replicas',
    '  balance roundrobin',
    '  option httpchk GET /readyz',
    '  http-check expect status 200',
    ...servers,
  ];
  writeFileSync(join(folder, 'haproxy.cfg'), `${lines.join('\n')}\n`);
  const child: ChildProcess = spawn(program, ['-db', '-f', join(folder, 'haproxy.cfg')], { stdio: 'ignore' });
  while (!(await accepts(port))) if (child.exitCode !== null) throw new Error('HAProxy ended at start');
  return {
    kind: 'HAProxy',
    port,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

async function startOwn(ports: readonly number[]): Promise<Balancer> {
  const ready = new Set<number>();
  const sockets = new Set<Socket>();
  const ask = async (port: number): Promise<void> => {
    const isReady = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      async (answer) => (await answer.arrayBuffer(), answer.ok),
      () => false,
    );
    if (isReady) ready.add(port);
    else ready.delete(port);
  };
  await Promise.all(ports.map(ask));
  const timer = setInterval(() => ports.forEach((port) => void ask(port)), ASK_EVERY_MS);
  let turn = 0;
  const server = createServer((near) => {
    const open = [...ready];
    const far = connect(open[turn++ % open.length] ?? ports[0]!, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => sockets.delete(socket));
      socket.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    kind: 'connections passed on',
    port: portOf(server),
    async stop() {
      clearInterval(timer);
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
