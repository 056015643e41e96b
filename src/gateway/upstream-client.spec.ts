import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { freePort } from '../../test/support/server-process.js';
import { loadConfig } from '../config/index.js';
import { UpstreamClient } from './upstream-client.js';

describe('A provider that accepts no connection', () => {
  it.each(['http', 'https'])('is unreachable over %s: only the call fails', async (scheme) => {
    const client = new UpstreamClient(loadConfig({}, () => '').proxy);
    try {
      const call = client.send({
        baseUrl: `${scheme}://127.0.0.1:${await freePort()}`,
        path: '/v1/models',
        method: 'GET',
        headers: [],
        body: undefined,
        signal: new AbortController().signal,
      });
      await expect(call).rejects.toMatchObject({ type: 'upstream_unreachable' });
    } finally {
      await client.close();
    }
  });
});

describe('A provider that closes the connection after its answer', () => {
  it.each([1, 8_192, 300_000])(
    'has its answer of %i bytes read completely, however late the reader is',
    async (length) => {
      const body = 'x'.repeat(length);
      const server = createServer((socket) => {
        socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n${body}`));
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const ended = once(server, 'connection').then(([socket]) => once(socket as Socket, 'finish'));
      const client = new UpstreamClient(loadConfig({}, () => '').proxy);
      try {
        const { body: answer } = await client.send({
          baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
          path: '/v1/models',
          method: 'GET',
          headers: [],
          body: undefined,
          signal: new AbortController().signal,
        });
        await ended;
        // Once this second, later connection has been opened and closed, the end of the first one has arrived as well.
        await reached(server.address() as AddressInfo);
        let text = '';
        for await (const piece of answer as AsyncIterable<Buffer>) text += piece.toString('latin1');
        expect(text).toBe(body);
      } finally {
        await client.close();
        server.close();
      }
    },
  );
});

async function reached({ port }: AddressInfo): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
  await once(socket, 'close');
}
