import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { loadConfig } from '../config/index.js';
import { UpstreamClient } from './upstream-client.js';

/** A port that nobody listens on. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('A provider that takes no connection', () => {
  it.each(['http', 'https'])('by %s is unreachable: the call fails, and nothing else', async (scheme) => {
    const client = new UpstreamClient(loadConfig({}, () => '').proxy);
    try {
      const call = client.send({
        baseUrl: `${scheme}://127.0.0.1:${await closedPort()}`,
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
