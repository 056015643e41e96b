import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { S3Bucket, S3Refused } from './s3-bucket.js';

const credentials = { access_key_id: 'id', secret_access_key: 'secret' };
const content = Buffer.alloc(8 * 1024 * 1024);

describe('A bucket that takes too long', () => {
  let server: Server;
  let requests = 0;
  const answering = async (listener: RequestListener): Promise<S3Bucket> => {
    requests = 0;
    server = createServer((request, response) => {
      requests++;
      listener(request, response);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const place = { bucket: 'bucket', region: 'us-east-1', endpoint };
    return new S3Bucket(place, credentials, [endpoint], { pace: { callMs: 100, bytesPerMs: 1024 * 1024 } });
  };
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });
  const tooSlow = new S3Refused('The bucket is too slow: a request was not finished within 1 second', 408);

  it.each<[string, RequestListener]>([
    ['accepts a part in drips', (request) => void request.once('readable', () => request.read(1))],
    ['never answers', (request) => void request.resume()],
    [
      'answers in drips',
      (request, response) => {
        request.resume();
        response.writeHead(200, { etag: '"e"' });
        const dripping = setInterval(() => response.write(' '), 5);
        response.once('close', () => clearInterval(dripping));
      },
    ],
  ])(
    'is given up, with an error for people, if it %s',
    async (_what, listener) => {
      const bucket = await answering(listener);
      await expect(bucket.part('key', 'upload', 1, content)).rejects.toEqual(tooSlow);
      expect(requests).toBe(1);
      await bucket.destroy();
    },
    10_000,
  );

  it('is given up between two attempts as well', async () => {
    const bucket = await answering((request, response) => {
      request.resume();
      response.writeHead(503).end();
    });
    await expect(bucket.part('key', 'upload', 1, content)).rejects.toEqual(tooSlow);
    await bucket.destroy();
  }, 10_000);
});
