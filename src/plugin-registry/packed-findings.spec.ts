import fc from 'fast-check';
import type { Finding } from '../core/index.js';
import { packFindings, unpackFindings } from './packed-findings.js';

const place = fc.nat(2 ** 31);
const finding: fc.Arbitrary<Finding> = fc.record({
  code: fc.constantFrom('EMAIL', 'IBAN', 'AWS_KEY'),
  start: place,
  end: place,
  score: fc.constantFrom(0.5, 0.85, 1, 1 / 3),
});

describe('Findings that go from thread to thread', () => {
  it('arrive as they left, behind those that their texts have already', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.array(finding), fc.array(finding))), (texts) => {
        const into = texts.map(([before]) => [...before]);
        unpackFindings(structuredClone(packFindings(texts.map(([, found]) => found))), into);
        expect(into).toEqual(texts.map(([before, found]) => [...before, ...found]));
      }),
    );
  });
});
