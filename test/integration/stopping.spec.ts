import { once } from 'node:events';
import { connect } from 'node:net';
import { takePort } from '../../src/processes/index.js';
import { startTestApp } from '../support/test-app.js';

const HOST = '127.0.0.1';
/** So many that each listening socket of the service has some of their connections. */
const CALLS = 200;

/** Takes a port as the next process does, as soon as it is free. */
async function takeWhenFree(port: number): Promise<() => Promise<void>> {
  for (;;) {
    const giveBack = await takePort(port, HOST).catch(() => undefined);
    if (giveBack !== undefined) return giveBack;
  }
}

describe('A service that stops', () => {
  it('leaves its port to the next process while calls are still running', async () => {
    const app = await startTestApp({ env: { HOST, WEIR_DRAIN_TIMEOUT: '10m', WEIR_REQUEST_TIMEOUT: '10m' } });
    const port = Number(new URL(app.url).port);
    const head = [
      'POST /v1/events HTTP/1.1',
      `host: ${HOST}`,
      `authorization: Bearer ${app.bootstrap.keys.production}`,
      'content-type: application/json',
      'content-length: 100',
      'expect: 100-continue',
    ];
    const clients = Array.from({ length: CALLS }, () => connect(port, HOST).on('error', () => undefined));
    const begun = await Promise.all(
      clients.map(async (client) => {
        client.write(`${head.join('\r\n')}\r\n\r\n`);
        return String((await once(client, 'data'))[0]);
      }),
    );
    expect(begun.filter((text) => !text.includes('100 Continue'))).toEqual([]);
    const closing = app.close();
    const giveBack = await takeWhenFree(port);
    expect(clients.filter(({ readyState }) => readyState !== 'open')).toEqual([]);
    await giveBack();
    for (const client of clients) client.destroy();
    await closing;
  });
});
