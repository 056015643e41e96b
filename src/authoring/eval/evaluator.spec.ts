import fc from 'fast-check';
import type { GoldSpan, LabelledText, ScoredFinding } from './evaluation.js';
import { Evaluator } from './evaluator.js';
import { intersectionOverUnion, matchSpans } from './match-spans.js';

const text = (spans: readonly GoldSpan[], more: Partial<LabelledText> = {}): LabelledText => ({
  id: 'a',
  spans,
  bytes: 1_000_000,
  ...more,
});
const span = (code: string, start: number, end: number): GoldSpan => ({ code, start, end });
const hit = (code: string, start: number, end: number): ScoredFinding => ({ code, start, end, score: 0.9 });

describe('Evaluator', () => {
  it('counts a finding as correct if it overlaps at least by half with a span of the same code', () => {
    const evaluator = new Evaluator();
    evaluator.add(text([span('EMAIL', 0, 10)]), [hit('EMAIL', 0, 20)]);
    evaluator.add(text([span('EMAIL', 0, 10)]), [hit('EMAIL', 0, 21)]);
    evaluator.add(text([span('EMAIL', 0, 10)]), [hit('PHONE', 0, 10)]);
    const { codes } = evaluator.result();
    expect(codes).toMatchObject([
      { code: 'EMAIL', gold: 3, truePositives: 1, falsePositives: 1, falseNegatives: 2, precision: 0.5, recall: 1 / 3 },
      { code: 'PHONE', gold: 0, falsePositives: 1, precision: 0, recall: null },
    ]);
    expect(codes[0]!.f1).toBeCloseTo(0.4);
  });

  it('counts one wide finding for only one of two spans', () => {
    const evaluator = new Evaluator({ minOverlap: 0.4 });
    evaluator.add(text([span('PERSON', 0, 10), span('PERSON', 10, 20)]), [hit('PERSON', 0, 20)]);
    expect(evaluator.result().codes).toMatchObject([{ truePositives: 1, falseNegatives: 1, falsePositives: 0 }]);
  });

  it('ignores findings of codes outside the scope of the labels', () => {
    const evaluator = new Evaluator();
    evaluator.add(text([span('IBAN', 0, 10)], { scope: ['IBAN'] }), [hit('IBAN', 0, 10), hit('PERSON', 20, 30)]);
    expect(evaluator.result().codes.map(({ code }) => code)).toEqual(['IBAN']);
  });

  it('counts false hits of a code per megabyte of text without spans, only in texts whose scope includes the code', () => {
    const evaluator = new Evaluator();
    evaluator.add(text([]), [hit('EMAIL', 0, 3), hit('EMAIL', 5, 9)]);
    evaluator.add(text([], { scope: ['IBAN'] }), [hit('IBAN', 0, 3)]);
    evaluator.add(text([span('EMAIL', 0, 5)]), [hit('EMAIL', 50, 55)]);
    const { codes } = evaluator.result();
    expect(codes.map(({ code, falseHitsPerMb }) => [code, falseHitsPerMb])).toEqual([
      ['EMAIL', 2],
      ['IBAN', 0.5],
    ]);
  });

  it('counts neither hits nor misses at doubtful labels', () => {
    const doubtful: GoldSpan = { ...span('US_SSN', 0, 9), doubtful: true };
    const evaluator = new Evaluator();
    evaluator.add(text([doubtful]), [hit('US_SSN', 0, 9)]);
    evaluator.add(text([doubtful]), []);
    evaluator.add(text([doubtful]), [hit('PHONE', 0, 9)]);
    const { micro } = evaluator.result();
    expect(micro).toMatchObject({ gold: 0, truePositives: 0, falsePositives: 0, falseNegatives: 0 });
  });

  it('reports the code that was found at a missed span', () => {
    const evaluator = new Evaluator();
    evaluator.add(text([span('IBAN', 0, 20), span('EMAIL', 30, 40)]), [hit('PHONE', 4, 18)]);
    const { misses, confusion } = evaluator.result();
    expect(misses).toEqual([
      { kind: 'missed', id: 'a', code: 'IBAN', start: 0, end: 20, instead: 'PHONE' },
      { kind: 'missed', id: 'a', code: 'EMAIL', start: 30, end: 40, instead: null },
      { kind: 'false_hit', id: 'a', code: 'PHONE', start: 4, end: 18, instead: 'IBAN' },
    ]);
    expect(confusion).toEqual([
      { gold: 'IBAN', found: 'PHONE', count: 1 },
      { gold: 'EMAIL', found: null, count: 1 },
    ]);
  });

  it('scores whole texts if they are labelled as a whole', () => {
    const evaluator = new Evaluator();
    evaluator.add(text([], { positive: true }), [hit('instruction_override', 0, 5)]);
    evaluator.add(text([], { positive: true }), []);
    evaluator.add(text([], { positive: false }), [hit('prompt_leak', 0, 5)]);
    evaluator.add(text([], { positive: false }), []);
    evaluator.add(text([], { positive: false }), []);
    const { records, codes } = evaluator.result();
    expect(records).toMatchObject({ positives: 2, negatives: 3, truePositives: 1, falsePositives: 1, recall: 0.5 });
    expect(records!.falsePositiveRate).toBeCloseTo(1 / 3);
    expect(codes.map(({ code }) => code)).toEqual(['prompt_leak']);
  });

  it('lists a limited number of misses and counts the rest', () => {
    const evaluator = new Evaluator({ listedMisses: 2 });
    for (let index = 0; index < 5; index++) evaluator.add(text([span('EMAIL', 0, 5)]), []);
    expect(evaluator.result()).toMatchObject({ missesNotListed: 3, micro: { falseNegatives: 5 } });
    expect(evaluator.result().misses).toHaveLength(2);
  });

  it('pairs every span and every finding at most once, and only with enough overlap', () => {
    const ranges = fc.array(
      fc.tuple(fc.constantFrom('A', 'B'), fc.nat(40), fc.integer({ min: 1, max: 15 })).map(([code, start, length]) => ({
        code,
        start,
        end: start + length,
        score: 1,
      })),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(ranges, ranges, (gold, findings) => {
        const { pairs, unmatchedGold, unmatchedFindings } = matchSpans(gold, findings, 0.5);
        expect(pairs.length + unmatchedGold.length).toBe(gold.length);
        expect(pairs.length + unmatchedFindings.length).toBe(findings.length);
        expect(new Set(pairs.map(([, finding]) => finding)).size).toBe(pairs.length);
        for (const [a, b] of pairs) {
          expect(gold[a]!.code).toBe(findings[b]!.code);
          expect(intersectionOverUnion(gold[a]!, findings[b]!)).toBeGreaterThanOrEqual(0.5);
        }
      }),
    );
  });
});
