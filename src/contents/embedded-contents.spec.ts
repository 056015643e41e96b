import { deflateSync } from 'node:zlib';
import { decodeRequest, parseJson } from '../core/index.js';
import { embeddedContents } from './embedded-contents.js';

const SECRET = 'mail@example.com';
/** Ends with letters of the standard alphabet that the other one has not. */
const WORDS = `${'to whom it may concern '.repeat(4)}${SECRET}  >>>???`;

/** The texts and contents that are read of a file in a message. */
function contentsOf(data: string): { texts: string[]; files: number; unread: string[]; media: number } {
  const file = { type: 'file', file: { filename: 'a', file_data: data } };
  const doc = parseJson(JSON.stringify({ messages: [{ role: 'user', content: [file] }] }));
  const call = decodeRequest('openai.chat', doc);
  const { texts, files, unread, media } = embeddedContents(doc, call);
  return {
    texts: [...call.segments, ...texts].map(({ text }) => text),
    files: files.length,
    unread: unread.map(({ why }) => why),
    media: media.length,
  };
}

describe('the base64 of a file in a message', () => {
  const packed = Buffer.concat([deflateSync(Buffer.from(WORDS)), Buffer.from([0xff, 0xfe, 0xfd])]).toString('base64');
  const plain = Buffer.from(WORDS).toString('base64');

  it.each<[string, string, string]>([
    ['a blank after every letter', ' ', '.'],
    ['a blank after every fourth letter', ' ', '.{4}'],
    ['a tab after every third letter', '\t', '.{3}'],
    ['a line break after every fifth letter', '\r\n', '.{5}'],
    ['a line break after 76 letters', '\n', '.{76}'],
  ])('is read with %s', (_, between, every) => {
    const spaced = (base64: string): string => base64.replace(new RegExp(every, 'g'), `$&${between}`);
    for (const padding of ['', '=']) {
      const letters = (base64: string): string => spaced(base64.replace(/=*$/, padding === '' ? '' : '$&'));
      expect(contentsOf(letters(packed)).files).toBe(1);
      expect(contentsOf(letters(plain)).texts.join('\n')).toContain(SECRET);
    }
  });

  it('is read in both alphabets at once, and counts as ambiguous', () => {
    const { texts, unread } = contentsOf(plain.replace('+', '-'));
    expect(texts.join('\n')).toContain(SECRET);
    expect(unread).toEqual(['ambiguous']);
  });

  it('is not looked for in words', () => {
    for (const words of ['// some words that say nothing of a file, and more of them for the length', WORDS])
      expect(contentsOf(words)).toEqual({ texts: expect.arrayContaining([words]) as string[], files: 0, unread: [], media: 0 });
  }); // prettier-ignore
});
