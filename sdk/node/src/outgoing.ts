import { joined, readerOf, unlessAborted, type Reader } from './pieces.js';

/** The first parameter of `fetch`, for which not every runtime's types have a name. */
export type FetchInput = Parameters<typeof globalThis.fetch>[0];
type Body = NonNullable<RequestInit['body']>;

/** A request as it will be sent, in whichever form it was passed to `fetch`. Its body can no longer change. */
export interface Outgoing {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly signal: AbortSignal | undefined;
  readonly body: OutgoingBody;
  /** All other options of `fetch`. */
  readonly rest: RequestInit;
}

export interface OutgoingBody {
  /** The content to judge: the exact bytes, or the text that they encode. Null when there is no body; undefined when it is unreadable. */
  readonly content: string | Uint8Array<ArrayBuffer> | null | undefined;
  /**
   * The body to send if nothing has to change: of the type that it was passed as, and never the caller's own buffer.
   *
   * @throws TypeError, as `fetch` does, for a stream that was read and cannot be sent
   */
  send(): Body | null | undefined;
  /** The content type of a body that defines its own, such as a form; used if the caller set none. */
  readonly type?: string;
}

interface RequestLike {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly signal?: AbortSignal;
  readonly body?: unknown;
  readonly bodyUsed?: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** The fields of a `Request` to copy into an `init`. */
const REQUEST_FIELDS = [
  'cache',
  'credentials',
  'integrity',
  'keepalive',
  'mode',
  'redirect',
  'referrer',
  'referrerPolicy',
];

/** Reads the arguments of `fetch`. A body that is a stream is read to its end. */
export async function readOutgoing(input: FetchInput, init: RequestInit = {}): Promise<Outgoing> {
  const request = isRequest(input) ? input : undefined;
  const { body: given, method, headers, signal, ...rest } = init;
  const ends = signal ?? request?.signal ?? undefined;
  const ownBody = given === undefined || given === null;
  const body =
    request !== undefined && ownBody && request.body !== null && request.body !== undefined
      ? bytesBody(new Uint8Array(await unlessAborted(request.arrayBuffer(), ends)))
      : request !== undefined && ownBody && request.body === undefined
        ? await requestWithoutBodyField(request)
        : await readBody(given, ends);
  return {
    url: request?.url ?? String(input),
    method: (method ?? request?.method ?? 'GET').toUpperCase(),
    headers: headersOf(headers ?? request?.headers),
    signal: ends,
    body,
    rest: request === undefined ? rest : { ...fieldsOf(request), ...rest },
  };
}

/** Reads the body of a `Request` object without the field `body`, which some runtimes lack. */
async function requestWithoutBodyField(request: RequestLike): Promise<OutgoingBody> {
  if (request.method === 'GET' || request.method === 'HEAD') return NOTHING;
  const bytes = new Uint8Array(await request.arrayBuffer());
  return bytes.length === 0 ? NOTHING : bytesBody(bytes);
}

/** The `init` that sends a request, with the replacement instead of its own body if one is given. */
export function initOf(outgoing: Outgoing, replacement?: Uint8Array<ArrayBuffer>): RequestInit {
  const { method, signal, body, rest } = outgoing;
  const headers = new Headers(outgoing.headers);
  if (body.type !== undefined && !headers.has('content-type')) headers.set('content-type', body.type);
  const common: RequestInit = { ...rest, method, headers, ...(signal === undefined ? {} : { signal }) };
  if (replacement === undefined) {
    const sent = body.send();
    if (sent === null || sent === undefined) return common;
    return { ...common, body: sent, ...(sent instanceof ReadableStream ? { duplex: 'half' } : {}) };
  }
  for (const name of OF_THE_BYTES) headers.delete(name);
  if (outgoing.headers.has('content-length')) headers.set('content-length', String(replacement.length));
  delete (common as { duplex?: unknown }).duplex;
  return {
    ...common,
    headers,
    // Code between this function and the network may expect a string, because the caller passed one.
    body: typeof body.content === 'string' ? new TextDecoder().decode(replacement) : replacement,
  };
}

/** Headers that describe the bytes of a body, and are wrong for a different body. */
export const OF_THE_BYTES: readonly string[] = [
  'content-length',
  'content-encoding',
  'content-md5',
  'content-digest',
  'repr-digest',
  'digest',
];

const NOTHING: OutgoingBody = { content: null, send: () => undefined };

async function readBody(given: unknown, signal: AbortSignal | undefined): Promise<OutgoingBody> {
  if (given === undefined || given === null) return NOTHING;
  if (typeof given === 'string') return { content: given, send: () => given };
  if (given instanceof ArrayBuffer) return bytesBody(new Uint8Array(given.slice(0)));
  if (ArrayBuffer.isView(given)) {
    return bytesBody(new Uint8Array(given.buffer, given.byteOffset, given.byteLength).slice());
  }
  if (given instanceof URLSearchParams) {
    const text = given.toString();
    return { content: text, send: () => text, type: 'application/x-www-form-urlencoded;charset=UTF-8' };
  }
  if (given instanceof Blob) {
    const blob = given;
    return {
      content: new Uint8Array(await blob.arrayBuffer()),
      send: () => blob,
      ...(blob.type === '' ? {} : { type: blob.type }),
    };
  }
  if (given instanceof FormData) return formBody(given);
  if (given instanceof ReadableStream) {
    const bytes = await collected(readerOf(given), signal);
    return bytes === undefined ? SPENT : { content: bytes, send: () => streamOf(bytes) };
  }
  if (isAsyncIterable(given)) {
    const bytes = await collected(readerOf(given), signal);
    return bytes === undefined ? SPENT : bytesBody(bytes);
  }
  return { content: undefined, send: () => given as Body };
}

/** A stream with a chunk that nothing can send. */
const SPENT: OutgoingBody = {
  content: undefined,
  send() {
    throw new TypeError('A chunk of the body is neither bytes nor text');
  },
};

function bytesBody(bytes: Uint8Array<ArrayBuffer>): OutgoingBody {
  return { content: bytes, send: () => bytes };
}

/** Serializes a form once: each serialization has a new random boundary, and the bytes that were judged must be those that are sent. */
async function formBody(form: FormData): Promise<OutgoingBody> {
  const written = new Response(form);
  const type = written.headers.get('content-type');
  return { ...bytesBody(new Uint8Array(await written.arrayBuffer())), ...(type === null ? {} : { type }) };
}

/** Reads a body to its end; undefined if a chunk is neither bytes nor text. */
async function collected(
  reader: Reader,
  signal: AbortSignal | undefined,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const parts: Uint8Array[] = [];
  let hasEnded = false;
  try {
    for (;;) {
      const { done, value: chunk } = await unlessAborted(reader.read(), signal);
      hasEnded = done;
      if (done) return joined(parts);
      if (typeof chunk === 'string') parts.push(new TextEncoder().encode(chunk));
      else if (ArrayBuffer.isView(chunk)) {
        parts.push(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength).slice());
      } else if (chunk instanceof ArrayBuffer) parts.push(new Uint8Array(chunk.slice(0)));
      else return undefined;
    }
  } finally {
    // After an abort or an unreadable chunk, the source need not continue.
    if (!hasEnded) void reader.cancel(signal?.reason).catch(() => undefined);
  }
}

function streamOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream {
  return new ReadableStream({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes);
      controller.close();
    },
  });
}

function headersOf(headers: unknown): Headers {
  if (headers instanceof Headers || headers === undefined || headers === null) return new Headers(headers ?? undefined);
  const isPairs = typeof headers === 'object' && Symbol.iterator in headers;
  return new Headers(isPairs ? [...(headers as Iterable<[string, string]>)] : (headers as Record<string, string>));
}

function fieldsOf(request: object): RequestInit {
  const from = request as Readonly<Record<string, unknown>>;
  const entries = REQUEST_FIELDS.filter((name) => from[name] !== undefined).map((name) => [name, from[name]] as const);
  return Object.fromEntries(
    entries.filter(
      ([name, value]) => value !== '' && value !== 'about:client' && !(name === 'mode' && value === 'navigate'),
    ),
  ) as RequestInit;
}

function isRequest(input: unknown): input is RequestLike {
  return typeof input === 'object' && input !== null && 'url' in input && 'arrayBuffer' in input && 'headers' in input;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
