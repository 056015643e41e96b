import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { takePort } from '../processes/index.js';
import { addListeningSockets, CAN_SHARE_PORT, whenListeningEnds } from './listening-sockets.js';

const HOST = '127.0.0.1';
const REQUEST = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
const CLIENTS = 100;

async function listening(server: Server, added: number, wanted = 0): Promise<number> {
  const shared = { port: wanted, host: HOST, reusePort: true, exclusive: true };
  server.listen(shared);
  await once(server, 'listening');
  await addListeningSockets(server, added);
  return (server.address() as AddressInfo).port;
}

async function clientsOf(port: number, count: number): Promise<Socket[]> {
  const clients = Array.from({ length: count }, () => connect(port, HOST).on('error', () => undefined));
  await Promise.all(clients.map((client) => once(client, 'connect')));
  return clients;
}

async function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
}

/** Turns of the event loop until a server has accepted so many clients, which wait all at once. */
async function turnsToAccept(added: number): Promise<number> {
  const server = createServer();
  let accepted = 0;
  server.on('connection', () => accepted++);
  const port = await listening(server, added);
  const clients = Array.from({ length: CLIENTS }, () => connect(port, HOST).on('error', () => undefined));
  let turns = 0;
  for (; accepted < CLIENTS; turns++) await nextTurn();
  for (const client of clients) client.destroy();
  server.closeAllConnections();
  server.close();
  return turns;
}

const onLinux = CAN_SHARE_PORT ? describe : describe.skip;

onLinux('A server with several listening sockets', () => {
  it('accepts many clients in one turn of the event loop, not one after the other', async () => {
    expect(await turnsToAccept(0)).toBeGreaterThanOrEqual(CLIENTS);
    expect(await turnsToAccept(31)).toBeLessThan(CLIENTS / 2);
  });

  it('answers on every socket, and counts the connections of all', async () => {
    const server = createServer((_, response) => void response.end('done'));
    const port = await listening(server, 7);
    const clients = await clientsOf(port, CLIENTS);
    for (const client of clients) client.write(REQUEST);
    const answers = await Promise.all(clients.map((client) => once(client, 'data')));
    expect(answers.map(([data]) => /^HTTP\/1\.1 200 /.test(String(data)))).toEqual(answers.map(() => true));
    expect(await connectionsOf(server)).toBe(CLIENTS);
    server.closeIdleConnections();
    await Promise.all(clients.map((client) => once(client, 'close')));
    expect(await connectionsOf(server)).toBe(0);
    server.close();
  });

  it('is closed only after every answer was sent, and refuses new clients meanwhile', async () => {
    const pending: (() => void)[] = [];
    const server = createServer((_, response) => {
      pending.push(() => response.setHeader('connection', 'close').end('done'));
    });
    const port = await listening(server, 7);
    const clients = await clientsOf(port, CLIENTS);
    for (const client of clients) client.write(REQUEST);
    while (pending.length < CLIENTS) await nextTurn();
    let isClosed = false;
    const closed = new Promise<void>((resolve) => {
      server.close(() => {
        isClosed = true;
        resolve();
      });
    });
    const late = connect(port, HOST);
    await expect(once(late, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    const [last, ...others] = pending;
    const ended = clients.map((client) => once(client.resume(), 'close'));
    for (const answer of others) answer();
    for (let turn = 0; turn < CLIENTS; turn++) await nextTurn();
    expect(isClosed).toBe(false);
    last!();
    await closed;
    await Promise.all(ended);
  });

  it('leaves its port to another server as soon as it is closed, although connections are still open', async () => {
    const earlier = createServer();
    const port = await listening(earlier, 0);
    earlier.close();
    await once(earlier, 'close');
    const release = await takePort(port, HOST);
    const server = createServer();
    await listening(server, 7, port);
    whenListeningEnds(server, () => void release());
    let asked = 0;
    server.on('request', () => asked++);
    // So many that each socket has some.
    const clients = await clientsOf(port, CLIENTS);
    for (const client of clients) client.write(REQUEST);
    while (asked < CLIENTS) await nextTurn();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    const giveBack = await takePort(port, HOST);
    expect(await connectionsOf(server)).toBe(CLIENTS);
    await giveBack();
    for (const client of clients) client.destroy();
    await closed;
  });

  it('throws when a socket cannot listen', async () => {
    const server = createServer();
    server.listen(0, HOST);
    await once(server, 'listening');
    await expect(addListeningSockets(server, 1)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    server.close();
  });
});
