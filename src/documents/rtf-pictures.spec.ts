import { gzipSync } from 'node:zlib';
import { pdfOf, zipOf } from '../../test/support/documents.js';
import { readDocument } from './read-document.js';

const SECRET = 'mail@example.com';
const rtf = (group: string): Buffer => Buffer.from(`{\\rtf1\\ansi words ${group} words}`);
const picture = (kind: string, bytes: Buffer): Buffer => rtf(`{\\pict\\${kind} ${bytes.toString('hex')}}`);
const object = (bytes: Buffer): Buffer => rtf(`{\\object\\objemb{\\*\\objdata ${bytes.toString('hex')}}}`);

function uint32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, 4 * index);
  return bytes;
}

const zeroEnded = (text: string): Buffer => Buffer.from(`${text}\0`);
const sized = (bytes: Buffer): Buffer => Buffer.concat([uint32(bytes.length), bytes]);
const headOf = (kind: number, program: string): Buffer =>
  Buffer.concat([uint32(0x501, kind), sized(zeroEnded(program))]);
const embedded = (program: string, content: Buffer, after = uint32(0x501, 0)): Buffer =>
  Buffer.concat([headOf(2, program), uint32(0, 0), sized(content), after]);
const dropped = (name: string, file: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from([2, 0]),
    zeroEnded(name),
    zeroEnded(`C:\\${name}`),
    uint32(0x00030000),
    sized(zeroEnded(`C:\\Temp\\${name}`)),
    sized(file),
  ]);

/** A bitmap of 2 × 2 pixels without a file header. */
const BITMAP = Buffer.concat([
  uint32(40, 2, 2, 0x00180001, 0, 0, 0, 0, 0, 0),
  Buffer.from('ff00ff80ffff0000ff00ff80ffff0000', 'hex'),
]);
/** A bitmap of 24 bits per pixel in one row, with some bytes as its pixels. */
function bitmapWith(bytes: Buffer): Buffer {
  const width = Math.ceil(bytes.length / 12) * 4;
  return Buffer.concat([
    uint32(40, width, 1, 0x00180001, 0, 0, 0, 0, 0, 0),
    bytes,
    Buffer.alloc(3 * width - bytes.length),
  ]);
}

/** A picture of QuickDraw: its size and frame, its version, a header, a region and an end. */
const PICT = Buffer.from(
  ['00000000000000100010', '001102ff', `0c00fffe${'00'.repeat(22)}`, '0001000a0000000000100010', '00ff'].join(''),
  'hex',
);
/** A metafile without a record that draws something. */
const METAFILE = Buffer.from('010009000003ffffffff0000ffffffff0000030000000000', 'hex');
const unknown = Buffer.from(Array.from({ length: 256 }, (_, at) => (at * 73) % 256));

describe('a picture in an RTF file', () => {
  it.each<[string, Buffer, string]>([
    ['a bitmap without a file header', picture('dibitmap0', BITMAP), 'image/bmp'],
    ['a picture of QuickDraw', picture('macpict', PICT), 'image/x-pict'],
    ['a metafile', picture('wmetafile8', METAFILE), 'image/wmf'],
  ])('is listed as an image: %s', async (_, bytes, type) => {
    const { media, unread } = await readDocument(bytes);
    expect(media).toEqual([expect.objectContaining({ place: 'object 1', type })]);
    expect(unread).toEqual([]);
  });

  it.each<[string, Buffer]>([
    ['has more bytes than its pixels', picture('dibitmap0', Buffer.concat([BITMAP, unknown]))],
    ['has no end', picture('macpict', Buffer.concat([PICT.subarray(0, 40), unknown, Buffer.from([1])]))],
  ])('is unread if it %s', async (_, bytes) => {
    expect((await readDocument(bytes)).unread).toEqual([expect.objectContaining({ place: 'object 1', why: 'binary' })]);
  });

  it('is read as far as it contains text', async () => {
    const drawn = Buffer.concat([PICT.subarray(0, -2), Buffer.from(SECRET), Buffer.from('00ff', 'hex')]);
    const { texts } = await readDocument(picture('macpict', drawn));
    expect(texts).toContainEqual({ place: 'object 1 > readable pieces', text: SECRET });
  });
});

describe('a picture in an RTF file that is also a document', () => {
  const pictHead = Buffer.from('000e00000000001000100011' + '02ff', 'hex');
  const pictEnd = Buffer.from('00ff', 'hex');
  /** A ZIP file with a comment of two bytes. */
  const zip = zipOf({ 'a.txt': `to ${SECRET}` }, { comment: 'xx' }).subarray(0, -2);
  const pdf = pdfOf({ pages: [[`to ${SECRET}`]] });

  it.each<[string, Buffer]>([
    ['a ZIP file in a picture of QuickDraw', Buffer.concat([pictHead, zip, pictEnd])],
    ['a PDF file in a picture of QuickDraw', Buffer.concat([pictHead, pdf, pictEnd])],
    ['a ZIP file after a metafile', Buffer.concat([METAFILE, zip, pictEnd])],
    ['a ZIP file in the pixels of a bitmap', bitmapWith(Buffer.concat([zip, pictEnd]))],
    ['a PDF file in the pixels of a bitmap', bitmapWith(pdf)],
  ])('is read: %s', async (_, bytes) => {
    const { texts } = await readDocument(object(bytes));
    expect(texts.map(({ text }) => text.trim())).toContain(`to ${SECRET}`);
  });

  it('is unread if the document cannot be read', async () => {
    const words = Buffer.from('%PDF-1.7 words');
    const { media, unread } = await readDocument(object(Buffer.concat([pictHead, unknown, words, unknown, pictEnd])));
    expect(media).toEqual([]);
    expect(unread).toContainEqual(expect.objectContaining({ place: 'object 1' }));
  });
});

describe('an object that an RTF file embeds', () => {
  const file = zipOf({ 'a.txt': `to ${SECRET}` });

  it.each<[string, Buffer]>([
    ['with a file that was dropped into the document', embedded('Package', dropped('a.zip', file))],
    ['with the file of a program', embedded('Program.1', file)],
    ['with a file before zeros', embedded('Program.1', file, Buffer.alloc(8))],
  ])('is read: %s', async (_, bytes) => {
    const { texts, unread } = await readDocument(object(bytes));
    expect(texts).toContainEqual({ place: 'object 1 > file 1', text: `to ${SECRET}` });
    expect(unread).toEqual([]);
  });

  it('is read with its names', async () => {
    const { texts } = await readDocument(object(embedded('Package', dropped(`${SECRET}.txt`, Buffer.from('words')))));
    const names = texts.find(({ place }) => place === 'object 1 > names');
    expect(names?.text).toContain(`C:\\Temp\\${SECRET}.txt`);
    expect(texts).toContainEqual({ place: 'object 1', text: 'words' });
  });

  it('is listed with its picture', async () => {
    const after = [headOf(5, 'METAFILEPICT'), uint32(9, 9), sized(Buffer.concat([Buffer.alloc(8), METAFILE]))];
    const { media, unread } = await readDocument(object(embedded('Program.1', file, Buffer.concat(after))));
    expect(media).toEqual([{ place: 'object 1', type: 'image/wmf', bytes: METAFILE.length }]);
    expect(unread).toEqual([]);
  });

  it.each<[string, Buffer]>([
    ['many bytes', Buffer.concat([unknown, unknown, unknown, unknown, unknown])],
    ['a compressed file', gzipSync('words')],
  ])('is read with what follows a file that was dropped into a document: %s', async (_, bytes) => {
    const content = Buffer.concat([dropped('a.zip', file), bytes]);
    const { texts, unread } = await readDocument(object(embedded('Package', content)));
    const isRead = texts.some(({ place, text }) => place === 'object 1 > unpacked' && text === 'words');
    expect(isRead || unread.some(({ place }) => place === 'object 1')).toBe(true);
  });

  it.each<[string, Buffer]>([
    ['its file is of no known format', embedded('Program.1', unknown)],
    ['other bytes follow it', embedded('Program.1', file, unknown)],
    ['it is cut off', embedded('Program.1', unknown).subarray(0, 100)],
  ])('is unread if %s', async (_, bytes) => {
    expect((await readDocument(object(bytes))).unread).toEqual([expect.objectContaining({ why: 'binary' })]);
  });
});
