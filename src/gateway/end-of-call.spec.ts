import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { FastifyReply } from 'fastify';
import { ClientGone } from './client-disconnect.js';
import { EndOfCall } from './end-of-call.js';

describe('EndOfCall', () => {
  const server = createServer();
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Sends a request. @returns the connection, the response to it, and the end of its call */
  async function call() {
    const { port } = server.address() as AddressInfo;
    const socket = connect({ port, host: '127.0.0.1' });
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
    const end = new EndOfCall({ raw: response } as FastifyReply, { totalTimeoutMs: 60_000 });
    return { socket, response, end };
  }

  it('ends a call whose client disconnects, or whose connection is closed because its answer is not read', async () => {
    for (const close of ['client', 'server'] as const) {
      const { socket, response, end } = await call();
      const ended = once(end.signal, 'abort');
      if (close === 'client') socket.destroy();
      else response.destroy();
      await ended;
      expect(end.signal.reason).toBeInstanceOf(ClientGone);
      socket.destroy();
    }
  });

  it('does not end a call whose client has received the whole answer', async () => {
    const { socket, response, end } = await call();
    response.end('answer');
    socket.resume();
    await once(socket, 'close');
    expect(end.signal.aborted).toBe(false);
  });
});
