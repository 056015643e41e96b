import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endpointProblem } from './guarded-agent.js';
import { S3Bucket, S3Refused } from './s3-bucket.js';

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
