import { once } from 'node:events';
import type { Readable } from 'node:stream';
import fc from 'fast-check';
import { inTransit, TRANSIT_BYTES } from './stream-to-client.js';

/** Chunks that come when they are told to. */
class Source implements AsyncIterable<Buffer> {
  private readonly ready: Buffer[] = [];
  private wake: () => void = () => undefined;
  returned = false;

  push(text: string): void {
    this.ready.push(Buffer.from(text));
    this.wake();
  }

  [Symbol.asyncIterator](): AsyncIterator<Buffer> {
    return {
      next: async () => {
        while (this.ready.length === 0) await new Promise<void>((resolve) => (this.wake = resolve));
        return { done: false, value: this.ready.shift()! };
      },
      return: () => {
        this.returned = true;
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }
}

describe('an answer that is kept alive', () => {
  const PING = ': ping\n\n';
  const open = (source: Source, silenceMs: number): Readable =>
    inTransit(source, { silenceMs, frame: PING }).setEncoding('utf8');
  /** What the reader gets next, frames in silence included. */
  const next = async (stream: Readable): Promise<string> => {
    for (;;) {
      const text = stream.read() as string | null;
      if (text !== null) return text;
      await once(stream, 'readable');
    }
  };
  const nextEvent = async (stream: Readable): Promise<string> => {
    let text = await next(stream);
    while (text.startsWith(PING)) text = text.slice(PING.length) || (await next(stream));
    return text;
  };

  it('gives a frame in silence, before the first event and between events', async () => {
    const source = new Source();
    const stream = open(source, 1);
    expect(await next(stream)).toMatch(/^: ping\n\n/);
    source.push('data: a\r\n\r\n');
    expect(await nextEvent(stream)).toMatch(/^data: a\r\n\r\n/);
    expect(await next(stream)).toMatch(/^: ping\n\n/);
    stream.destroy();
  });

  it('never gives a frame inside an event', async () => {
    const source = new Source();
    const stream = open(source, 1);
    source.push('data: {"a":');
    expect(await nextEvent(stream)).toBe('data: {"a":');
    // Time for many silences: a frame would be the next text.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 2));
    source.push('1}\n');
    expect(await next(stream)).toBe('1}\n');
    source.push('\n');
    expect(await next(stream)).toMatch(/^\n/);
    expect(await next(stream)).toMatch(/^: ping\n\n/);
    stream.destroy();
  });

  it('gives no frames to a reader who has not read the last ones', async () => {
    const stream = open(new Source(), 1);
    stream.read(0);
    while (stream.readableLength < TRANSIT_BYTES) await new Promise((resolve) => setTimeout(resolve, 1));
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 2));
    expect(stream.readableLength).toBeLessThan(TRANSIT_BYTES + PING.length);
    stream.destroy();
  });

  it('ends its source when nobody reads on', async () => {
    const source = new Source();
    const stream = open(source, 3_600_000);
    source.push('a');
    expect(await next(stream)).toBe('a');
    await once(stream.destroy(), 'close');
    expect(source.returned).toBe(true);
  });
});

describe('an answer in transit', () => {
  it('fails as its source fails, behind what came before', async () => {
    const source = async function* (): AsyncGenerator<Buffer> {
      yield Buffer.from('a');
      throw new RangeError('torn');
    };
    const read: string[] = [];
    const stream = inTransit(source()).on('data', (piece: Buffer) => read.push(piece.toString()));
    await expect(once(stream, 'end')).rejects.toThrow(RangeError);
    expect(read).toEqual(['a']);
  });

  it('has the bytes that it was made of, in pieces of which none is long', async () => {
    const lengths = fc.array(fc.nat({ max: 70_000 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(lengths, async (given) => {
        const chunks = given.map((length, index) => Buffer.alloc(length, index + 1));
        const source = async function* (): AsyncGenerator<Buffer> {
          yield* chunks;
        };
        const pieces: Buffer[] = [];
        const stream = inTransit(source()).on('data', (piece: Buffer) => pieces.push(piece));
        await once(stream, 'end');
        expect(Buffer.concat(pieces).equals(Buffer.concat(chunks))).toBe(true);
        expect(Math.max(0, ...pieces.map(({ length }) => length))).toBeLessThanOrEqual(16 * 1024);
      }),
      { numRuns: 50 },
    );
  });
});
