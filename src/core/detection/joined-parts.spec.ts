import type { Segment } from '../model/call.js';
import { atOnce } from '../steps/steps.js';
import { masked, part, parts } from '../../../test/support/found-values.js';
import { joinedParts } from './joined-parts.js';

const SIGNS = 'aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0z+';
const signs = (length: number): string => SIGNS.repeat(Math.ceil(length / SIGNS.length)).slice(0, length);
const BEGIN = ['-----BEGIN', ' PRIVATE KEY-----'].join('');
const END = ['-----END', ' PRIVATE KEY-----'].join('');
const SECRET = ['ghp_', 'aB3dE6gH9jK2'.repeat(3)].join('');

/** The matched text of all findings with this code. */
async function found(segments: readonly Segment[], code: string): Promise<string> {
  const all = await masked(segments);
  return all.map((one) => (one.startsWith(`${code}:`) ? one.slice(code.length + 1) : '')).join('');
}

describe('a value that is split over parts', () => {
  it('is found in both parts, even if much of it is in each part', async () => {
    const [one, other] = [BEGIN + signs(1_500), signs(1_700) + END];
    expect(await found(parts(one, other), 'private_key')).toBe(one + other);
    const lines = (text: string): string => text.replace(/.{64}/g, '$&\n');
    const [first, second] = [`${BEGIN}\n${lines(signs(1_536))}`, `${lines(signs(1_664))}${END}`];
    expect((await found(parts(first, second), 'private_key')).replaceAll('\n', '')).toBe(
      (first + second).replaceAll('\n', ''),
    );
  });

  it('is found in more than two parts, even if much of it is in each part', async () => {
    const texts = [BEGIN + signs(1_500), signs(1_200), signs(1_700) + END];
    expect(await found(parts(...texts), 'private_key')).toBe(texts.join(''));
  });

  it('is found if there is a line end at the end of the first part or at the beginning of the second', async () => {
    const [one, other] = [SECRET.slice(0, 13), SECRET.slice(13)];
    for (const texts of [
      [`use ${one}\n`, `${other} now`],
      [`use ${one}`, `\n${other} now`],
      [`use ${one}\r\n`, `  ${other} now`],
    ])
      expect(await found(parts(...texts), 'github_pat')).toBe(SECRET);
    expect(await found(parts(`use ${one}\n`, `\n${other} now`), 'github_pat')).toBe('');
    expect(await found(parts('IBAN DE89 3704 0044 0532\n', '0130 00 please'), 'IBAN')).toBe(
      'DE89 3704 0044 0532\n0130 00',
    );
  });

  it('does not make texts of sentences be read together over a line end', () => {
    const texts = parts(
      'Describe this image.\n',
      'It shows a cat, 3 years old.\n',
      'Another one:\n',
      'A dog\n',
      'of 4',
    );
    expect(atOnce(joinedParts(texts))).toEqual([]);
  });

  it('is searched for only at the sides of a long part, and further if that part has hardly any spaces', () => {
    const units = (text: string): number[] => {
      const joined = atOnce(joinedParts([part(text, 'a[0]'), part(text, 'a[1]')]));
      return joined.flatMap(({ pieces }) => pieces.map(({ from, to }) => to - from));
    };
    expect(units('some words. '.repeat(900).trim())).toEqual([1_024, 1_024]);
    expect(units('这是一个句子。'.repeat(2_000))).toEqual([1_024, 1_024]);
    expect(units(signs(12_000))).toEqual([9_216, 9_216]);
    expect(units(signs(2_000))).toEqual([2_000, 2_000]);
  });

  it('is searched for in parts of limited total length', () => {
    const many = atOnce(joinedParts(Array.from({ length: 200 }, (_, index) => part(signs(9_000), `a[${index}]`))));
    const lengths = many.map(({ pieces }) => pieces.reduce((sum, { from, to }) => sum + to - from, 0));
    expect(Math.max(...lengths)).toBeLessThan(280_000);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThan(2 * 200 * 9_000);
  });
});
