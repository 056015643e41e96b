import fc from 'fast-check';
import type { Finding } from '../core/index.js';
import { addPacked, PackedList, packFindings } from './packed-findings.js';

const place = fc.nat(2 ** 31);
const finding: fc.Arbitrary<Finding> = fc.record({
  code: fc.constantFrom('EMAIL', 'IBAN', 'AWS_KEY'),
  start: place,
  end: place,
  score: fc.constantFrom(0.5, 0.85, 1, 1 / 3),
});

const listOf = (list: PackedList): (Finding | undefined)[] =>
  Array.from({ length: list.length }, (_, index) => list.at(index));

describe('Findings that are sent between threads', () => {
  it('arrive unchanged, after the findings that their texts already have', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.array(finding), fc.array(finding))), (texts) => {
        const into = texts.map(() => new PackedList());
        for (const part of [0, 1] as const) {
          const packed = structuredClone(packFindings(texts.map((parts) => parts[part])));
          addPacked(packed, (text) => into[text]!);
        }
        expect(into.map(listOf)).toEqual(texts.map(([before, found]) => [...before, ...found]));
      }),
    );
  });

  it('take no memory for texts without findings', () => {
    const texts = fc.array(fc.oneof(fc.constant([]), fc.array(finding, { minLength: 1 })));
    fc.assert(
      fc.property(texts, (found) => {
        const made: number[] = [];
        const listOf = (text: number): PackedList => (made.push(text), new PackedList());
        addPacked(packFindings(found), listOf);
        expect(made).toEqual([...found.keys()].filter((text) => found[text]!.length > 0));
      }),
    );
  });

  it('can be read in any order, and are undefined beyond the last one', () => {
    fc.assert(
      fc.property(fc.array(fc.array(finding)), fc.array(fc.nat(40)), (parts, indexes) => {
        const list = new PackedList();
        for (const part of parts) addPacked(packFindings([part]), () => list);
        const all = parts.flat();
        for (const index of indexes) expect(list.at(index)).toEqual(all[index]);
      }),
    );
  });
});
