import fc from 'fast-check';
import type { Finding } from '../../model/finding.js';
import { MAX_CLUSTER_LENGTH, resolveOverlaps } from './resolve-overlaps.js';

const at = (start: number, end: number, code = 'A', score = 0.5): Finding => ({ code, start, end, score });

describe('resolveOverlaps', () => {
  it('keeps the longer finding, then the higher score, then the first code, then the leftmost', () => {
    expect(resolveOverlaps([at(0, 3), at(1, 9)])).toEqual([at(1, 9)]);
    expect(resolveOverlaps([at(0, 3), at(1, 4, 'A', 0.9)])).toEqual([at(1, 4, 'A', 0.9)]);
    expect(resolveOverlaps([at(0, 3, 'B'), at(1, 4, 'A')])).toEqual([at(1, 4, 'A')]);
    expect(resolveOverlaps([at(1, 4), at(0, 3)])).toEqual([at(0, 3)]);
    expect(resolveOverlaps([at(0, 3), at(0, 3)])).toEqual([at(0, 3)]);
  });

  it('keeps findings that overlap only with a dropped finding', () => {
    expect(resolveOverlaps([at(0, 3), at(2, 6), at(5, 10)])).toEqual([at(0, 3), at(5, 10)]);
  });

  it('keeps several codes for the same range unless only one has a high score', () => {
    expect(resolveOverlaps([at(0, 3, 'B'), at(0, 3, 'A'), at(0, 3, 'B')])).toEqual([at(0, 3, 'A'), at(0, 3, 'B')]);
    expect(resolveOverlaps([at(0, 3, 'B'), at(0, 3, 'A', 0.8)])).toEqual([at(0, 3, 'A', 0.8), at(0, 3, 'B')]);
    expect(resolveOverlaps([at(0, 3, 'B'), at(0, 3, 'A', 0.9)])).toEqual([at(0, 3, 'A', 0.9)]);
  });

  it('keeps adjacent findings that only touch', () => {
    expect(resolveOverlaps([at(3, 6), at(0, 3)])).toEqual([at(0, 3), at(3, 6)]);
  });

  const findings = fc.array(
    fc
      .tuple(fc.nat(600), fc.integer({ min: 1, max: 30 }), fc.constantFrom('A', 'B'), fc.constantFrom(0.5, 0.9))
      .map(([start, length, code, score]) => at(start, start + length, code, score)),
    { maxLength: 300 },
  );

  it('returns sorted findings that overlap only if their ranges are equal, for short and long clusters', () => {
    fc.assert(
      fc.property(findings, (list) => {
        const kept = resolveOverlaps(list);
        kept.forEach((finding, index) => {
          const previous = kept[index - 1];
          const sameRange =
            previous?.start === finding.start && previous.end === finding.end && previous.code < finding.code;
          expect(sameRange || finding.start >= (previous?.end ?? 0)).toBe(true);
        });
        for (const finding of kept) expect(list).toContainEqual(finding);
      }),
    );
  });

  it('decides each position only from the findings around it', () => {
    fc.assert(
      fc.property(findings, fc.nat(600), (list, place) => {
        const margin = MAX_CLUSTER_LENGTH + 60;
        const near = list.filter(({ start, end }) => end > place - margin && start < place + margin);
        const here = ({ start }: Finding): boolean => start === place;
        expect(resolveOverlaps(near).filter(here)).toEqual(resolveOverlaps(list).filter(here));
      }),
      { numRuns: 300 },
    );
  });
});
