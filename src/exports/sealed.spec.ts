import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { seal, unseal } from './sealed.js';

describe('Sealed text', () => {
  const key = randomBytes(32);

  it('is decrypted with its key and for its owner', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => unseal(seal(text, key, 'a'), key, 'a') === text));
  });

  it('is not decrypted with another key, for another owner, or after a change', () => {
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
