import { joined, readerOf, type Reader } from './pieces.js';

/** The end of an answer. */
export type Ended = 'complete' | 'aborted' | 'error';

export interface Tapped {
  readonly ended: Ended;
  readonly body: Uint8Array<ArrayBuffer>;
}

export interface Tap {
  /** The maximum number of bytes of the body to keep. */
  readonly maxBytes: number;
  /** The caller's signal: once it has fired, it is the reason why the body ended, whatever error the body ended with. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the first chunk as soon as it arrives. */
  onStart?(first: Uint8Array): void;
  /** Called once. The end of the body is delayed until the returned promise resolves. */
  onEnd(tapped: Tapped): Promise<unknown> | void;
}

/**
 * The same response, whose body is copied while its owner reads it. Nothing is read ahead, cancelling the body cancels its source, and
 * an unread body ends when it is garbage-collected.
 */
export function tapped(response: Response, tap: Tap): Response {
  const { body } = response;
  if (body === null || body === undefined || [101, 204, 205, 304].includes(response.status)) {
    void tap.onEnd({ ended: 'complete', body: new Uint8Array(0) });
    return response;
  }
  const copy = new Copy(tap, readerOf(body));
  const stream = streamOver(copy);
  unread?.register(stream, copy);
  const result = new Response(stream, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  });
  for (const name of ['url', 'redirected', 'type'] as const) {
    Object.defineProperty(result, name, { value: response[name], configurable: true });
  }
  return result;
}

/** The bytes read so far. It must not reference the stream that wraps it, or that stream would never be garbage-collected. */
class Copy {
  private readonly parts: Uint8Array[] = [];
  private size = 0;
  private cut = false;
  private hasStarted = false;
  private hasEnded = false;

  constructor(
    private readonly tap: Tap,
    readonly reader: Reader,
  ) {}

  keep(chunk: Uint8Array): void {
    if (!this.hasStarted) this.tap.onStart?.(chunk);
    this.hasStarted = true;
    const room = this.tap.maxBytes - this.size;
    if (chunk.length > room) this.cut = true;
    if (room <= 0) return;
    // The owner of the buffer may use it again.
    const part = chunk.slice(0, room);
    this.parts.push(part);
    this.size += part.length;
  }

  /** Ends with an error of the body. The error of an abort is the reason that the caller gave, which may be anything. */
  fail(error: unknown): void {
    const isAborted = this.tap.signal?.aborted === true || (error as { name?: unknown } | null)?.name === 'AbortError';
    void this.end(isAborted ? 'aborted' : 'error');
  }

  end(ended: Ended): Promise<unknown> | void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    return this.tap.onEnd({ ended: this.cut && ended === 'complete' ? 'aborted' : ended, body: joined(this.parts) });
  }
}

/** Ends bodies that are never read, for example after `asResponse()`. Older workers have no `FinalizationRegistry`. */
const unread =
  typeof FinalizationRegistry === 'undefined'
    ? undefined
    : new FinalizationRegistry<Copy>((copy) => {
        void copy.end('aborted');
        copy.reader.cancel().catch(() => undefined);
      });

function streamOver(copy: Copy): ReadableStream {
  return new ReadableStream({
    type: 'bytes',
    async pull(controller) {
      let step: { done: boolean; value?: unknown };
      try {
        step = await copy.reader.read();
      } catch (error) {
        copy.fail(error);
        controller.error(error);
        return;
      }
      if (step.done) {
        await copy.end('complete');
        controller.close();
        controller.byobRequest?.respond(0);
        return;
      }
      const chunk = bytesOf(step.value);
      copy.keep(chunk);
      // A byte stream detaches the buffer that it is given.
      if (chunk.length > 0) controller.enqueue(chunk.slice());
      else await this.pull!(controller);
    },
    async cancel(reason) {
      void copy.end('aborted');
      await copy.reader.cancel(reason);
    },
  });
}

function bytesOf(chunk: unknown): Uint8Array {
  if (typeof chunk === 'string') return new TextEncoder().encode(chunk);
  if (ArrayBuffer.isView(chunk)) return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return new Uint8Array(chunk as ArrayBuffer);
}
