import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { seal, unseal } from './sealed.js';

describe('What is sealed', () => {
  const key = randomBytes(32);

  it('comes out again with the key, for what it belongs to', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => unseal(seal(text, key, 'a'), key, 'a') === text));
  });

  it('does not come out with another key, for something else, or changed', () => {
    const sealed = seal('secret', key, 'a');
    expect(sealed.includes('secret')).toBe(false);
    expect(unseal(sealed, randomBytes(32), 'a')).toBeNull();
    expect(unseal(sealed, key, 'b')).toBeNull();
    expect(unseal(new Uint8Array(5), key, 'a')).toBeNull();
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      expect(unseal(changed, key, 'a')).toBeNull();
    }
  });
});
