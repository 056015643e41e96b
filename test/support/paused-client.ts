/** A real HTTP server for tests of its responses, whose clients read nothing until they are told to. */
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { portOf } from './ports.js';

/** Runs a server for the tests of the enclosing `describe`. */
export function serverForTests(): Server {
  const server = createServer();
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return server;
}

/** Sends a request over a connection that reads nothing yet. @returns the connection, and the response to be sent */
export async function pausedCall(
  server: Server,
): Promise<{ readonly socket: Socket; readonly response: ServerResponse }> {
  const port = portOf(server);
  const socket = connect({ port, host: '127.0.0.1' }).pause();
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  return { socket, response };
}
