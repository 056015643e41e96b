/** The destination of a file's bytes, part by part. */
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { EXPORT_MEDIA_TYPES } from '../events/index.js';
import type { ClaimedJob, S3Destination } from './export-job.js';
import { ExportRefused, UploadLost } from './export-errors.js';
import type { ExportJobs } from './export-jobs.js';
import { S3Bucket, S3Refused } from '../object-storage/index.js';

export interface FileSink {
  /** Bytes that a part should have before it is stored. */
  partBytes(number: number): number;
  /** Bytes that a part must have, unless it is the last one. */
  readonly leastBytes: number;
  /**
   * Stores a part and returns what the database keeps of it, in a buffer that nothing else uses. Storing the same part again has no effect.
   *
   * @throws UploadLost | S3Refused | AbortError
   */
  store(
    number: number,
    content: Uint8Array,
  ): Promise<{ readonly content: Uint8Array<ArrayBuffer>; readonly etag?: string }>;
  /** Completes the file after all parts are stored. @throws UploadLost | S3Refused | AbortError */
  finish(): Promise<void>;
  /** Discards the file: no part of it may remain. */
  abandon(): Promise<void>;
  close(): Promise<void>;
}

const MIB = 1024 * 1024;
const STORED_PART_BYTES = MIB;
/**
 * A bucket accepts 10,000 parts per object, each but the last of at least 5 MiB. This size, doubled from `LARGER_FROM` on, allows 150
 * GiB.
 */
const BUCKET_PART_BYTES = 8 * MIB;
const LARGER_FROM = 1_000;
const LEAST_BUCKET_PART_BYTES = 5 * MIB;
const pack = promisify(deflateRaw);
/** Compressed parts are allocated in a few large chunks instead of hundreds of small ones. */
const PACKING = { chunkSize: 256 * 1024 };

interface SinkOptions {
  readonly partBytes?: number | undefined;
  /** Ends requests to a bucket: otherwise, a slow bucket would keep the service from stopping for minutes. */
  readonly signal: AbortSignal;
}

/** @param trusted endpoints of buckets that may be in private networks */
export function sinkOf(job: ClaimedJob, jobs: ExportJobs, trusted: readonly string[], options: SinkOptions): FileSink {
  const { destination } = job;
  const { partBytes } = options;
  if (destination.kind === 's3') return new BucketSink(job, destination, jobs, trusted, options);
  return {
    partBytes: () => partBytes ?? STORED_PART_BYTES,
    leastBytes: 1,
    store: async (_number, content) => ({ content: await pack(content, PACKING) }),
    finish: () => Promise.resolve(),
    abandon: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

class BucketSink implements FileSink {
  readonly leastBytes = LEAST_BUCKET_PART_BYTES;
  private readonly bucket: S3Bucket;
  private readonly key: string;
  private upload: string | null;

  constructor(
    private readonly job: ClaimedJob,
    destination: S3Destination,
    private readonly jobs: ExportJobs,
    trusted: readonly string[],
    private readonly options: SinkOptions,
  ) {
    if (job.credentials === null) {
      throw new ExportRefused(
        'The credentials of the bucket can no longer be decrypted: WEIR_TOKEN_SECRET was changed',
      );
    }
    this.bucket = new S3Bucket(destination, job.credentials, trusted, { signal: options.signal });
    this.key = objectKey(destination, job);
    this.upload = job.upload;
  }

  partBytes(number: number): number {
    return Math.max(BUCKET_PART_BYTES * (number < LARGER_FROM ? 1 : 2), this.options.partBytes ?? 0);
  }

  async store(number: number, content: Uint8Array): Promise<{ content: Uint8Array<ArrayBuffer>; etag: string }> {
    const none = new Uint8Array();
    if (content.length === 0) {
      // The last pages of a file may be empty: its earlier parts are the whole file.
      if (this.upload === null) await this.bucket.put(this.key, content, EXPORT_MEDIA_TYPES[this.job.format]);
      return { content: none, etag: '' };
    }
    if (this.upload === null) {
      this.upload = await this.bucket.begin(this.key, EXPORT_MEDIA_TYPES[this.job.format]);
      await this.jobs.uploading(this.job, this.upload);
    }
    const etag = await orLost(this.bucket.part(this.key, this.upload, number + 1, content));
    return { content: none, etag };
  }

  async finish(): Promise<void> {
    if (this.upload !== null) {
      const { bytes } = (await this.jobs.find(this.job, this.job.id)) ?? this.job;
      await orLost(this.bucket.complete(this.key, this.upload, await this.jobs.etags(this.job), bytes));
    }
    await this.jobs.delivered(this.job);
  }

  async abandon(): Promise<void> {
    if (this.upload !== null) await this.bucket.abort(this.key, this.upload);
  }

  close(): Promise<void> {
    return this.bucket.close();
  }
}

/** Waits for an answer about an upload that has begun. @throws UploadLost if the bucket does not know the upload; S3Refused */
async function orLost<Answer>(asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked;
  } catch (error) {
    const isLost = error instanceof S3Refused && error.status === 404 && !error.message.includes('NoSuchBucket');
    throw isLost ? new UploadLost() : error;
  }
}

type Named = Pick<ClaimedJob, 'createdAt' | 'id' | 'format'>;

/** The key of the object in the bucket. */
export const objectKey = ({ prefix }: Pick<S3Destination, 'prefix'>, job: Named): string => `${prefix}${fileName(job)}`;

/** The name of the file, in a download and in a bucket. */
export function fileName({ createdAt, id, format }: Named): string {
  return `weir-events-${createdAt.toISOString().slice(0, 10)}-${id.slice(-12)}.${format}`;
}
