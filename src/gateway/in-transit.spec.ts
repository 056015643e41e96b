import { once } from 'node:events';
import fc from 'fast-check';
import { inTransit } from './in-transit.js';

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
