import { ENDPOINT_LOOKUPS } from './guarded-agent.js';
import { NotStored, type ObjectStore } from './object-store.js';
import { S3Bucket, S3Refused, type S3Credentials, type S3Place } from './s3-bucket.js';

/** An operator's own bucket: its endpoint may be in a private network. */
export function s3Store(
  { prefix, ...place }: S3Place & { readonly prefix: string },
  credentials: S3Credentials,
): ObjectStore {
  const trusted = place.endpoint === undefined ? [] : [new URL(place.endpoint).origin];
  const ending = new AbortController();
  const limits = { lookup: ENDPOINT_LOOKUPS.ofOperator, signal: ending.signal };
  const bucket = new S3Bucket(place, credentials, trusted, limits);
  return {
    put: (key, content) => mapErrors(() => bucket.put(prefix + key, content, 'application/vnd.apache.parquet')),
    get: (key) => mapErrors(() => bucket.get(prefix + key)),
    delete: (key) => mapErrors(() => bucket.delete(prefix + key)),
    async *list() {
      let after: string | null = null;
      do {
        const page: Awaited<ReturnType<S3Bucket['list']>> = await mapErrors(() => bucket.list(prefix, after));
        for (const key of page.keys) yield key.slice(prefix.length);
        after = page.next;
      } while (after !== null);
    },
    end: () => ending.abort(),
    get isEnded() {
      return ending.signal.aborted;
    },
    close: () => bucket.close(),
  };
}

async function mapErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof S3Refused) throw new NotStored(error.message);
    if (error instanceof Error && error.name === 'AbortError') throw new NotStored('the service is being stopped');
    throw error;
  }
}
