import { once } from 'node:events';
import type { Readable } from 'node:stream';
import fc from 'fast-check';
import { inTransit, TRANSIT_BYTES } from './stream-to-client.js';

/** A source whose chunks the test releases one by one. */
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
  /** The reader's next text, keep-alive frames included. */
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

  it('sends a keep-alive frame during silence, before the first event and between events', async () => {
    const source = new Source();
    const stream = open(source, 1);
    expect(await next(stream)).toMatch(/^: ping\n\n/);
    source.push('data: a\r\n\r\n');
    expect(await nextEvent(stream)).toMatch(/^data: a\r\n\r\n/);
    expect(await next(stream)).toMatch(/^: ping\n\n/);
    stream.destroy();
  });

  it('never sends a keep-alive frame inside an event', async () => {
    const source = new Source();
    const stream = open(source, 1);
    source.push('data: {"a":');
    expect(await nextEvent(stream)).toBe('data: {"a":');
    // Enough time for many keep-alive frames: one of them would be the next text.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 2));
    source.push('1}\n');
    expect(await next(stream)).toBe('1}\n');
    source.push('\n');
    expect(await next(stream)).toMatch(/^\n/);
    expect(await next(stream)).toMatch(/^: ping\n\n/);
    stream.destroy();
  });

  it('sends no keep-alive frames to a reader that has not read the previous ones', async () => {
    const stream = open(new Source(), 1);
    stream.read(0);
    while (stream.readableLength < TRANSIT_BYTES) await new Promise((resolve) => setTimeout(resolve, 1));
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 2));
    expect(stream.readableLength).toBeLessThan(TRANSIT_BYTES + PING.length);
    stream.destroy();
  });

  it('closes its source when its reader is gone', async () => {
    const source = new Source();
    const stream = open(source, 3_600_000);
    source.push('a');
    expect(await next(stream)).toBe('a');
    await once(stream.destroy(), 'close');
    expect(source.returned).toBe(true);
  });
});

describe('an answer in transit', () => {
  it('fails with the error of its source, after the chunks that preceded it', async () => {
    const source = async function* (): AsyncGenerator<Buffer> {
      yield Buffer.from('a');
      throw new RangeError('torn');
    };
    const read: string[] = [];
    const stream = inTransit(source()).on('data', (piece: Buffer) => read.push(piece.toString()));
    await expect(once(stream, 'end')).rejects.toThrow(RangeError);
    expect(read).toEqual(['a']);
  });

  it('delivers the bytes of its source in short pieces', async () => {
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
