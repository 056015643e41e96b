import { deflateSync } from 'node:zlib';
import { isZlib } from './packed.js';

describe('a file in zlib', () => {
  const zeros = deflateSync(Buffer.alloc(4 * 1024 * 1024));

  it('is recognised by its beginning, however far the rest of the sample would expand', () => {
    // Damage after the beginning shows that the rest is not unpacked.
    const damaged = Buffer.concat([zeros.subarray(0, 1_000), Buffer.alloc(3_096, 0xff)]);
    expect(isZlib(damaged)).toBe(true);
    expect(isZlib(zeros)).toBe(true);
  });

  it('is not recognised in other bytes that begin like one', () => {
    expect(isZlib(Buffer.concat([zeros.subarray(0, 2), Buffer.alloc(64, 0xff)]))).toBe(false);
    expect(isZlib(Buffer.from('x\x9c and other words', 'latin1'))).toBe(false);
    expect(isZlib(deflateSync('seven c').subarray(0, -4))).toBe(false);
  });
});
