import fc from 'fast-check';
import { leastRun, openRunAt } from './least-run.js';
import { regexTree } from './regex-tree.js';

describe('leastRun', () => {
  it.each([
    [/[A-Za-z0-9]{76}AZDO/, 80],
    [/(?<![a-z])[a-z]{2,5}-\d/, 2],
    [/(?:sk|live)_x/, 2],
    [/(?:ab|cde)\d{3}(?!\d)/, 5],
    [/a?b/, 1],
    [/[a-z]{0,4}-/, 0],
    [/\w{3}/, 0],
    [/[^a]b/, 0],
  ])('returns for %s the least number of letters and digits with which a match begins: %i', (regex, units) => {
    expect(leastRun(regexTree(regex))).toBe(units);
  });

  it('never exceeds the number of letters and digits with which a match begins', () => {
    const atoms = fc.constantFrom('\\d', '[A-Z]', '[a-z\\d]', '[^x]', 'a', '-', '\\w', '(?:ab|c)', '(?:a-|b)', '(?!9)');
    const repeats = fc.constantFrom('', '?', '{2}', '{1,3}', '{0,4}?');
    const part = fc.tuple(atoms, repeats).map((both) => (both[0].startsWith('(?!') ? both[0] : both.join('')));
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 5 }),
        fc.array(fc.constantFrom(...'0aAbcxZ-_ \u00e9'), { maxLength: 14 }),
        (parts, units) => {
          const regex = new RegExp(parts.join(''));
          const text = units.join('');
          fc.pre(new RegExp(regex.source, 'y').test(text));
          expect(openRunAt(text, 0)).toBeGreaterThanOrEqual(leastRun(regexTree(regex)));
        },
      ),
      { numRuns: 500 },
    );
  });
});
