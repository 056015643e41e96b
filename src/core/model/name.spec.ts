import { nameUpTo } from './name.js';

const accepts = (name: string): boolean => nameUpTo(10).safeParse(name).success;

describe('A name', () => {
  it.each(['shop', 'Öl & Gas', '二', '→', '?', '😀', '\u202eshop', 'x'.repeat(10)])('may be %j', (name) => {
    expect(accepts(name)).toBe(true);
  });

  it.each([
    '',
    ' ',
    '\u200b',
    '\u200b\u2060 \u00ad',
    '\u3164',
    '\u2800',
    '\u0301',
    'a\nb',
    '\0',
    '\ud800',
    'x'.repeat(11),
  ])('may not be %j', (name) => {
    expect(accepts(name)).toBe(false);
  });
});
