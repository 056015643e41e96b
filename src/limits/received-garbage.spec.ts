import { once } from 'node:events';
import { Readable } from 'node:stream';
import { ReceivedGarbage } from './received-garbage.js';

const MIB = 1_048_576;

describe('Received chunks', () => {
  it('are collected after each 8 MiB', () => {
    let collected = 0;
    const garbage = new ReceivedGarbage(() => void collected++);
    for (let chunk = 0; chunk < 7; chunk++) garbage.received(MIB);
    expect(collected).toBe(0);
    for (let chunk = 0; chunk < 10; chunk++) garbage.received(MIB);
    expect(collected).toBe(2);
  });

  it('of a refused body use little memory while the body is read to its end', async () => {
    const CHUNKS = 4_000;
    const CHUNK_BYTES = 65_536;
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    let left = CHUNKS;
    const body = new Readable({
      read() {
        most = Math.max(most, process.memoryUsage().arrayBuffers - before);
        this.push(left-- > 0 ? Buffer.alloc(CHUNK_BYTES) : null);
      },
    });
    const end = once(body, 'end');
    new ReceivedGarbage().discard(body);
    await end;
    expect(left).toBe(-1);
    expect(most).toBeLessThan(32 * MIB);
  });
});
