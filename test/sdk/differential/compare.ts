import type { RawUpstream, RecordedRequest, Respond } from '../../support/raw-upstream.js';

/** One call of a client, as a user writes it. It sets the provider's answer if that is relevant. */
export type Call<Client> = (client: Client, provider: RawUpstream) => unknown;
export type Calls<Client> = Readonly<Record<string, Call<Client>>>;

export const SSE = { 'content-type': 'text/event-stream' };

/** The effects of a call that its user and its provider can observe. */
interface Noticed {
  readonly outcome: unknown;
  readonly requests: readonly unknown[];
}

/**
 * Makes the same call with several clients, one after the other.
 *
 * @param fallback the provider's answer if the call does not set one
 */
export async function noticedBy<Client>(
  provider: RawUpstream,
  fallback: Respond,
  clients: readonly Client[],
  call: Call<Client>,
): Promise<Noticed[]> {
  const noticed: Noticed[] = [];
  for (const client of clients) {
    provider.requests.length = 0;
    provider.aborted = 0;
    provider.answer(fallback);
    const outcome = await outcomeOf(() => call(client, provider));
    noticed.push({ outcome, requests: provider.requests.map(requestSeen) });
  }
  return noticed;
}

async function outcomeOf(call: () => unknown): Promise<unknown> {
  try {
    return await comparable(await call());
  } catch (error) {
    return comparableError(error);
  }
}

async function comparable(value: unknown): Promise<unknown> {
  if (value instanceof Response) {
    const { status, statusText, url, redirected, type, headers } = value;
    return { status, statusText, url, redirected, type, headers: headersOf(headers), text: await value.text() };
  }
  if (Array.isArray(value)) return Promise.all(value.map(comparable));
  if (value instanceof Error) return comparableError(value);
  return plain(value);
}

function comparableError(error: unknown): unknown {
  if (!(error instanceof Error)) return { thrown: plain(error) };
  const { name, message, cause } = error;
  const { headers, ...rest } = error as unknown as Record<string, unknown>;
  return {
    ...{ class: error.constructor.name, name, message, cause: cause instanceof Error ? cause.constructor.name : cause },
    rest: plain({ ...rest, cause: undefined }),
    headers: headers instanceof Headers ? headersOf(headers) : undefined,
  };
}

const headersOf = (headers: Headers): string[][] => [...headers].filter(([name]) => name !== 'date');

function plain(value: unknown): unknown {
  const text = JSON.stringify(value, (key: string, each: unknown) => (key === 'date' ? undefined : each));
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}

/** The exact request, without headers about the connection and random values. */
function requestSeen({ method, url, rawHeaders, body }: RecordedRequest): unknown {
  const lines = rawHeaders.flatMap((name, index) =>
    index % 2 === 1 || /^(?:host|connection)$/i.test(name) ? [] : [`${name}: ${rawHeaders[index + 1]}`],
  );
  const boundary = /boundary=([^\s;"]+)/.exec(lines.join('\n'))?.[1];
  const drawn = (text: string): string =>
    (boundary === undefined ? text : text.replaceAll(boundary, 'boundary'))
      .replace(/stainless-node-retry-[\w-]+/g, 'stainless-node-retry')
      // A signature depends on its time.
      .replace(/^(x-amz-date: ).*|(?<=^authorization: AWS4.*Signature=)\w+/i, '$1');
  return { method, url, headers: lines.map(drawn), body: drawn(body.toString('latin1')) };
}

/** All parts of a stream, in order. */
export async function all(stream: unknown): Promise<unknown[]> {
  const parts: unknown[] = [];
  for await (const part of (await stream) as AsyncIterable<unknown>) parts.push(part);
  return parts;
}

/** The result or the error of a call. */
export function settled(call: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(call).catch((error: unknown) => error);
}

/** A stream that stays open until its reader leaves. */
export const endless =
  (frames: readonly string[]): Respond =>
  (response) => {
    response.writeHead(200, SSE);
    for (const frame of frames) response.write(frame);
  };

/** A stream in pieces of seven bytes, which may split characters and frames. */
export const inOddPieces =
  (frames: readonly string[]): Respond =>
  async (response) => {
    const bytes = Buffer.from(frames.join(''));
    response.writeHead(200, SSE);
    for (let at = 0; at < bytes.length; at += 7) {
      response.write(bytes.subarray(at, at + 7));
      await new Promise(setImmediate);
    }
    response.end();
  };

export const answerWith =
  (status: number, body: unknown, headers: Record<string, string> = {}): Respond =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req-1', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

/** Gives these answers one after the other, and repeats the last one. */
export function inTurn(...answers: readonly Respond[]): Respond {
  let times = 0;
  return (response, request) => answers[Math.min(times++, answers.length - 1)]!(response, request);
}

export const streamOf =
  (frames: readonly string[], end: 'complete' | 'broken' = 'complete'): Respond =>
  (response) => {
    response.writeHead(200, { ...SSE, 'x-request-id': 'req-1' });
    for (const frame of frames) response.write(frame);
    if (end === 'complete') response.end();
    else setImmediate(() => response.destroy());
  };
