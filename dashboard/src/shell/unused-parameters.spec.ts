import { unusedOf } from './unused-parameters.ts';

describe('A parameter of a link without effect', () => {
  it('is one of which only the last value is used', () => {
    expect(unusedOf({ rule: 'c', app: 'x' }, '?rule=a&app=x&rule=b&rule=c')).toEqual([
      { name: 'rule', reason: 'repeated' },
    ]);
  });

  it('is the end of a time range without a start', () => {
    expect(unusedOf({ to: '2026-11-02T00:00:00Z' }, '')).toEqual([{ name: 'to', reason: 'no start' }]);
    expect(unusedOf({ from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z' }, '')).toEqual([]);
  });

  it.each(['2h', 'constructor', 'toString', '__proto__'])('is the time range %s, which does not exist', (range) => {
    expect(unusedOf({ range }, '')).toEqual([{ name: 'range', reason: 'unknown range' }]);
  });

  it('is none of those of a usual link', () => {
    expect(unusedOf({ range: '7d', env: 'staging', rule: 'a,b' }, '?range=7d&env=staging&rule=a,b')).toEqual([]);
  });
});
