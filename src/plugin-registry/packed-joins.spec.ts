import fc from 'fast-check';
import { atOnce, type Joined } from '../core/index.js';
import { packJoins, unpackingJoins } from './packed-joins.js';

const SEGMENT = 7;
const place = fc.nat(2 ** 31);
const piece = fc.record({ segment: fc.constant(SEGMENT), from: place, to: place });
const join: fc.Arbitrary<Joined> = fc.record(
  { pieces: fc.array(piece, { minLength: 1 }), lines: fc.boolean(), stands: fc.string({ unit: 'binary' }) },
  { requiredKeys: ['pieces', 'lines'] },
);

describe('Split values that are sent between threads', () => {
  it('arrive unchanged, with the segment of the receiving thread', () => {
    fc.assert(
      fc.property(fc.array(join), (joins) => {
        expect(atOnce(unpackingJoins(structuredClone(packJoins(joins)), SEGMENT))).toEqual(joins);
      }),
    );
  });
});
