/**
 * The archive in a bucket. `WEIR_TEST_S3` names a server that speaks S3, with its credentials and a bucket:
 * `http://id:secret@127.0.0.1:4568/bucket`. Without `WEIR_TEST_S3`, these tests are reported as skipped.
 */
import { randomUUID } from 'node:crypto';
import { NotStored, S3Bucket, s3Store, type ObjectStore } from '../../src/object-storage/index.js';

const server = process.env['WEIR_TEST_S3'];
if (server === undefined) console.warn('SKIPPED: the archive in a bucket; WEIR_TEST_S3 names no server');
const { origin, username, password, pathname } = new URL(server ?? 'http://id:secret@127.0.0.1:1/bucket');
const credentials = { access_key_id: username, secret_access_key: password };
const MEGABYTE = 1_000_000;

(server === undefined ? describe.skip : describe)('The archive in a bucket', () => {
  const prefix = `archive-${randomUUID()}/`;
  const store = (bucket = pathname.slice(1)): ObjectStore =>
    s3Store({ bucket, prefix, region: 'us-east-1', endpoint: origin }, credentials);
  const keys = async (from: ObjectStore): Promise<string[]> => {
    const found: string[] = [];
    for await (const key of from.list()) found.push(key);
    return found.sort();
  };

  it('returns objects byte for byte, lists them, and deletes them', async () => {
    const bucket = store();
    const bytes = Buffer.alloc(3 * MEGABYTE, 'weir\0\xff', 'latin1');
    const other = "a/b c/ü&'<x>.parquet";
    await bucket.put('a/1.parquet', bytes);
    await bucket.put(other, Buffer.from('x'));
    expect(Buffer.from((await bucket.get('a/1.parquet'))!).equals(bytes)).toBe(true);
    expect(await keys(bucket)).toEqual(['a/1.parquet', other].sort());
    await bucket.delete('a/1.parquet');
    await bucket.delete('a/1.parquet');
    expect(await bucket.get('a/1.parquet')).toBeNull();
    expect(await keys(bucket)).toEqual([other]);
    await bucket.close();
  });

  it('lists more objects than one answer of the bucket contains', async () => {
    const bucket = store();
    const wanted = Array.from({ length: 5 }, (_, n) => `many/${n}`);
    for (const key of wanted) await bucket.put(key, Buffer.from('x'));
    await bucket.close();
    const raw = new S3Bucket({ bucket: pathname.slice(1), region: 'us-east-1', endpoint: origin }, credentials, [
      origin,
    ]);
    const found: string[] = [];
    let after: string | null = null;
    do {
      const page: Awaited<ReturnType<S3Bucket['list']>> = await raw.list(`${prefix}many/`, after, 2);
      expect(page.keys.length).toBeLessThanOrEqual(2);
      found.push(...page.keys);
      after = page.next;
    } while (after !== null);
    await raw.close();
    expect(found).toEqual(wanted.map((key) => prefix + key));
  });

  it('reports the error of the bucket without a credential', async () => {
    const missing = store('no-such-bucket-of-weir');
    const failure: unknown = await missing.get('a').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(NotStored);
    expect((failure as Error).message).toBe('The bucket answered 404, NoSuchBucket');
    await missing.close();
  });
});
