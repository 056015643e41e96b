import { dollars, millisecondsText } from './figures.js';

describe('Figures in tables', () => {
  it.each([
    ['0', '$0'],
    ['1', '$0.000000001'],
    ['250000000', '$0.25'],
    ['12000000000', '$12'],
    ['-1500000000', '-$1.5'],
    ['123456789012345678901234567890', '$123456789012345678901.23456789'],
  ])('are exact amounts of dollars: %s nano-dollars', (nanoUsd, text) => {
    expect(dollars(nanoUsd)).toBe(text);
  });

  it('are milliseconds with at most one decimal place', () => {
    expect([12, 12.34, 0.04, null].map(millisecondsText)).toEqual(['12 ms', '12.3 ms', '0 ms', '']);
  });
});
