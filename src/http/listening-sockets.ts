import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer, type AddressInfo, type Server as SocketServer } from 'node:net';

/**
 * Node accepts one connection per listening socket in each turn of its event loop (https://github.com/libuv/libuv/pull/3696). Under load
 * a turn takes many milliseconds, so with one socket new clients and health probes wait for seconds, or get no connection at all.
 */
const SOCKETS = 32;

/** With Node's default of 64 KiB, a thousand bodies that arrive at once use over 100 MiB before they are accepted or refused. */
export const READ_AHEAD_BYTES = 16 * 1024;

/** Whether several sockets can listen on one port: for libuv, not on macOS and Windows. */
export const CAN_SHARE_PORT = process.platform === 'linux';

/**
 * Adds listening sockets to the port of a server that listens with `reusePort`; the operating system distributes new connections among
 * them. `close` and `getConnections` of the server then include the added sockets.
 *
 * @throws Node's error if the port cannot be listened on
 */
export async function addListeningSockets(server: Server, count = SOCKETS - 1): Promise<void> {
  const { port, address: host } = server.address() as AddressInfo;
  const added = Array.from({ length: count }, () =>
    // As Node's own HTTP server creates its socket.
    createServer({ allowHalfOpen: true, noDelay: true, highWaterMark: READ_AHEAD_BYTES }, (socket) => {
      server.emit('connection', socket);
    }),
  );
  closeTogether(server, added);
  countTogether(server, added);
  await Promise.all(
    added.map(async (each) => {
      each.listen({ port, host, reusePort: true, exclusive: true });
      await once(each, 'listening');
      each.on('error', (error) => server.emit('error', error));
    }),
  );
}

/**
 * Calls `ended` once, as soon as no socket of the server listens any more. The callback of `close` comes later: when the last connection
 * has ended.
 */
export function whenListeningEnds(server: Server, ended: () => void): void {
  const close = server.close.bind(server);
  let isOver = false;
  server.close = (callback) => {
    close(callback);
    if (!isOver) ended();
    isOver = true;
    return server;
  };
}

/** Calls back when no socket listens any more and every connection has ended, as `close` of one server does. */
function closeTogether(server: Server, added: readonly SocketServer[]): void {
  const close = server.close.bind(server);
  server.close = (callback) => {
    const others = added.filter(({ listening }) => listening).map((each) => closed(each));
    return close((error) => void Promise.all(others).then(() => callback?.(error)));
  };
}

function closed(server: SocketServer): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

function countTogether(server: Server, added: readonly SocketServer[]): void {
  const own = server.getConnections.bind(server);
  server.getConnections = (callback) => {
    void Promise.all(added.map(connectionsOf)).then((counts) => {
      const others = counts.reduce((sum, count) => sum + count, 0);
      own((error, count) => callback(error, count + others));
    });
    return server;
  };
}

function connectionsOf(server: SocketServer): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error === null ? count : 0)));
}
