import { once } from 'node:events';
import { createServer, type ListenOptions } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** The workers of a killed server use the port for a moment until they detect its end; a server that stops has the port until it does. */
const PORT_TRIES = 20;
const PORT_PAUSE_MS = 50;

/**
 * Takes a port for several listening sockets, of this process or of its workers. They share it among themselves, and would share it with
 * others: so the port must be free, and no other service may take it until this process ends or releases it.
 *
 * @returns a function that releases it, for a process that listens no more
 * @throws Node's error if the port is in use (`EADDRINUSE`, with the port)
 */
export async function takePort(port: number, host: string): Promise<() => Promise<void>> {
  let giveBack: (() => Promise<void>) | undefined;
  for (let tries = 1; ; tries++) {
    try {
      giveBack ??= await holdName(port, host);
      const close = await listening({ port, host });
      await close();
      return giveBack;
    } catch (error) {
      if (tries === PORT_TRIES || !isInUse(error)) {
        await giveBack?.();
        throw error;
      }
      await delay(PORT_PAUSE_MS);
    }
  }
}

/**
 * Takes a name that only one process can have (on Linux only), because another service may check the port before this one listens on
 * it. The name is that of an abstract socket, which exists in the network namespace of the port and ends with its process (unix(7)).
 */
async function holdName(port: number, host: string): Promise<() => Promise<void>> {
  if (process.platform !== 'linux') return () => Promise.resolve();
  try {
    return await listening({ path: `\0weir ${host}:${port}` });
  } catch (error) {
    if (!isInUse(error)) throw error;
    const cause = `listen EADDRINUSE: another service has ${host}:${port}`;
    throw Object.assign(new Error(cause), { code: 'EADDRINUSE', syscall: 'listen', address: host, port });
  }
}

/** @returns a function that closes it */
async function listening(options: ListenOptions): Promise<() => Promise<void>> {
  const server = createServer((socket) => socket.destroy()).unref();
  server.listen(options);
  await once(server, 'listening');
  return async () => {
    server.close();
    await once(server, 'close');
  };
}

function isInUse(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
}
