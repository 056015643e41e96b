import fc from 'fast-check';
import type { Segment } from '../model/call.js';
import type { RedactSpec } from '../model/decision.js';
import type { LocatedFinding } from '../model/finding.js';
import { applyEdits, maskAll, planRedaction, type Edit } from './index.js';

const segment = (text: string, index = 0): Segment => ({
  path: `messages[${index}].content`,
  role: 'user',
  text,
  ref: index,
});
const finding = (code: string, start: number, end: number, more: Partial<LocatedFinding> = {}): LocatedFinding => ({
  detector: 'pii',
  code,
  start,
  end,
  score: 0.9,
  segment: 0,
  ...more,
});
const spec = (codes: string[], more: Partial<RedactSpec> = {}): RedactSpec => ({
  targets: codes.map((code) => ({ detector: 'pii', code })),
  with: '[{type}_{n}]',
  ...more,
});
const outgoing = (segments: readonly Segment[], edits: readonly Edit[]): string[] =>
  segments.map(({ text }, index) =>
    applyEdits(
      text,
      edits.filter((edit) => edit.segment === index),
    ),
  );

describe('planRedaction', () => {
  it('numbers the values of each type across the whole call, and gives equal values the same number', () => {
    const segments = [segment('a@x b@x a@x', 0), segment('b@x 555', 1)];
    const { edits, redactions } = planRedaction({
      specs: [spec(['EMAIL', 'PHONE'], { label: 'contains_pii' })],
      findings: [
        finding('PHONE', 4, 7, { segment: 1 }),
        finding('EMAIL', 0, 3, { segment: 1 }),
        finding('EMAIL', 8, 11),
        finding('EMAIL', 0, 3),
        finding('EMAIL', 4, 7),
      ],
      segments,
    });
    expect(outgoing(segments, edits)).toEqual(['[EMAIL_1] [EMAIL_2] [EMAIL_1]', '[EMAIL_2] [PHONE_1]']);
    expect(redactions).toEqual([{ type: 'contains_pii', count: 5 }]);
  });

  it('merges overlapping findings under the name of the longest', () => {
    const segments = [segment('see https://x.io/a@b.co now')];
    const { edits, redactions } = planRedaction({
      specs: [spec(['EMAIL', 'URL'])],
      findings: [finding('EMAIL', 17, 23), finding('URL', 4, 20)],
      segments,
    });
    expect(outgoing(segments, edits)).toEqual(['see [URL_1] now']);
    expect(redactions).toEqual([{ type: 'URL', count: 1 }]);
  });

  it('breaks a tie in length by score, then by code', () => {
    const segments = [segment('0123456789')];
    const plan = (findings: LocatedFinding[]): string[] =>
      outgoing(segments, planRedaction({ specs: [spec(['A', 'B', 'C'])], findings, segments }).edits);
    expect(plan([finding('A', 0, 5), finding('B', 2, 7, { score: 0.95 })])).toEqual(['[B_1]789']);
    expect(plan([finding('C', 0, 5), finding('B', 2, 7)])).toEqual(['[B_1]789']);
  });

  it('replaces adjacent findings separately', () => {
    const segments = [segment('aabb')];
    const { edits } = planRedaction({
      specs: [spec(['A', 'B'])],
      findings: [finding('A', 0, 2), finding('B', 2, 4)],
      segments,
    });
    expect(outgoing(segments, edits)).toEqual(['[A_1][B_1]']);
  });

  it('ignores findings that no spec names, including those of another detector with the same code', () => {
    const segments = [segment('a@x 555')];
    const { edits, redactions } = planRedaction({
      specs: [spec(['EMAIL'])],
      findings: [finding('PHONE', 4, 7), finding('EMAIL', 0, 3, { detector: 'other' })],
      segments,
    });
    expect(edits).toEqual([]);
    expect(redactions).toEqual([]);
  });

  it('uses the first of two specs for the same code, and inserts fixed text unchanged', () => {
    const segments = [segment('a@x')];
    const first = spec(['EMAIL'], { with: 'REMOVED', label: 'x' });
    const { edits, redactions } = planRedaction({
      specs: [first, spec(['EMAIL'])],
      findings: [finding('EMAIL', 0, 3)],
      segments,
    });
    expect(outgoing(segments, edits)).toEqual(['REMOVED']);
    expect(redactions).toEqual([{ type: 'x', count: 1 }]);
  });

  it('does not expand placeholders in inserted text', () => {
    const segments = [segment('abc')];
    const odd = { targets: [{ detector: 'pii', code: '{n}' }], with: '<{type}>' };
    const { edits } = planRedaction({ specs: [odd], findings: [finding('{n}', 0, 3)], segments });
    expect(outgoing(segments, edits)).toEqual(['<{n}>']);
  });

  it('never splits a surrogate pair', () => {
    const segments = [segment('a😀b')];
    const { edits } = planRedaction({ specs: [spec(['X'])], findings: [finding('X', 2, 4)], segments });
    expect(outgoing(segments, edits)).toEqual(['a[X_1]']);
  });

  it('ignores empty ranges and unknown segments, and clips ranges that exceed the text', () => {
    const segments = [segment('abcdef')];
    const findings = [finding('X', 2, 2), finding('X', 0, 3, { segment: 7 }), finding('X', 4, 99), finding('X', -5, 1)];
    expect(outgoing(segments, planRedaction({ specs: [spec(['X'])], findings, segments }).edits)).toEqual([
      '[X_1]bcd[X_2]',
    ]);
  });
});

describe('maskAll', () => {
  it('masks every finding as its code, regardless of the rules', () => {
    const segments = [segment('k AKIA tail a@x')];
    const edits = maskAll(
      [finding('EMAIL', 12, 15), finding('aws_access_key', 2, 6, { detector: 'secrets' })],
      segments,
    );
    expect(outgoing(segments, edits)).toEqual(['k [aws_access_key] tail [EMAIL]']);
  });
});

describe('applyEdits', () => {
  it('rejects overlapping and out-of-range edits without revealing the text in the error', () => {
    const overlap = [
      { start: 0, end: 4, replacement: '' },
      { start: 3, end: 6, replacement: '' },
    ];
    expect(() => applyEdits('secret', overlap)).toThrow(RangeError);
    expect(() => applyEdits('secret', overlap)).not.toThrow(/secret/);
    expect(() => applyEdits('abc', [{ start: 1, end: 4, replacement: '' }])).toThrow(RangeError);
    expect(() => applyEdits('abc', [{ start: Number.NaN, end: 2, replacement: '' }])).toThrow(RangeError);
  });
});

describe('redaction of random texts and random, overlapping findings', () => {
  const CODES = ['A', 'B', 'C'];
  const SPECS = [spec(['A', 'B', 'C'], { with: '\uE000{type}_{n}\uE001' })];
  // Private-use characters frame each replacement, to distinguish it from the surrounding text.
  const call = fc
    .array(fc.string({ unit: fc.constantFrom(...'ab@1 😀é'), maxLength: 40 }), { minLength: 1, maxLength: 3 })
    .chain((texts) =>
      fc.record({
        texts: fc.constant(texts),
        findings: fc.array(
          fc
            .record({
              segment: fc.nat(texts.length - 1),
              code: fc.constantFrom(...CODES),
              a: fc.nat(45),
              b: fc.nat(45),
              score: fc.constantFrom(0.5, 0.9),
            })
            .map(({ segment: at, code, a, b, score }) =>
              finding(code, Math.min(a, b), Math.max(a, b), { segment: at, score }),
            ),
          { maxLength: 12 },
        ),
      }),
    );
  const pairedWith = (text: string, at: number): number => {
    const code = text.codePointAt(at);
    if (code !== undefined && code > 0xffff) return at + 1;
    const before = text.codePointAt(at - 1);
    return before !== undefined && before > 0xffff ? at - 1 : at;
  };
  const coveredOf = (text: string, findings: readonly LocatedFinding[]): Set<number> => {
    const covered = new Set<number>();
    for (const { start, end } of findings) {
      for (let at = start; at < Math.min(end, text.length); at++) covered.add(at).add(pairedWith(text, at));
    }
    return covered;
  };

  it('removes every covered character and changes no others', () => {
    fc.assert(
      fc.property(call, ({ texts, findings }) => {
        const segments = texts.map(segment);
        const { edits } = planRedaction({ specs: SPECS, findings, segments });
        outgoing(segments, edits).forEach((text, index) => {
          const source = texts[index] ?? '';
          const covered = coveredOf(
            source,
            findings.filter((one) => one.segment === index),
          );
          const kept = [...Array(source.length).keys()].filter((at) => !covered.has(at)).map((at) => source[at]);
          expect(text.replace(/\uE000[^\uE001]*\uE001/g, '')).toBe(kept.join(''));
        });
      }),
    );
  });

  it('produces ordered edits that never overlap', () => {
    fc.assert(
      fc.property(call, ({ texts, findings }) => {
        const { edits } = planRedaction({ specs: SPECS, findings, segments: texts.map(segment) });
        edits.slice(1).forEach((edit, index) => {
          const before = edits[index];
          expect(before !== undefined && (before.segment < edit.segment || before.end <= edit.start)).toBe(true);
        });
      }),
    );
  });

  it('gives equal values equal numbers and different values different ones, per type, without gaps', () => {
    fc.assert(
      fc.property(call, ({ texts, findings }) => {
        const { edits, redactions } = planRedaction({ specs: SPECS, findings, segments: texts.map(segment) });
        const byReplacement = new Map<string, string>();
        const byValue = new Map<string, string>();
        for (const { segment: at, start, end, replacement } of edits) {
          const type = replacement.slice(1).split('_')[0];
          const value = `${type}:${texts[at]?.slice(start, end)}`;
          expect(byReplacement.get(replacement) ?? value).toBe(value);
          expect(byValue.get(value) ?? replacement).toBe(replacement);
          byReplacement.set(replacement, value);
          byValue.set(value, replacement);
        }
        for (const { type } of redactions) {
          const numbers = [...byReplacement.keys()]
            .filter((key) => key.includes(type))
            .map((key) => Number(/\d+/.exec(key)?.[0]));
          expect(numbers).toEqual(numbers.map((_, index) => index + 1));
        }
        expect(redactions.reduce((sum, { count }) => sum + count, 0)).toBe(edits.length);
      }),
    );
  });

  it('does not depend on the order of findings', () => {
    const shuffled = call.chain((one) =>
      fc.record({
        one: fc.constant(one),
        again: fc.shuffledSubarray(one.findings, { minLength: one.findings.length }),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ one, again }) => {
        const segments = one.texts.map(segment);
        const plan = planRedaction({ specs: SPECS, findings: one.findings, segments });
        expect(planRedaction({ specs: SPECS, findings: again, segments })).toEqual(plan);
        expect(maskAll(again, segments)).toEqual(maskAll(one.findings, segments));
      }),
    );
  });
});
