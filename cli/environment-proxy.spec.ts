import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { proxyFor, useProxyOf } from './environment-proxy.js';

/** A server that answers with its name, and keeps the hosts that it was asked for; it can be an HTTP proxy as well. */
async function started(name: string, asked: string[]): Promise<Server> {
  const server = createServer(({ headers }, response) => {
    asked.push(headers.host ?? '');
    response.end(name);
  });
  server.on('connect', (_request, socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    server.emit('connection', socket);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return server;
}

const addressOf = (server: Server): string => `127.0.0.1:${(server.address() as AddressInfo).port}`;

describe('The proxy of the environment', () => {
  let proxy: Server;
  let local: Server;
  let asked: string[];
  let undo: () => void;
  beforeEach(async () => {
    asked = [];
    undo = () => undefined;
    [proxy, local] = await Promise.all([started('the proxy', asked), started('this machine', asked)]);
  });
  afterEach(() => {
    undo();
    for (const server of [proxy, local]) {
      server.closeAllConnections();
      server.close();
    }
  });

  it.each(['http://', ''])('is used by requests, also if it is written as "%shost:port"', async (scheme) => {
    undo = useProxyOf({ HTTP_PROXY: `${scheme}${addressOf(proxy)}` });
    expect(await (await fetch('http://weir.example/v1/account')).text()).toBe('the proxy');
    expect(asked).toEqual(['weir.example']);
  });

  it('is not used for this machine, which it cannot reach', async () => {
    undo = useProxyOf({ http_proxy: `http://${addressOf(proxy)}` });
    expect(await (await fetch(`http://${addressOf(local)}/`)).text()).toBe('this machine');
  });

  it('is no longer used after the change is undone', async () => {
    useProxyOf({ HTTP_PROXY: `http://${addressOf(proxy)}` })();
    await expect(fetch('http://weir.invalid/')).rejects.toThrow('fetch failed');
    expect(asked).toEqual([]);
  });

  it.each([
    [{}, undefined],
    [{ HTTPS_PROXY: '' }, undefined],
    [{ HTTPS_PROXY: 'http://proxy.example' }, { name: 'HTTPS_PROXY', use: 'used' }],
    [{ HTTP_PROXY: 'http://proxy.example' }, { name: 'HTTP_PROXY', use: 'used' }],
    [
      { HTTPS_PROXY: 'http://proxy.example', NODE_USE_ENV_PROXY: '1' },
      { name: 'HTTPS_PROXY', use: 'used' },
    ],
    [
      { HTTPS_PROXY: 'http://proxy.example', NODE_USE_ENV_PROXY: '0' },
      { name: 'HTTPS_PROXY', use: 'unused' },
    ],
    [{ HTTPS_PROXY: 'socks5://proxy.example' }, { name: 'HTTPS_PROXY', use: 'invalid' }],
    [
      { HTTPS_PROXY: 'http://proxy.example', HTTP_PROXY: 'http://[' },
      { name: 'HTTP_PROXY', use: 'invalid' },
    ],
  ])('with %j is %j for HTTPS', (env, expected) => {
    expect(proxyFor('https:', env)).toEqual(expected);
  });
});
