import { leadOfGroup, mostBeforeGroup, regexExtent } from './regex-extent.js';

describe('regexExtent', () => {
  it.each([
    [/abc/, 3, 3, 0, 0],
    [/a{2,5}b?/, 2, 6, 0, 0],
    [/(?:ab|c{3})\d{2}/, 4, 5, 0, 0],
    [/(?<![\w-]{2})x(?=yyy)/, 1, 1, 2, 3],
    [/\bx$/, 1, 1, 1, 1],
    [/[^\]\\a-z]{3}/, 3, 3, 0, 0],
    [/(?<year>\d{4})(?i:ab)(?-i:c)/, 7, 7, 0, 0],
    [/\p{L}{1,3}/u, 1, 6, 0, 0],
    [/\x41\u0042\n\./, 4, 4, 0, 0],
    [/a{2,3}?|/, 0, 3, 0, 0],
  ])('measures %s', (regex, minLength, maxLength, behind, beyond) => {
    expect(regexExtent(regex)).toMatchObject({ minLength, maxLength, behind, beyond });
  });

  it.each([
    [/\d{3}-[0-9]{2}x?\d?/, 5],
    [/(?:\d{4}|A\d{2})[1-9]/, 3],
    [/(?<!\d)[A-Z0-9]{5}7(?=\d)/, 1],
  ])('counts the digits that %s needs', (regex, minDigits) => {
    expect(regexExtent(regex).minDigits).toBe(minDigits);
  });

  it.each([/a*/, /a+/, /(?:ab)+?/, /a{2,}/, /(a)\1/, /(?<n>a)\k<n>/, /(?<=x+)y/])('refuses %s', (regex) => {
    expect(() => regexExtent(regex)).toThrow(RangeError);
  });
});

describe('leadOfGroup', () => {
  it.each([
    [/key=(\d{4})/, 4],
    [/"d"\s{0,4}:\s{0,4}"([a-z]{40})"/, 5],
    [/(?<=a{9})(?:bot)?(\d{5})/, 0],
    [/(?:"|')id(?:"|') ?: ?(?:"([a-z])"|none)/, 5],
    [/[(](\d)/, 1],
    [/\((?<value>\d)/, 1],
    [/abc(\d)|(\d)/, 0],
    [/ab(?:c(?:d|e)(\d)|f)x|y/, 0],
  ])('counts the characters before the first group of %s', (regex, lead) => {
    expect(leadOfGroup(regex, 1)).toBe(lead);
  });

  it('counts up to the requested group', () => {
    expect(leadOfGroup(/a(b)cd(e)/, 2)).toBe(4);
  });
});

describe('mostBeforeGroup', () => {
  it.each([
    [/key=(\d{4,9})/, 4],
    [/(?<=a{9})"d"\s{0,4}:\s{0,4}"([a-z]{40,90})"/, 13],
    [/(?:bot)?(\d{5})/, 3],
    [/a{2,6}(?:b|c(d))/, 8],
    [/ab(c){1,4}/, 6],
    [/abc(\d)|(\d)/, 4],
  ])('returns at least the characters that can be before the first group of %s', (regex, most) => {
    expect(mostBeforeGroup(regex, 1)).toBe(most);
  });
});
