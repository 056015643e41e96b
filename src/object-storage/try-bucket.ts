import { randomUUID } from 'node:crypto';
import { ENDPOINT_LOOKUPS } from './guarded-agent.js';
import { S3Bucket, S3Refused, type S3Credentials, type S3Place } from './s3-bucket.js';

export interface BucketTrial {
  /** The failure in words for people. */
  readonly problem?: string;
  /** The name of the object. */
  readonly object: string;
}

/** The time limit is short because a person waits for the answer. */
const PATIENCE_MS = 15_000;

/**
 * Writes an object of one byte and deletes it again, each in a single attempt.
 *
 * @param lookup looks up the name of the endpoint; for tests
 */
export async function tryBucket(
  place: S3Place & { readonly prefix: string },
  credentials: S3Credentials,
  trusted: readonly string[],
  lookup = ENDPOINT_LOOKUPS.ofAccountAtOnce,
): Promise<BucketTrial> {
  const object = `${place.prefix}weir-connection-test-${randomUUID()}`;
  const bucket = new S3Bucket(place, credentials, trusted, { attempts: 1, lookup });
  const timer = setTimeout(() => void bucket.destroy(), PATIENCE_MS);
  try {
    const written = await problemOf(() => bucket.put(object, Buffer.from('w'), 'application/octet-stream'));
    if (written !== undefined) return { problem: written, object };
    const deleted = await problemOf(() => bucket.delete(object));
    if (deleted === undefined) return { object };
    return { problem: `The object could be written, but not deleted: ${deleted}`, object };
  } finally {
    clearTimeout(timer);
    await bucket.destroy();
  }
}

async function problemOf(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof S3Refused) return error.message;
    throw error;
  }
}
