import { atOnce } from '../steps/steps.js';
import { readingTwoBytes } from './two-byte-texts.js';

const read = (bytes: Buffer): string[] => atOnce(readingTwoBytes(bytes.toString('latin1'))).map((text) => text.trim());
const bytesOf = (hex: string): Buffer => Buffer.concat([Buffer.from(hex, 'hex'), Buffer.from('xsesame')]);

describe('the words in a text in an encoding of two bytes', () => {
  it.each<[string, string]>([
    ['a letter that is half of a character', '81'],
    ['a byte that is a space in Latin-1 and the first half of a character', 'a0'],
    ['the last byte of a character in UTF-8', 'e4bda0'],
    ['a byte that is a space in Latin-1 and the second half of a character', '81a081'],
    ['a byte that is a character by itself in Shift_JIS', 'b181'],
    ['a character of four bytes', '8130813081'],
    ['a character of four bytes after one of one byte', 'b1813081308130813081'],
  ])('begin after %s', (_, before) => {
    expect(read(bytesOf(before))).toContain('sesame');
  });

  it('keep the letter after whole characters', () => {
    for (const before of ['c4e3', 'c4e3bac3', '81b1b1']) expect(read(bytesOf(before))).toContain('xsesame');
  });

  it('are the same as before without such characters', () => {
    for (const text of ['some words', 'caf\u00e9', 'a\u00a0b, words'])
      expect(read(Buffer.from(text, 'latin1'))).toEqual([]);
  });

  it('are read in steps, even if there are no spaces between them', () => {
    let steps = 0;
    const text = `\xa0x${'\x81\xb1'.repeat(200_000)}`;
    for (const reading = readingTwoBytes(text); reading.next().done !== true;) steps++;
    expect(steps).toBeGreaterThan(10);
  });
});
