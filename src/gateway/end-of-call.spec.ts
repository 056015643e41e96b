import { once } from 'node:events';
import type { FastifyReply } from 'fastify';
import { ClientGone } from './client-disconnect.js';
import { EndOfCall } from './end-of-call.js';
import { pausedCall, serverForTests } from '../../test/support/paused-client.js';

describe('EndOfCall', () => {
  const server = serverForTests();

  /** Sends a request. @returns the connection, the response to it, and the end of its call */
  async function call() {
    const { socket, response } = await pausedCall(server);
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
