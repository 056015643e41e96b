import fc from 'fast-check';
import { decodeCursor, encodeCursor } from './cursor.js';

describe('a cursor', () => {
  it('returns the id it was made from', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        expect(decodeCursor(encodeCursor(id))).toBe(id);
      }),
    );
  });

  it('is null for any other text, without throwing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(decodeCursor(text)).toBeNull();
      }),
    );
    const cursor = encodeCursor('01a1fd91-b670-774d-be90-043a39cb65c7');
    for (const near of [`${cursor}=`, `${cursor} `, `${cursor}A`, cursor.slice(1), `B${cursor.slice(1)}`]) {
      expect(decodeCursor(near)).toBeNull();
    }
  });
});
