import { gzipSync } from 'node:zlib';
import { zipOf } from '../../test/support/documents.js';
import { readDocument } from './read-document.js';

const SECRET = 'mail@example.com';
const SECTOR = 512;
const [FREE, END, TABLE] = [0xffffffff, 0xfffffffe, 0xfffffffd];

function uint32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, 4 * index);
  return bytes;
}

function entry(name: string, kind: number, start: number, length: number): Buffer {
  const bytes = Buffer.alloc(128);
  bytes.write(name, 'utf16le');
  bytes.writeUInt16LE(2 * name.length + 2, 64);
  bytes[66] = kind;
  uint32(start, length).copy(bytes, 116);
  return bytes;
}

function unknown(length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, at) => (at * 73 + (at >> 8)) % 256));
}

/** A table of one sector. */
function table(entries: readonly number[]): Buffer {
  return uint32(...entries, ...Array.from({ length: 128 - entries.length }, () => FREE));
}

/** A compound file with a large stream, and a stream of 100 bytes. */
function compoundOf(large: { name: string; content: Buffer }, small: { name: string; text: string }): Buffer {
  const count = Math.ceil(large.content.length / SECTOR);
  const head = Buffer.alloc(SECTOR, 0xff);
  head.fill(0, 8, 76);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(head);
  Buffer.from('3e000300feff09000600', 'hex').copy(head, 24);
  uint32(1, 1, 0, 4_096, 2, 1, END, 0, 0).copy(head, 44);
  const directory = [
    entry('Root Entry', 5, 3, SECTOR),
    entry(large.name, 2, 4, large.content.length),
    entry(small.name, 2, 0, 100),
    Buffer.alloc(128),
  ];
  const chain = Array.from({ length: count }, (_, at) => (at === count - 1 ? END : at + 5));
  const smallSectors = Buffer.alloc(SECTOR, 1);
  smallSectors.write(small.text);
  return Buffer.concat([
    head,
    table([TABLE, END, END, END, ...chain]),
    ...directory,
    table([1, END]),
    smallSectors,
    large.content,
    Buffer.alloc(count * SECTOR - large.content.length),
  ]);
}

const zip = zipOf({ 'a.txt': `to ${SECRET}`, 'b.txt': 'words '.repeat(1_000) }, { stored: true });
const ABOUT = { name: '\x01CompObj', text: 'Microsoft Word' };

describe('a compound file that wraps another file', () => {
  it.each<[string, Buffer]>([
    ['an Office file', compoundOf({ name: 'Package', content: zip }, ABOUT)],
    ['the file of another program', compoundOf({ name: 'CONTENTS', content: zip }, ABOUT)],
    [
      'a file that was dropped into a document',
      compoundOf({ name: '\x01Ole10Native', content: Buffer.concat([uint32(zip.length), zip]) }, ABOUT),
    ],
  ])('is read: %s', async (_, bytes) => {
    const { texts, unread } = await readDocument(bytes);
    expect(texts).toContainEqual({ place: 'wrapped > file 1', text: `to ${SECRET}` });
    expect(texts.find(({ place }) => place === 'readable pieces')?.text).toContain('Microsoft Word');
    expect(unread).toEqual([]);
  });

  it('is read in an RTF file', async () => {
    const program = Buffer.concat([uint32(0x501, 2, 8), Buffer.from('Word.12\0'), uint32(0, 0)]);
    const wrapper = compoundOf({ name: 'Package', content: zip }, ABOUT);
    const object = Buffer.concat([program, uint32(wrapper.length), wrapper, uint32(0x501, 0)]);
    const { texts, unread } = await readDocument(Buffer.from(`{\\rtf1{\\*\\objdata ${object.toString('hex')}}}`));
    expect(texts).toContainEqual({ place: 'object 1 > wrapped > file 1', text: `to ${SECRET}` });
    expect(unread).toEqual([]);
  });

  it('is read if it is small', async () => {
    const words = `words to ${SECRET} `.padEnd(100, '.');
    const bytes = compoundOf({ name: '\x02OlePres000', content: zip }, { name: 'CONTENTS', text: words });
    const { texts } = await readDocument(bytes);
    expect(texts).toContainEqual({ place: 'wrapped', text: words });
  });

  it('is read if bytes follow the file that it wraps', async () => {
    const file = Buffer.from('\x02\0a\0b\0\0\0\x03\0\0\0\0\0\x05\0\0\0words', 'latin1');
    const content = Buffer.concat([uint32(0), file, unknown(5_000)]);
    const { texts, unread } = await readDocument(compoundOf({ name: '\x01Ole10Native', content }, ABOUT));
    expect(texts).toContainEqual({ place: 'wrapped', text: 'words' });
    expect(unread).toEqual([expect.objectContaining({ place: 'wrapped', why: 'binary' })]);
  });

  it.each<[string, Buffer]>([
    ['it is a document of its own', compoundOf({ name: 'WordDocument', content: zip }, ABOUT)],
    ['it has other streams', compoundOf({ name: 'Package', content: zip }, { name: 'Other', text: 'words' })],
    ['it wraps nothing', compoundOf({ name: '\x02OlePres000', content: zip }, ABOUT)],
    ['it is cut off', compoundOf({ name: 'Package', content: zip }, ABOUT).subarray(0, 4_000)],
  ])('is unread if %s', async (_, bytes) => {
    expect((await readDocument(bytes)).unread).toContainEqual(expect.objectContaining({ place: '', why: 'document' }));
  });
});

describe('the description of a file that a compound file wraps', () => {
  const WRAPPED = { name: 'CONTENTS', text: 'words of the file '.padEnd(100, '.') };
  /** A metafile with one long record. */
  const METAFILE = Buffer.concat([
    Buffer.from('010009000003ffffffff0000ffffffff0000', 'hex'),
    uint32(3_000),
    Buffer.from('2606', 'hex'),
    unknown(5_994),
    Buffer.from('030000000000', 'hex'),
  ]);
  const BITMAP = Buffer.concat([uint32(40, 1_000, 2, 0x00180001, 0, 0, 0, 0, 0, 0), unknown(6_000)]);
  const presentationOf = (kind: number, picture: Buffer, after: Buffer = Buffer.alloc(0)): Buffer =>
    Buffer.concat([uint32(0xffffffff, kind, 4, 1, 0xffffffff, 2, 0, 9, 9, picture.length), picture, after]);

  it.each<[string, string, Buffer, string]>([
    ['a metafile', '\x02OlePres000', presentationOf(3, METAFILE), 'image/wmf'],
    ['a bitmap', '\x02OlePres000', presentationOf(8, BITMAP, Buffer.alloc(18)), 'image/bmp'],
    ['a metafile for printing', '\x03EPRINT', METAFILE, 'image/wmf'],
  ])('is listed as an image: %s', async (_, name, content, type) => {
    const { media, unread } = await readDocument(compoundOf({ name, content }, WRAPPED));
    expect(media).toEqual([expect.objectContaining({ place: 'beside', type })]);
    expect(unread).toEqual([]);
  });

  it.each<[string, string, Buffer]>([
    ['it is no picture', '\x03EPRINT', unknown(5_000)],
    ['it has another form', '\x02OlePres000', unknown(5_000)],
    ['its picture is of no known format', '\x02OlePres000', presentationOf(3, unknown(5_000))],
    ['other bytes follow its picture', '\x02OlePres000', presentationOf(3, METAFILE, unknown(5_000))],
  ])('is unread if %s', async (_, name, content) => {
    const { unread } = await readDocument(compoundOf({ name, content }, WRAPPED));
    expect(unread).toEqual([expect.objectContaining({ place: 'beside', why: 'binary' })]);
  });

  it('is read if it is a compressed file', async () => {
    const content = gzipSync(Buffer.concat([Buffer.from(`to ${SECRET} `), Buffer.alloc(5_000, 'words ')]), {
      level: 0,
    });
    const { texts } = await readDocument(compoundOf({ name: '\x03EPRINT', content }, WRAPPED));
    expect(texts.find(({ place }) => place === 'beside > unpacked')?.text).toContain(SECRET);
  });
});
