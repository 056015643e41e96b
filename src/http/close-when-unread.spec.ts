import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { closeWhenUnread } from './close-when-unread.js';
import { pausedCall, serverForTests } from '../../test/support/paused-client.js';

const IDLE_MS = 800;
/** More than the buffers of both sockets contain. */
const BODY_BYTES = 48 * 1024 * 1024;

describe('closeWhenUnread', () => {
  const server = serverForTests();

  /** Sends a request. @returns the connection, and the response to it */
  async function call() {
    const { socket, response } = await pausedCall(server);
    closeWhenUnread(response, IDLE_MS);
    return { socket, response };
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

  it('closes no connection whose client slowly reads an answer sent in one piece', async () => {
    const { socket, response } = await call();
    response.end(Buffer.alloc(BODY_BYTES));
    expect(await readSlowly(socket)).toBeGreaterThan(BODY_BYTES);
    expect(response.writableFinished).toBe(true);
  });

  it('closes the connection of a client that does not read its answer', async () => {
    const { socket, response } = await call();
    response.end(Buffer.alloc(BODY_BYTES));
    await once(response, 'close');
    expect(response.writableFinished).toBe(false);
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
    closeWhenUnread(responses[0]!, IDLE_MS);
    responses[0]!.end();
    await once(responses[0]!, 'finish');
    expect(responses[1]!.socket!.timeout).toBe(0);
    socket.destroy();
  });

  it('adds the same functions to each response', async () => {
    const calls = [await call(), await call()];
    const [first, second] = calls.map(({ response }) => [
      ...response.rawListeners('timeout'),
      response.rawListeners('finish')[0],
    ]);
    expect(first).toHaveLength(2);
    expect(first).toEqual(second);
    for (const { socket } of calls) socket.destroy();
  });

  it('closes no connection whose client waits for the answer', async () => {
    const { socket, response } = await call();
    await once(response, 'timeout');
    expect(response.closed).toBe(false);
    response.end('late');
    socket.resume();
    await once(socket, 'close');
    expect(response.writableFinished).toBe(true);
  });
});
