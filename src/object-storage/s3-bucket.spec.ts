import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { S3Bucket, S3Refused } from './s3-bucket.js';

const credentials = { access_key_id: 'id', secret_access_key: 'secret' };
const content = Buffer.alloc(8 * 1024 * 1024);
type Limits = ConstructorParameters<typeof S3Bucket>[3];
const SHORT: Limits = { pace: { callMs: 100, bytesPerMs: 1024 * 1024 } };

describe('A bucket that takes too long', () => {
  let server: Server;
  let requests = 0;
  const answering = async (listener: RequestListener, limits = SHORT): Promise<S3Bucket> => {
    requests = 0;
    server = createServer((request, response) => {
      requests++;
      listener(request, response);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const place = { bucket: 'bucket', region: 'us-east-1', endpoint };
    return new S3Bucket(place, credentials, [endpoint], limits);
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

  it('is not waited for when the service stops, except to abort an upload', async () => {
    const stop = new AbortController();
    const bucket = await answering(
      (request, response) => {
        request.resume();
        if (request.method === 'DELETE') response.writeHead(204).end();
        else stop.abort();
      },
      { signal: stop.signal },
    );
    await expect(bucket.part('key', 'upload', 1, content)).rejects.toMatchObject({ name: 'AbortError' });
    await bucket.abort('key', 'upload');
    expect(requests).toBe(2);
    await bucket.destroy();
  });
});

describe('A multipart upload', () => {
  it('has an id that is known even if the service stops while it begins', async () => {
    const stop = new AbortController();
    const server = createServer((request, response) => {
      request.resume();
      stop.abort();
      response.end('<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>');
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const place = { bucket: 'bucket', region: 'us-east-1', endpoint };
    const bucket = new S3Bucket(place, credentials, [endpoint], { signal: stop.signal });
    expect(await bucket.begin('key', 'text/csv')).toBe('u1');
    await bucket.destroy();
    server.close();
  });
});

describe('A bucket that answers differently from Amazon S3', () => {
  let server: Server;
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });
  /** @param answers status and code of each answer, in turn */
  const bucketWith = async (...answers: readonly (readonly [status: number, code: string])[]): Promise<S3Bucket> => {
    const left = [...answers];
    server = createServer((request, response) => {
      const [status, code] = left.shift() ?? [200, 'Unexpected'];
      request.resume();
      response.writeHead(status, { etag: '"e"' }).end(`<Error><Code>${code}</Code></Error>`);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return new S3Bucket({ bucket: 'bucket', region: 'us-east-1', endpoint }, credentials, [endpoint]);
  };

  it('may report that an object to be deleted does not exist', async () => {
    const bucket = await bucketWith([404, 'NoSuchKey'], [404, 'NoSuchBucket']);
    await bucket.delete('key');
    await expect(bucket.delete('key')).rejects.toEqual(new S3Refused('The bucket answered 404, NoSuchBucket', 404));
    await bucket.destroy();
  });

  it('is asked again if the connection was too slow for it', async () => {
    const bucket = await bucketWith([400, 'RequestTimeout'], [200, 'None']);
    expect(await bucket.part('key', 'upload', 1, Buffer.from('part'))).toBe('"e"');
    await bucket.destroy();
  });
});
