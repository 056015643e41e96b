import { freePort } from '../../test/support/server-process.js';
import { loadConfig } from '../config/index.js';
import { UpstreamClient } from './upstream-client.js';

describe('A provider that takes no connection', () => {
  it.each(['http', 'https'])('by %s is unreachable: the call fails, and nothing else', async (scheme) => {
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
