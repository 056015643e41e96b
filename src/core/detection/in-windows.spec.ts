import fc from 'fast-check';
import { inWindows } from './in-windows.js';

const found = (text: string, expression: RegExp): string[] => {
  const all: string[] = [];
  for (const matches of inWindows(text, expression, 64))
    for (const { index, text: match } of matches) all.push(`${index} ${match}`);
  return all;
};

describe('the matches of an expression by window', () => {
  it('are the same as for the whole text, including matches across windows and lookbehinds', () => {
    const expressions = [/ab{1,30}/g, /(?<=a)b/g, /(?<!a)b{1,8}/g, /a|b/g];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b', '.'), { maxLength: 60 }),
        fc.integer({ min: 32_700, max: 32_800 }),
        fc.constantFrom(...expressions),
        (around, before, expression) => {
          const text = `${'.'.repeat(before)}${around.join('')}${'.'.repeat(32_700)}${around.join('')}`;
          const whole = [...text.matchAll(expression)].map((match) => `${match.index} ${match[0]}`);
          expect(found(text, expression)).toEqual(whole);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('are searched with a stop after each window, even if the window has no match', () => {
    expect([...inWindows('.'.repeat(100_000), /a/g, 64)]).toHaveLength(4);
  });
});
