import { withKeepAlives } from './keep-alive.js';

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
