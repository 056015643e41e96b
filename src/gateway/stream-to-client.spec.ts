import { once } from 'node:events';
import fc from 'fast-check';
import { inTransit, withKeepAlives } from './stream-to-client.js';

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

describe('withKeepAlives', () => {
  const textOf = async (next: Promise<IteratorResult<Buffer>>): Promise<string> => String((await next).value);

  it('gives a frame in silence, before the first event and between events', async () => {
    const source = new Source();
    const stream = withKeepAlives(source, 1, ': ping\n\n');
    expect(await textOf(stream.next())).toBe(': ping\n\n');
    source.push('data: a\r\n\r\n');
    let text = await textOf(stream.next());
    while (text === ': ping\n\n') text = await textOf(stream.next());
    expect(text).toBe('data: a\r\n\r\n');
    expect(await textOf(stream.next())).toBe(': ping\n\n');
  });

  it('never gives a frame inside an event', async () => {
    const source = new Source();
    const stream = withKeepAlives(source, 1, ': ping\n\n');
    source.push('data: {"a":');
    expect(await textOf(stream.next())).toBe('data: {"a":');
    const next = stream.next();
    // Time for many silences: a frame would be the next value.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 2));
    source.push('1}\n');
    expect(await textOf(next)).toBe('1}\n');
    source.push('\n');
    expect(await textOf(stream.next())).toBe('\n');
    expect(await textOf(stream.next())).toBe(': ping\n\n');
  });

  it('ends its source when nobody reads on', async () => {
    const source = new Source();
    const stream = withKeepAlives(source, 3_600_000, '');
    source.push('a');
    await stream.next();
    await stream.return(undefined);
    expect(source.returned).toBe(true);
  });
});

describe('an answer in transit', () => {
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
