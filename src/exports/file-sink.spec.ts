import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ClaimedJob } from './export-job.js';
import type { ExportJobs } from './export-jobs.js';
import { sinkOf } from './file-sink.js';

describe('A file in a bucket', () => {
  let bucket: Server;
  let origin: string;
  let requests: string[];

  beforeEach(async () => {
    requests = [];
    bucket = createServer((request, response) => {
      request.resume();
      request.once('end', () => {
        const { search } = new URL(request.url ?? '', 'http://bucket');
        requests.push(`${request.method}${search.replace(/uploadId=\w+/, 'uploadId')}`);
        const isBegun = search.startsWith('?uploads');
        response.setHeader('etag', '"part"');
        response.end(isBegun ? '<R><UploadId>u1</UploadId></R>' : '<R><ETag>"whole"</ETag></R>');
      });
    });
    bucket.listen(0, '127.0.0.1');
    await once(bucket, 'listening');
    origin = `http://127.0.0.1:${(bucket.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    bucket.closeAllConnections();
    bucket.close();
    await once(bucket, 'close');
  });

  const sink = () => {
    const destination = { kind: 's3', bucket: 'b', prefix: '', region: 'us-east-1', endpoint: origin };
    const job = {
      ...{
        id: 'job',
        accountId: 'account',
        format: 'jsonl',
        createdAt: new Date(0),
        upload: null,
        bytes: 3,
        destination,
      },
      credentials: { access_key_id: 'id', secret_access_key: 'none' },
    } as unknown as ClaimedJob;
    const jobs = {
      uploading: () => Promise.resolve(),
      find: () => Promise.resolve(null),
      etags: () => Promise.resolve(['"part"']),
      delivered: () => Promise.resolve(),
    } as unknown as ExportJobs;
    return sinkOf(job, jobs, [origin], { signal: new AbortController().signal });
  };

  it('consists of its earlier parts if the last pages contained nothing', async () => {
    const file = sink();
    await file.store(0, Buffer.from('row'));
    expect(await file.store(1, new Uint8Array())).toMatchObject({ etag: '' });
    await file.finish();
    await file.close();
    expect(requests).toEqual(['POST?uploads=', 'PUT?partNumber=1&uploadId', 'POST?uploadId']);
  });

  it('is an empty object if it contains nothing at all', async () => {
    const file = sink();
    await file.store(0, new Uint8Array());
    await file.finish();
    await file.close();
    expect(requests).toEqual(['PUT']);
  });
});
