import type { Leaf } from './condition-tree.js';
import { evidenceOf } from './rule-evidence.js';

describe('evidenceOf', () => {
  const leaf = (value: Leaf['value']): Leaf => ({
    kind: 'leaf',
    fact: 'pii.types',
    op: 'any_of',
    value,
    absence: 'unknown',
    detector: 'pii',
    clientControlled: false,
    span: { source: { path: '', text: '', lineStarts: [0] }, start: 0, end: 0 },
  });

  it('contains the codes that a condition names, directly or in a list', () => {
    const lists = new Map([['ids', ['US_SSN', 'PASSPORT']]]);
    const codes = [{ detector: 'pii', codes: ['PASSPORT', 'US_SSN'] }];
    expect(evidenceOf([leaf(['US_SSN', 'PASSPORT'])], [], lists)).toEqual(codes);
    expect(evidenceOf([leaf({ list: 'ids' })], [], lists)).toEqual(codes);
  });
});
