import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { NameLookups } from '../resilience/index.js';
import { endpointProblem } from './guarded-agent.js';
import { S3Bucket, S3Refused } from './s3-bucket.js';
import { tryBucket } from './try-bucket.js';

describe('An endpoint that an account names', () => {
  it.each([
    'https://s3.eu-central-1.amazonaws.com',
    'https://minio.example.com:9000',
    'https://203.0.114.5',
    'https://[2606:4700::1111]',
  ])('may be %s', (endpoint) => {
    expect(endpointProblem(endpoint, [])).toBeUndefined();
  });

  it.each([
    'http://s3.example.com',
    'ftp://s3.example.com',
    'minio:9000',
    'https://id:secret@s3.example.com',
    'https://s3.example.com/path',
    'https://s3.example.com/?x=1',
    'https://127.0.0.1',
    'https://10.1.2.3',
    'https://169.254.169.254',
    'https://100.64.0.1',
    'https://0.0.0.0',
    'https://2130706433',
    'https://0x7f.1',
    'https://[::1]',
    'https://[::ffff:127.0.0.1]',
    'https://[fd00::1]',
    'https://[fe80::1]',
    'https://[64:ff9b::a00:1]',
  ])('may not be %s', (endpoint) => {
    expect(endpointProblem(endpoint, [])).toBeDefined();
  });

  it('may be in a private network if the operator trusts it', () => {
    expect(endpointProblem('http://10.0.0.5:9000', ['http://10.0.0.5:9000'])).toBeUndefined();
    expect(endpointProblem('http://10.0.0.5:9001', ['http://10.0.0.5:9000'])).toBeDefined();
  });

  it('is never connected to if its name resolves to a private address', async () => {
    let asked = 0;
    const server = createServer((_request, response) => {
      asked++;
      response.end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const place = { bucket: 'bucket', region: 'us-east-1', endpoint: `http://localhost:${port}` };
    const credentials = { access_key_id: 'id', secret_access_key: 'secret' };
    const guarded = new S3Bucket(place, credentials, []);
    await expect(guarded.put('key', Buffer.from('text'), 'text/plain')).rejects.toEqual(
      new S3Refused('The endpoint is an address of a private network', 403),
    );
    expect(asked).toBe(0);
    const trusting = new S3Bucket(place, credentials, [place.endpoint]);
    await trusting.put('key', Buffer.from('text'), 'text/plain');
    expect(asked).toBe(1);
    await Promise.all([guarded.close(), trusting.close()]);
    server.close();
  });
});

describe('The name of an endpoint that an account tests', () => {
  it('is looked up alone, and tests of other names are refused meanwhile', async () => {
    const lookups: (() => void)[] = [];
    const names = new NameLookups(1, {
      resolve: (_name, _options, answer) =>
        void lookups.push(() => answer(null, [{ address: '127.0.0.1', family: 4 }])),
    });
    const begun = async (count: number): Promise<void> => {
      while (lookups.length < count) await nextTurn();
    };
    const test = (host: string) => {
      const place = { bucket: 'bucket', region: 'us-east-1', prefix: '', endpoint: `https://${host}` };
      const credentials = { access_key_id: 'id', secret_access_key: 'secret' };
      return tryBucket(place, credentials, [], names.lookup(10_000, false));
    };
    const first = test('one.test');
    await begun(1);
    expect((await test('two.test')).problem).toBe('The name of the endpoint cannot be resolved now; try again');
    expect(lookups).toHaveLength(1);
    lookups[0]?.();
    expect((await first).problem).toBe('The endpoint is an address of a private network');
    const second = test('two.test');
    await begun(2);
    lookups[1]?.();
    expect((await second).problem).toBe('The endpoint is an address of a private network');
  });
});
