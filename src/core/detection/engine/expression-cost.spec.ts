import { RE2JS } from 're2js';
import { sampled } from '../../../../test/support/sampled.js';
import { expressionCost } from './expression-cost.js';

const WIDE = '[B-\\x{1e942}]';
const TAKE_LONG: readonly (readonly [name: string, source: string, ignoresCase: boolean])[] = [
  ['a range of all scripts', WIDE.repeat(70), true],
  ['the same range, with a flag in the expression', `(?i)${WIDE.repeat(70)}`, false],
  ['a range that ends with a character', '[B-\uffff]'.repeat(100), true],
  ['a range that begins with an escape', '[\\x{42}-\\x{1e942}]'.repeat(50), true],
  ['a range that begins with a brace', '[\\x{61}}-\\x{1e942}]'.repeat(50), true],
  ['a range in a class that begins with a bracket', '[]B-\\x{1e942}]'.repeat(50), true],
  ['a range after an escaped bracket', '[\\]B-\\x{1e942}]'.repeat(50), true],
  ['a range after a class in a class', '[\\w--\\x{1e942}]'.repeat(50), true],
  ['a range after a named class', '[[:alpha:]B-\\x{1e942}]'.repeat(50), true],
  ['a range after a quotation', `\\Q[\\E${WIDE.repeat(50)}`, true],
  ['a range after a group without the flag', `(?-i:a)${WIDE.repeat(50)}`, true],
  ['a range in a group with the flag', `(?s:(?i:a|${WIDE.repeat(50)}))`, false],
  ['classes', '[^\\pL\\PN]'.repeat(100), false],
];

describe('The cost of an expression', () => {
  it.each(TAKE_LONG)('is high where compiling takes long: %s', (_, source, ignoresCase) => {
    expect(expressionCost(source, ignoresCase)).toBeGreaterThan(25_000);
  });

  it.each(sampled(TAKE_LONG, 4))('is high although the program is small: %s', (_, source, ignoresCase) => {
    expect(RE2JS.compile(source, ignoresCase ? RE2JS.CASE_INSENSITIVE : 0).programSize()).toBeLessThan(1_000);
  });

  it.each([
    ['a number of an order', '\\bTCK-\\d{6}\\b', true],
    ['words in Cyrillic', '(?i)\\b(?:договор|счёт)[ :-]{1,3}[а-яё]{2,40}', false],
    ['the same with escapes', '[\\x{430}-\\x{44f}\\x41-\\x5a-]{2,40}', true],
    ['a range of one script', '[一-龥]{2,4}', false],
    ['dashes between words', '(?i)foo-🚀bar|ID-客户|[a-z]-\\x{10ffff}', false],
    ['ranges of all characters', '(?i)[\\x{0}-\\x{10ffff}][^\\t-\\x{10ffff}][A-\\x{1e943}]', false],
    ['characters above all letters', '[\\x{20000}-\\x{10ffff}]{2,40}', true],
    ['a wide range with regard to case', '(?i:id) (?-i:[B-\\x{1e942}])|(?i:no)[B-\\x{1e942}]', false],
    ['a quotation', '\\Q[B-\\x{1e942}]\\E|\\[B-\\x{1e942}\\]', true],
    ['a path with backslashes', '[A-Z]:\\\\programs\\\\plans\\\\Parts\\\\personal', true],
  ])('is low for usual expressions: %s', (_, source, ignoresCase) => {
    expect(expressionCost(source, ignoresCase)).toBeLessThan(500);
  });

  it('leaves room for several patterns about any foreign character', () => {
    expect(expressionCost('(?i)[\\x80-\\x{10ffff}]', false)).toBeLessThan(6_000);
  });
});
