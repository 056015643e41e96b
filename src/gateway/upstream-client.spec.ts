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
