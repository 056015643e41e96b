import { once } from 'node:events';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import type { BoundRemote, Segment } from '../core/index.js';
import { RemoteScanner } from './remote-scan.js';

const remote: BoundRemote = {
  service: 'names',
  requests: (asked) => asked.map(({ text }, index) => ({ path: '/', body: text, texts: [index] })),
  read: (_answer, about) => about.map(() => []),
};
const segment = (text: string): Segment => ({ path: 'messages[0].content', role: 'user', text, ref: 0 });
const texts = [segment('Ann')];

/** An address of this machine at which nothing listens. */
async function closedAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}

describe('A remote detector that fails for the texts of one account', () => {
  it('is still asked for the texts of other accounts', async () => {
    const reports: unknown[] = [];
    const scanner = new RemoteScanner({
      services: [{ name: 'names', baseUrl: await closedAddress() }],
      nowMs: () => 0,
      random: () => 0,
      breaker: { failures: 3, openMs: 10_000 },
      onEvent: (...event) => void reports.push(event),
    });
    const reasonOf = async (accountId: string) => {
      const result = await scanner.scan(remote, texts, 60_000, accountId);
      return result.status === 'failed' ? result.reason : result.status;
    };
    expect(await reasonOf('loud')).toBe('failed');
    expect(await reasonOf('loud')).toBe('not_run');
    expect(await reasonOf('quiet')).toBe('failed');
    expect(reports).toEqual([
      ['breaker_opened', 'names', 'loud'],
      ['breaker_opened', 'names', 'quiet'],
    ]);
    await scanner.onApplicationShutdown();
  });

  it('leaves connections to other accounts while it does not answer', async () => {
    const silent: ServerResponse[] = [];
    const server = createHttpServer((request, response) => {
      let body = '';
      request.on('data', (part: Buffer) => {
        body += part.toString();
      });
      request.on('end', () => {
        if (body.includes('slow')) silent.push(response);
        else response.end('[]');
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const scanner = new RemoteScanner({
      services: [{ name: 'names', baseUrl: `http://127.0.0.1:${port}` }],
      nowMs: () => 0,
      random: () => 0,
    });
    const loud = Array.from({ length: 20 }, (_, call) =>
      scanner.scan(
        remote,
        Array.from({ length: 8 }, (_text, index) => segment(`slow ${call} ${index}`)),
        60_000,
        'loud',
      ),
    );
    while (silent.length < 64) await new Promise(setImmediate);
    expect(await scanner.scan(remote, texts, 5_000, 'quiet')).toMatchObject({ status: 'scanned' });
    const answered = Promise.all(loud);
    let isAnswered = false;
    void answered.then(() => {
      isAnswered = true;
    });
    while (!isAnswered) {
      for (const response of silent.splice(0)) response.end('[]');
      await new Promise(setImmediate);
    }
    expect((await answered).every(({ status }) => status === 'scanned')).toBe(true);
    await scanner.onApplicationShutdown();
    server.close();
  });
});
