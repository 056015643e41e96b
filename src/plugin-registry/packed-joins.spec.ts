import fc from 'fast-check';
import { atOnce, type Joined } from '../core/index.js';
import { packJoins, unpackingJoins } from './packed-joins.js';

const SEGMENT = 7;
const place = fc.nat(2 ** 31);
const piece = fc.record({ segment: fc.constant(SEGMENT), from: place, to: place });
const pieces = fc.array(piece, { minLength: 1 });
const stands = fc.string({ unit: 'binary' });
const join: fc.Arbitrary<Joined> = fc.oneof(
  fc.record({ pieces, lines: fc.boolean(), stands }, { requiredKeys: ['pieces', 'lines'] }),
  fc.record({ pieces, lines: fc.constant(true), continued: fc.constant(true) }),
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
