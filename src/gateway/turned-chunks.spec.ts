import { turnedChunks } from './turned-chunks.js';

describe('chunks that are turned into others', () => {
  const seen: string[] = [];
  let isLeft: boolean;
  async function* chunks(...texts: readonly string[]): AsyncGenerator<Buffer> {
    try {
      for (const text of texts) yield Buffer.from(text);
    } finally {
      isLeft = true;
    }
  }
  const turn = async (chunk: Buffer) => {
    const text = chunk.toString();
    seen.push(text);
    return { bytes: Buffer.from(text.replace('quiet', '').toUpperCase()), isLast: text === 'stop' };
  };
  const all = async (bytes: AsyncIterable<Buffer>): Promise<string[]> => {
    const out: string[] = [];
    for await (const chunk of bytes) out.push(chunk.toString());
    return out;
  };
  beforeEach(() => {
    seen.length = 0;
    isLeft = false;
  });

  it('come in order, without those that become nothing', async () => {
    expect(await all(turnedChunks(chunks('a', 'quiet', 'b'), turn))).toEqual(['A', 'B']);
    expect(isLeft).toBe(true);
  });

  it('end with the one that is the last, and nothing more is read', async () => {
    expect(await all(turnedChunks(chunks('a', 'stop', 'b'), turn))).toEqual(['A', 'STOP']);
    expect([seen, isLeft]).toEqual([['a', 'stop'], true]);
  });

  it('leave their source when the receiver leaves, and when turning one fails', async () => {
    for await (const chunk of turnedChunks(chunks('a', 'b'), turn)) if (chunk.length > 0) break;
    expect([seen, isLeft]).toEqual([['a'], true]);
    isLeft = false;
    const failing = turnedChunks(chunks('a'), () => Promise.reject(new RangeError('no')));
    await expect(all(failing)).rejects.toThrow(RangeError);
    expect(isLeft).toBe(true);
  });
});
