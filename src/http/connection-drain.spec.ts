import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { ConnectionDrain } from './connection-drain.js';

const REQUEST = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';

describe('ConnectionDrain', () => {
  it('answers a request that arrived before idle connections are closed', async () => {
    const server = createServer((_, response) => void response.end('done'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    let received = '';
    client.on('data', (chunk) => (received += chunk.toString()));
    client.write(REQUEST);
    while (!received.includes('done')) await once(client, 'data');
    received = '';
    const drained = new ConnectionDrain().run(
      server,
      async () => {
        // The second request is in the socket's receive buffer when the server is told to stop.
        client.write(REQUEST);
        server.close();
        await once(server, 'close');
      },
      { noticeMs: 0, limitMs: 10_000 },
    );
    await once(client, 'close');
    await drained;
    expect(received).toMatch(/^HTTP\/1\.1 200 [^]*done/);
  });

  it('accepts new connections until the notice period ends, whatever their number', async () => {
    const server = createServer((_, response) => void response.end('done'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const drain = new ConnectionDrain();
    let isOver = false;
    const close = async (): Promise<void> => {
      isOver = true;
      server.close();
      await once(server, 'close');
    };
    const drained = drain.run(server, close, { noticeMs: 300, limitMs: 10_000 });
    let taken = 0;
    while (!isOver) {
      const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
      if (!isOver) expect(answer?.status).toBe(200);
      taken++;
    }
    await drained;
    expect(taken).toBeGreaterThan(1);
  });

  it('aborts answers that are still being sent when the time limit expires', async () => {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined);
    client.write(REQUEST);
    await once(server, 'request');
    const close = async (): Promise<void> => {
      server.close();
      await once(server, 'close');
    };
    await new ConnectionDrain().run(server, close, { noticeMs: 0, limitMs: 20 });
    expect(server.listening).toBe(false);
  });
});
