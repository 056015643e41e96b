import { Duplex } from 'node:stream';
import fc from 'fast-check';
import { skipContinue } from './upstream-client.js';

/** A connection that receives these pieces after the first write. */
class Connection extends Duplex {
  private next = 0;

  constructor(private readonly pieces: readonly Buffer[]) {
    super();
  }

  override _read(): void {
    const piece = this.pieces[this.next++];
    setImmediate(() => this.push(piece ?? null));
  }

  override _write(_chunk: unknown, _encoding: string, done: () => void): void {
    done();
  }
}

/** The bytes that the connection's reader receives, if it reads in the way undici does. */
async function received(pieces: readonly Buffer[]): Promise<string> {
  const connection = skipContinue(new Connection(pieces.filter(({ length }) => length > 0)));
  connection.write('request');
  const chunks: Buffer[] = [];
  connection.on('readable', () => {
    for (let chunk = connection.read() as Buffer | null; chunk !== null; chunk = connection.read() as Buffer | null) {
      chunks.push(chunk);
    }
  });
  await new Promise((resolve) => connection.on('end', resolve));
  return Buffer.concat(chunks).toString('latin1');
}

/** The bytes that a slow reader receives: as undici does, it puts back what it cannot take yet, and reads on later. */
async function receivedSlowly(pieces: readonly Buffer[], bytesAtOnce: number): Promise<string> {
  const connection = skipContinue(new Connection(pieces));
  connection.write('request');
  const chunks: Buffer[] = [];
  let isPaused = false;
  const readOn = (): void => {
    isPaused = false;
    for (let chunk = connection.read() as Buffer | null; chunk !== null; chunk = connection.read() as Buffer | null) {
      chunks.push(chunk.subarray(0, bytesAtOnce));
      if (chunk.length <= bytesAtOnce) continue;
      connection.unshift(chunk.subarray(bytesAtOnce));
      isPaused = true;
      return void setImmediate(() => setImmediate(readOn));
    }
  };
  connection.on('readable', () => {
    if (!isPaused) readOn();
  });
  await new Promise((resolve) => connection.on('end', resolve));
  return Buffer.concat(chunks).toString('latin1');
}

const pieces = (bytes: string, cuts: readonly number[]): Buffer[] => {
  const places = [...new Set(cuts.map((cut) => cut % bytes.length))].sort((a, b) => a - b);
  return [0, ...places].map((start, index) => Buffer.from(bytes.slice(start, places[index] ?? bytes.length), 'latin1'));
};

const CONTINUE = 'HTTP/1.1 100 Continue\r\nx: y\r\n\r\n';
const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 33\r\n\r\nHTTP/1.1 100 Continue\r\nx: y\r\n\r\n..';

describe('skipContinue', () => {
  it('keeps all bytes for a reader that is slower than the connection', async () => {
    const bytes = `${ANSWER}${'0123456789'.repeat(40)}`;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 12 }), fc.integer({ min: 1, max: 90 }), async (cuts, most) => {
        const sent = pieces(bytes, cuts).filter(({ length }) => length > 0);
        expect(await receivedSlowly(sent, most)).toBe(bytes);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    [CONTINUE + ANSWER, ANSWER],
    [`${CONTINUE}HTTP/1.0 100\r\n\r\n${CONTINUE}${ANSWER}`, ANSWER],
    [ANSWER, ANSWER],
    ['HTTP/1.1 1000\r\n\r\n', 'HTTP/1.1 1000\r\n\r\n'],
    ['HTTP/1.1 103 Early Hints\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
    ['SSH-2.0', 'SSH-2.0'],
  ])('forwards the bytes after 100 Continue, however they are split (%#)', async (bytes, expected) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 12 }), async (cuts) => {
        expect(await received(pieces(bytes, cuts))).toBe(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('does not buffer a head that never ends', async () => {
    const endless = `HTTP/1.1 100 Continue\r\n${'x: y\r\n'.repeat(4000)}`;
    expect(await received(pieces(endless, [20_000]))).toBe(endless);
  });
});
