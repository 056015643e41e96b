import fc from 'fast-check';
import { PrefixIndex } from './prefix-index.js';
import { regexTree } from './regex-tree.js';
import { beginningOf, openShapeAt, shapeAt, shapeTest } from './token-shape.js';

const can = (regex: RegExp, text: string): boolean => shapeTest(regexTree(regex))(beginningOf(shapeAt(text, 0)));

describe('shapeTest', () => {
  it.each([
    [/\d{9}(?![A-Za-z0-9])/, '123456789', true],
    [/\d{9}(?![A-Za-z0-9])/, '1234567890', false],
    [/\d{9}(?![A-Za-z0-9])/, '12345678', false],
    [/\d{9}/, '1234567890', true],
    [/\d{3}-?\d{2}-?\d{4}(?!\d)/, '123-45-6789', true],
    [/\d{3}-?\d{2}-?\d{4}(?!\d)/, '12345-6789', true],
    [/\d{3}-?\d{2}-?\d{4}(?!\d)/, '1234-56789', false],
    [/[XYZ]-?\d{7}[A-Z]/i, 'x1234567l', true],
    [/[XYZ]-?\d{7}[A-Z]/i, '1234567', false],
    [/[A-Z]{2}\d{2}/, 'ab12', false],
    [/(?-i:[A-Z]{2})\d{2}/i, 'ab12', false],
    [/(?i:[A-Z]{2})\d{2}/, 'ab12', true],
    [/\d{30}/, '1'.repeat(40), true],
    [/\d{2}(?: \d{2}){3}/, '12 34 56 78', true],
    [/\d{2}(?: \d{2}){3}/, '123 45 67', false],
    [/[^a-z]1/, '\u00e91', true],
    [/\u{1f600}1/u, '\u{1f600}1', true],
  ])('tells whether a match of %s can begin with %s: %s', (regex, text, expected) => {
    expect(can(regex, text)).toBe(expected);
  });

  it('never rules out a position where the regular expression matches', () => {
    const pieces = fc.constantFrom(
      ...'0123456789',
      ...'aAzZxX',
      ...' -./+()@_:,',
      '\u00e9',
      '\u212a',
      '\u{1f600}',
      'DE',
      '19',
      'ab',
    );
    const atoms = fc.constantFrom('\\d', '[A-Z]', '[a-z\\d]', '[^x]', '.', 'a', '-', '\\w', '[X-Z-]', '\\s', '\\p{L}');
    const repeats = fc.constantFrom('', '?', '{2}', '{1,3}', '{0,4}?', '{3,12}');
    const tails = fc.constantFrom('', '(?!\\d)', '(?![A-Za-z0-9]|-\\d)', '(?!a|b)', '(?=-)', '$', '\\b', '(?![^a])');
    const part = fc.tuple(atoms, repeats, tails).map((three) => three.join(''));
    const source = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));
    const either = fc.tuple(source, source, source).map(([one, other, last]) => `(?:${one}|${other})${last}`);
    fc.assert(
      fc.property(
        fc.oneof(source, either),
        fc.constantFrom('u', 'iu'),
        fc.array(pieces, { maxLength: 14 }),
        (pattern, flags, parts) => {
          const text = parts.join('');
          const regex = new RegExp(pattern, flags);
          fc.pre(new RegExp(pattern, `${flags}y`).test(text));
          expect(can(regex, text)).toBe(true);
          for (let end = 1; end <= text.length; end++)
            expect(shapeTest(regexTree(regex))(beginningOf(openShapeAt(text.slice(0, end), 0)))).toBe(true);
          const items = [{ beginning: regex }, { beginning: undefined }];
          expect(new PrefixIndex(items, (list) => list).at(text, 0)).toEqual(items);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('openShapeAt', () => {
  const may = (regex: RegExp, text: string): boolean => shapeTest(regexTree(regex))(beginningOf(openShapeAt(text, 0)));

  it('leaves open only what follows the end of the text', () => {
    expect(may(/\d{3}-\d{2}/, '123')).toBe(true);
    expect(may(/\d{3}-\d{2}/, '123-')).toBe(true);
    expect(may(/\d{3}-\d{2}/, '123x')).toBe(false);
    expect(may(/\d{3}-\d{2}/, '1234')).toBe(false);
    expect(may(/\d{30}x/, '1'.repeat(28))).toBe(true);
  });
});

describe('PrefixIndex', () => {
  it('looks up the items that can begin at a position by its first unit and shape', () => {
    const items = [/[1-4]\d{2}(?!\d)/, /5\d{2}/, /[a-c]\d/i].map((beginning) => ({ beginning }));
    const lists = new PrefixIndex(items, (list) =>
      list.map(({ beginning }) => items.findIndex((i) => i.beginning === beginning)),
    );
    expect(['123', '1234', '523', 'B7', 'd7', '\u00e97'].map((text) => lists.at(text, 0))).toEqual([
      [0],
      [],
      [1],
      [2],
      [],
      [],
    ]);
  });
});
