import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import { ClientGone } from './client-disconnect.js';
import { EndOfCall } from './end-of-call.js';

const IDLE_MS = 800;
const LIMITS = { totalTimeoutMs: 60_000, clientIdleTimeoutMs: IDLE_MS };
/** More than the buffers of both sockets contain. */
const BODY_BYTES = 48 * 1024 * 1024;

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
    const socket = connect({ port, host: '127.0.0.1' }).pause();
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
    return { socket, response, end: new EndOfCall({ raw: response } as FastifyReply, LIMITS) };
  }

  /** Reads a twelfth of the body at a time, with pauses. */
  async function readSlowly(socket: Socket): Promise<number> {
    let [bytes, wanted] = [0, 0];
    const pace = setInterval(() => {
      wanted += BODY_BYTES / 12;
      socket.resume();
    }, IDLE_MS / 5);
    socket.on('data', (chunk) => {
      bytes += chunk.length;
      if (bytes >= wanted) socket.pause();
    });
    await once(socket, 'close');
    clearInterval(pace);
    return bytes;
  }

  it('does not end a call whose client slowly reads an answer sent in one piece', async () => {
    const { socket, response, end } = await call();
    response.end(Buffer.alloc(BODY_BYTES));
    expect(await readSlowly(socket)).toBeGreaterThan(BODY_BYTES);
    expect(end.signal.aborted).toBe(false);
  });

  it('ends a call whose client does not read its answer', async () => {
    const { socket, response, end } = await call();
    response.end(Buffer.alloc(BODY_BYTES));
    await once(end.signal, 'abort');
    expect(end.signal.reason).toBeInstanceOf(ClientGone);
    socket.destroy();
  });

  it('leaves no time limit to the next response on the connection', async () => {
    const { port } = server.address() as AddressInfo;
    const socket = connect({ port, host: '127.0.0.1' });
    const responses: ServerResponse[] = [];
    const arrived = Promise.withResolvers<void>();
    const collect = (_request: unknown, response: ServerResponse): void => {
      if (responses.push(response) === 2) arrived.resolve();
    };
    server.on('request', collect);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2));
    await arrived.promise;
    server.off('request', collect);
    new EndOfCall({ raw: responses[0] } as FastifyReply, LIMITS);
    responses[0]!.end();
    await once(responses[0]!, 'finish');
    expect(responses[1]!.socket!.timeout).toBe(0);
    socket.destroy();
  });

  it('does not end a call whose client waits for the answer', async () => {
    const { socket, response, end } = await call();
    await once(response, 'timeout');
    expect(end.signal.aborted).toBe(false);
    response.end('late');
    socket.resume();
    await once(socket, 'close');
    expect(end.signal.aborted).toBe(false);
  });
});
