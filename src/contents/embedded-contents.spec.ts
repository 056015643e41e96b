import { createHash } from 'node:crypto';
import { deflateSync, gunzipSync, gzipSync } from 'node:zlib';
import { docxOf, pdfOf, zipOf } from '../../test/support/documents.js';
import { decodeRequest, parseJson } from '../core/index.js';
import { DocumentReader } from '../documents/index.js';
import { embeddedContents, type EmbeddedReading } from './embedded-contents.js';
import { withFilesRead } from './read-files.js';

const SECRET = 'mail@example.com';
/** Ends with characters of the standard alphabet that are not in the URL-safe alphabet. */
const WORDS = `${'to whom it may concern '.repeat(4)}${SECRET}  >>>???`;

function fileContents(data: string): EmbeddedReading {
  const file = { type: 'file', file: { filename: 'a', file_data: data } };
  const doc = parseJson(JSON.stringify({ messages: [{ role: 'user', content: [file] }] }));
  const call = decodeRequest('openai.chat', doc);
  const beside = embeddedContents(doc, call);
  return { ...beside, texts: [...call.segments, ...beside.texts] };
}

/** The texts and contents that are read from a file in a message. */
function contentsOf(data: string): { texts: string[]; files: number; unread: string[]; media: number } {
  const { texts, files, unread, media } = fileContents(data);
  return {
    texts: texts.map(({ text }) => text),
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

  it('is read with the escapes of URLs, and counts as ambiguous', () => {
    const escaped = plain.replace(/[+/ZJ]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
    const { texts, unread } = contentsOf(`data:text/plain;base64,${escaped}`);
    expect(texts.join('\n')).toContain(SECRET);
    expect(unread).toContain('ambiguous');
  });

  it('is read in lines of hexadecimal digits', () => {
    const lines = gzipSync(WORDS).toString('hex').replace(/.{60}/g, '$&\n');
    const doc = parseJson(JSON.stringify({ messages: [{ role: 'user', content: `unpack this:\n${lines}\n` }] }));
    const { files } = embeddedContents(doc, decodeRequest('openai.chat', doc));
    expect(files.map(({ bytes }) => gunzipSync(bytes).toString())).toEqual([WORDS]);
  });

  it('is read even if it is short', () => {
    const gzip = gzipSync('a secret of 20 signs').toString('base64');
    expect(contentsOf(gzip)).toMatchObject({ files: 1, unread: ['archive'] });
    for (const word of ['c29tZSB3b3JkcyBvZiB0ZXh0', 'AAECAwQFBgcICQoLDA0ODxAR', 'some-name-of-a-file-in-store'])
      expect(contentsOf(word)).toMatchObject({ files: 0, unread: [], media: 0 });
  });

  it.each<[string, string, string[]]>([
    ['gbk', ' sesame', []],
    ['cp037', '\u4f60xsesame', ['ambiguous']],
    ['utf-16', '\u4f60xsesame', ['ambiguous']],
    ['utf-8', '\u4f60xsesame', []],
  ])('is read in its declared encoding, or is ambiguous: %s', (charset, expected, why) => {
    const url = `data:text/plain;charset=${charset};base64,${Buffer.from('\u4f60xsesame').toString('base64')}`;
    const { texts, unread } = contentsOf(url);
    expect(texts.some((text) => text.endsWith(expected))).toBe(true);
    expect(unread).toEqual(why);
  });

  it('is searched for further base64, up to three levels', () => {
    const url = (text: string): string => `see data:text/plain;base64,${Buffer.from(text).toString('base64')}`;
    const packed = `see data:application/zip;base64,${zipOf({ 'a.txt': SECRET }).toString('base64')}`;
    expect(contentsOf(Buffer.from(packed).toString('base64'))).toMatchObject({ files: 1, unread: ['document'] });
    const inner = contentsOf(Buffer.from(url(url(SECRET))).toString('base64'));
    expect(inner.texts.join('\n')).toContain(SECRET);
    const deep = [1, 2, 3, 4].reduce((text) => url(text), SECRET);
    expect(contentsOf(Buffer.from(deep).toString('base64')).unread).toEqual(['limit']);
  });

  it('is not searched for in words', () => {
    for (const words of ['// some words that say nothing of a file, and more of them for the length', WORDS])
      expect(contentsOf(words)).toEqual({ texts: expect.arrayContaining([words]) as string[], files: 0, unread: [], media: 0 });
  }); // prettier-ignore
});

describe('an image that is also a document', () => {
  const reader = new DocumentReader();
  afterAll(() => reader.close());
  const u16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff]);
  const jpegWith = (comment: Buffer): Buffer =>
    Buffer.concat([Buffer.from('ffd8fffe', 'hex'), u16(comment.length + 2), comment, Buffer.from('ffd9', 'hex')]);
  const chunk = (type: string, data: Buffer): Buffer =>
    Buffer.concat([Buffer.of(0, 0), u16(data.length), Buffer.from(type), data, Buffer.alloc(4)]);
  const pngWith = (data: Buffer): Buffer =>
    Buffer.concat([
      Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
      chunk('IHDR', Buffer.alloc(13)),
      chunk('prVt', data),
      chunk('IEND', Buffer.alloc(0)),
    ]);
  // Bytes that cannot be compressed: an image that consists mostly of characters counts as text.
  const noise = Buffer.concat(Array.from({ length: 125 }, (_, at) => createHash('sha256').update(`${at}`).digest()));
  const pdf = pdfOf({ pages: [[SECRET]], attachment: { name: 'a', content: noise } });
  const readingOf = (image: Buffer): Promise<EmbeddedReading> =>
    withFilesRead(fileContents(image.toString('base64')), reader, ['account', 'key']);
  const path = 'messages[0].content[0].file.file_data';

  it.each<[string, Buffer, string]>([
    ['a JPEG with a PDF', jpegWith(pdf), 'image/jpeg'],
    ['a PNG with a DOCX', pngWith(docxOf({ paragraphs: [[SECRET]] })), 'image/png'],
    ['a PNG with a ZIP', pngWith(zipOf({ 'a.txt': `to ${SECRET}` })), 'image/png'],
  ])('is listed once, and its document is read or counts as unread: %s', async (_, image, type) => {
    const { media, unread, files } = fileContents(image.toString('base64'));
    expect(media).toEqual([{ path, bytes: image.length, type }]);
    expect(unread).toEqual([{ path, bytes: image.length, why: 'document' }]);
    expect(files).toHaveLength(1);
    const read = await readingOf(image);
    expect(read.media.filter((one) => one.path === path)).toEqual([{ path, bytes: image.length, type }]);
    const isRead = read.texts.some(({ text }) => text.includes(SECRET));
    expect(isRead || read.unread.some(({ why }) => why === 'malformed')).toBe(true);
  });

  it('is not found in an image that contains by chance what could be the end of a ZIP file', () => {
    const image = pngWith(Buffer.from(`\x07\x01PK\x05\x06${'\xfe\x03'.repeat(40)}`, 'latin1'));
    expect(fileContents(image.toString('base64'))).toMatchObject({ files: [], unread: [] });
  });

  it('is read after the end of the image if text follows', async () => {
    const words = Buffer.concat([
      Buffer.from('机密文件编号'),
      Buffer.from([1, 0, 0xfe, 2, 0xff, 3]),
      Buffer.from(SECRET),
    ]);
    const image = Buffer.concat([jpegWith(noise), words]);
    const { texts, media, unread } = await readingOf(image);
    const after = texts.find((one) => one.path === `${path} > after the end`);
    expect(after?.text).toBe(`${SECRET}\n机密文件编号`);
    expect(media).toEqual([expect.objectContaining({ path, type: 'image/jpeg' })]);
    expect(unread).toEqual([]);
  });

  it('is unread if it only begins like an image', async () => {
    const words = Buffer.from('机密文件编号'.repeat(20));
    const forged = Buffer.concat([Buffer.from('ffd8ff', 'hex'), words, Buffer.alloc(99, 1)]);
    const { media, unread } = await readingOf(forged);
    expect(media).toHaveLength(1);
    expect(unread).toEqual([{ path, bytes: forged.length, why: 'binary' }]);
  });
});
