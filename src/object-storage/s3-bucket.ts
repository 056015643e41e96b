/** The calls of the S3 API for uploads, reading back and listing. Signatures are made by aws4fetch, connections by undici. */
import { createHash } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { request, type Agent } from 'undici';
import { ANSWER_MS, guardedAgent } from './guarded-agent.js';

export interface S3Credentials {
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly session_token?: string;
}

export interface S3Place {
  readonly bucket: string;
  readonly region: string;
  /** Absent: Amazon S3 in the region. */
  readonly endpoint?: string;
}

/** The bucket refused a request, or did not answer; the message is for people and contains no credential. */
export class S3Refused extends Error {
  override readonly name = 'S3Refused';

  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

interface Answer {
  readonly status: number;
  readonly etag: string | null;
  readonly length: number | null;
  readonly body: string;
  /** The complete content, if it was requested. */
  readonly content: Uint8Array;
}

interface Sent {
  readonly content?: Uint8Array | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Maximum number of bytes of the answer to keep. */
  readonly most?: number;
  /** Replaces `callMs` of the pace. */
  readonly callMs?: number;
  /** Whether the signal of the bucket does not end the request. */
  readonly outlivesSignal?: boolean;
}

/** The time that a request may take with all of its attempts: `callMs`, and more for its bytes. */
interface BucketPace {
  readonly callMs: number;
  /** The least speed at which bytes have to be sent or read. */
  readonly bytesPerMs: number;
}

interface BucketLimits {
  readonly attempts?: number;
  readonly pace?: BucketPace;
  /** Ends requests, except those that clean up. */
  readonly signal?: AbortSignal | undefined;
  /** Looks up the name of an endpoint that the operator does not trust. */
  readonly lookup?: LookupFunction;
}

const ATTEMPTS = 5;
const PAUSE_MS = 500;
const MAX_ANSWER = 64 * 1024;
/**
 * An account names the bucket, which could otherwise occupy an export for days by taking or sending single bytes. The time is enough for
 * two attempts that undici ends because the endpoint is silent, and the speed is half a megabit per second.
 */
const PACE: BucketPace = { callMs: 240_000, bytesPerMs: 64 };
/** Amazon needs several minutes to put large objects together. */
const COMPLETE_MS = 600_000;
/** Short, because the upload has already failed. */
const ABORT_MS = 30_000;
/** The limit of a request that delays the end of the service. */
const BEGIN_MS = 30_000;
/** Maximum sizes of a page of a listing, and of an object that is read back: no larger object is ever written. */
const MAX_LISTING = 4 * 1024 * 1024;
const MAX_OBJECT = 512 * 1024 * 1024;

export class S3Bucket {
  private readonly agent: Agent;
  private readonly root: string;
  private readonly attempts: number;
  private readonly pace: BucketPace;
  private readonly signal: AbortSignal | undefined;

  constructor(
    private readonly place: S3Place,
    private readonly credentials: S3Credentials,
    trusted: readonly string[],
    { attempts = ATTEMPTS, pace = PACE, signal, lookup }: BucketLimits = {},
  ) {
    this.attempts = attempts;
    this.pace = pace;
    this.signal = signal;
    const endpoint = place.endpoint ?? `https://s3.${place.region}.amazonaws.com`;
    this.agent = guardedAgent(endpoint, trusted, lookup);
    this.root = `${endpoint.replace(/\/$/, '')}/${encodeURIComponent(place.bucket)}`;
  }

  /**
   * Begins a multipart upload. The signal does not end the request, because the upload would exist, and nobody would know its id.
   *
   * @throws S3Refused, as do all of these methods; the others throw AbortError after the signal
   */
  async begin(key: string, contentType: string): Promise<string> {
    const sent = { headers: { 'content-type': contentType }, callMs: BEGIN_MS, outlivesSignal: true };
    const { body } = await this.call('POST', key, '?uploads=', sent);
    const upload = /<UploadId>([^<]{1,1024})<\/UploadId>/.exec(body)?.[1];
    if (upload === undefined) throw new S3Refused('The bucket returned no upload id', 502);
    return unescapeXml(upload);
  }

  /** @param number from 1 on */
  async part(key: string, upload: string, number: number, content: Uint8Array): Promise<string> {
    const query = `?partNumber=${number}&uploadId=${encodeURIComponent(upload)}`;
    const { etag } = await this.call('PUT', key, query, { content });
    if (etag === null) throw new S3Refused('The bucket did not confirm the stored object', 502);
    return etag;
  }

  /** Completes a multipart upload. If it is called again, it checks whether the object exists. */
  async complete(key: string, upload: string, etags: readonly string[], bytes: number): Promise<void> {
    const parts = etags.map(
      (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`,
    );
    const content = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
    try {
      const sent = { content, callMs: COMPLETE_MS };
      const { body } = await this.call('POST', key, `?uploadId=${encodeURIComponent(upload)}`, sent);
      // Amazon may begin its answer with 200 and end it with an error.
      if (body.includes('<Error>')) throw new S3Refused(refusal(200, body), 502);
    } catch (error) {
      if (!(error instanceof S3Refused) || error.status !== 404) throw error;
      const { length } = await this.call('HEAD', key, '');
      if (length !== bytes) throw new S3Refused('The upload no longer exists in the bucket', 404);
    }
  }

  /** Uploads an object in one request. */
  async put(key: string, content: Uint8Array, contentType: string): Promise<void> {
    await this.call('PUT', key, '', { content, headers: { 'content-type': contentType } });
  }

  /** The content of an object; null if there is none. */
  async get(key: string): Promise<Uint8Array | null> {
    try {
      return (await this.call('GET', key, '', { most: MAX_OBJECT })).content;
    } catch (error) {
      if (error instanceof S3Refused && error.status === 404 && error.message.includes('NoSuchKey')) return null;
      throw error;
    }
  }

  /**
   * A page of the keys with this prefix.
   *
   * @param after `next` of the previous page
   * @param most maximum number of keys in a page
   */
  async list(
    prefix: string,
    after: string | null,
    most = 1_000,
  ): Promise<{ readonly keys: string[]; readonly next: string | null }> {
    const goesOn = after === null ? '' : `&continuation-token=${encodeURIComponent(after)}`;
    const query = `?list-type=2${goesOn}&max-keys=${most}&prefix=${encodeURIComponent(prefix)}`;
    const { body } = await this.call('GET', '', query, { most: MAX_LISTING });
    const keys = [...body.matchAll(/<Key>([^<]{1,4096})<\/Key>/g)].map(([, key = '']) => unescapeXml(key));
    const next = /<NextContinuationToken>([^<]{1,4096})<\/NextContinuationToken>/.exec(body)?.[1];
    return { keys, next: next === undefined ? null : unescapeXml(next) };
  }

  /** Aborts a multipart upload, and discards its parts. */
  async abort(key: string, upload: string): Promise<void> {
    await this.call('DELETE', key, `?uploadId=${encodeURIComponent(upload)}`, {
      callMs: ABORT_MS,
      outlivesSignal: true,
    });
  }

  /** Deletes an object if it exists: some services answer 404 if it does not, for example when a lost answer was repeated. */
  async delete(key: string): Promise<void> {
    try {
      await this.call('DELETE', key, '');
    } catch (error) {
      if (!(error instanceof S3Refused) || error.status !== 404 || error.message.includes('NoSuchBucket')) throw error;
    }
  }

  /** Like `close`, but also ends requests in flight. */
  async destroy(): Promise<void> {
    await this.agent.destroy();
  }

  async close(): Promise<void> {
    await this.agent.close();
  }

  private async call(
    method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE',
    key: string,
    query: string,
    sent: Sent = {},
  ): Promise<Answer> {
    const limitMs = this.limitMsOf(sent);
    const late = AbortSignal.timeout(limitMs);
    const signal =
      this.signal === undefined || sent.outlivesSignal === true ? late : AbortSignal.any([late, this.signal]);
    try {
      return await this.attempted(() => this.once(method, key, query, sent, signal), signal);
    } catch (error) {
      throw late.aborted ? tooSlow(limitMs) : error;
    }
  }

  private limitMsOf({ content, most = 0, callMs = this.pace.callMs }: Sent): number {
    return Math.ceil(callMs + ((content?.length ?? 0) + most) / this.pace.bytesPerMs);
  }

  private async attempted(once: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      const answer = await once().catch((error: unknown) => outage(error));
      signal.throwIfAborted();
      if (answer instanceof S3Refused) {
        if (answer.status !== 0 || attempt >= this.attempts) throw answer;
      } else {
        if (answer.status < 300) return answer;
        const mayHelp = answer.status >= 500 || [408, 429].includes(answer.status) || isTimeout(answer);
        if (!mayHelp || attempt >= this.attempts)
          throw new S3Refused(refusal(answer.status, answer.body), answer.status);
      }
      await sleep(PAUSE_MS * 2 ** attempt, undefined, { signal });
    }
  }

  private async once(
    method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE',
    key: string,
    query: string,
    { content, headers = {}, most = MAX_ANSWER }: Sent,
    signal: AbortSignal,
  ): Promise<Answer> {
    const { access_key_id, secret_access_key, session_token } = this.credentials;
    const path = key.split('/').map(encodeURIComponent).join('/');
    const signed = await new AwsV4Signer({
      method,
      url: `${this.root}/${path}${query}`,
      headers: {
        ...headers,
        'x-amz-content-sha256': createHash('sha256')
          .update(content ?? '')
          .digest('hex'),
      },
      accessKeyId: access_key_id,
      secretAccessKey: secret_access_key,
      ...(session_token === undefined ? {} : { sessionToken: session_token }),
      service: 's3',
      region: this.place.region,
    }).sign();
    const answer = await request(signed.url, {
      method,
      headers: Object.fromEntries(signed.headers.entries()),
      body: content ?? null,
      dispatcher: this.agent,
      // The time for headers begins with the request, so it includes the time in which the content is sent.
      headersTimeout: Math.ceil(ANSWER_MS + (content?.length ?? 0) / this.pace.bytesPerMs),
      signal,
    });
    const { etag, 'content-length': length } = answer.headers;
    const isBody = most > MAX_ANSWER && answer.statusCode < 300;
    const bytes = await bytesOf(answer.body, isBody ? most : MAX_ANSWER);
    return {
      status: answer.statusCode,
      etag: typeof etag === 'string' ? etag : null,
      length: typeof length === 'string' ? Number(length) : null,
      body: most === MAX_OBJECT && isBody ? '' : bytes.toString('utf8'),
      content: bytes,
    };
  }
}

async function bytesOf(body: AsyncIterable<Uint8Array>, most: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    if (size < most) parts.push(part);
    size += part.length;
  }
  return Buffer.concat(parts).subarray(0, most);
}

/** Status 0: the request may be retried. */
function outage(error: unknown): S3Refused {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'FORBIDDEN_ENDPOINT') return new S3Refused(cause.message, 403);
    if (code === 'LOOKUP_BUSY') return new S3Refused('The name of the endpoint cannot be resolved now; try again', 0);
  }
  return new S3Refused('The endpoint of the bucket does not answer', 0);
}

/** Not retried: the attempts have used up the time. */
function tooSlow(limitMs: number): S3Refused {
  const seconds = Math.ceil(limitMs / 1_000);
  const time = seconds === 1 ? '1 second' : `${seconds} seconds`;
  return new S3Refused(`The bucket is too slow: a request was not finished within ${time}`, 408);
}

/** The API reports a connection that was too slow with status 400. */
const isTimeout = ({ body }: Answer): boolean => body.includes('<Code>RequestTimeout</Code>');

/** The refusal in our own words, with the error code of the API. */
function refusal(status: number, body: string): string {
  const code = /<Code>([A-Za-z0-9.]{1,64})<\/Code>/.exec(body)?.[1];
  return `The bucket answered ${status}${code === undefined ? '' : `, ${code}`}`;
}

const escapeXml = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0) ?? 0};`);
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const unescapeXml = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? '');
