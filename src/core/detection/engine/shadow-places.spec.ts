import fc from 'fast-check';
import { ShadowPlaces } from './shadow-places.js';

/** Consecutive parts of an original: copied, replaced by a number of units, or left out. */
const stretches = fc.array(
  fc.record({ kind: fc.constantFrom('copied', 'written', 'dropped'), units: fc.nat(5), written: fc.nat(3) }),
  { maxLength: 40 },
);

describe('positions in a normalised copy', () => {
  it('map to the same original ranges as a table with an entry for each unit', () => {
    fc.assert(
      fc.property(stretches, (parts) => {
        const places = new ShadowPlaces();
        const noted: [start: number, end: number][] = [];
        let at = 0;
        for (const { kind, units, written } of parts) {
          if (kind === 'copied' && units > 0) {
            places.copied(at, at + units);
            for (let unit = at; unit < at + units; unit++) noted.push([unit, unit + 1]);
          } else if (kind === 'written') {
            places.written(written, at, at + units);
            for (let unit = 0; unit < written; unit++) noted.push([at, at + units]);
          }
          at += units;
        }
        expect(noted.map((_, unit) => [places.startOf(unit), places.endOf(unit)])).toEqual(noted);
      }),
    );
  });

  it('return the original start of a copied part when further units continue it', () => {
    const places = new ShadowPlaces();
    expect(places.copied(3, 5)).toBeUndefined();
    expect(places.copied(5, 9)).toBe(3);
    expect(places.copied(10, 11)).toBeUndefined();
  });
});
