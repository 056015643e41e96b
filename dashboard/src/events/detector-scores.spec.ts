import { scoreOf, stageFacts } from './detector-scores.ts';

const found = (count: number, score: number) => ({ types: ['EMAIL'], count, score, counts: { EMAIL: count } });

describe('The score of a mask', () => {
  it('is that of the only finding of its detector', () => {
    expect(scoreOf([{ pii: found(1, 0.9), secrets: found(3, 1) }], 'pii')).toEqual({ highest: 0.9, isOfOne: true });
  });

  it('is at most the highest of all findings of its detector, of whatever stage', () => {
    const stages = [{ pii: found(2, 0.7) }, { pii: found(1, 0.8) }, { pii: found(0, 0) }];
    expect(scoreOf(stages, 'pii')).toEqual({ highest: 0.8, isOfOne: false });
  });

  it.each([
    ['facts without the detector', [{ secrets: found(1, 1) }]],
    ['a detector that did not answer', [{ pii: null }]],
    ['a detector without findings', [{ pii: found(0, 0) }]],
    ['no facts', [undefined]],
  ])('is unknown for %s', (_, sets) => {
    expect(scoreOf(sets, 'pii')).toBeUndefined();
  });

  it('is not read from the prototype of the facts', () => {
    expect(scoreOf([{}], 'constructor')).toBeUndefined();
  });

  it.each([
    ['none', null, []],
    ['those of each stage', { stages: [{ facts: { a: 1 } }, {}] }, [{ a: 1 }, undefined]],
    ['those of a record of another form', { stages: 'none' }, []],
  ])('is read from the facts of an event: %s', (_, facts, sets) => {
    expect(stageFacts(facts)).toEqual(sets);
  });
});
