import { zipOf } from '../../test/support/documents.js';
import { readDocument } from './read-document.js';

const SECRET = 'mail@example.com';
const BLANK = Buffer.alloc(286);
BLANK.write('This resource fork intentionally left blank   ', 48);

interface Double {
  readonly attributes?: Readonly<Record<string, Buffer>>;
  readonly resources?: Buffer;
}

function uint32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}

/** The metadata of a file, as macOS writes it into archives. */
function doubleOf({ attributes = {}, resources = BLANK }: Double): Buffer {
  const names = Object.entries(attributes).map(([name, value]) => ({ name: Buffer.from(`${name}\0`), value }));
  const sizes = names.map(({ name }) => Math.ceil((11 + name.length) / 4) * 4);
  const dataStart = 50 + 34 + 36 + sizes.reduce((sum, size) => sum + size, 0);
  let at = dataStart;
  const list = names.map(({ name, value }, index) => {
    const entry = Buffer.alloc(sizes[index] ?? 0);
    entry.writeUInt32BE(at, 0);
    entry.writeUInt32BE(value.length, 4);
    entry[10] = name.length;
    name.copy(entry, 11);
    at += value.length;
    return entry;
  });
  const head = Buffer.concat([Buffer.from('ATTR'), uint32(7, at, dataStart, at - dataStart, 0, 0, 0)]);
  const counts = Buffer.from([0, 0, 0, names.length]);
  const values = names.map(({ value }) => value);
  const finder = Buffer.concat([Buffer.alloc(34), head, counts, ...list, ...values]);
  const places = uint32(9, 50, finder.length, 2, 50 + finder.length, resources.length);
  const magic = Buffer.concat([uint32(0x00051607, 0x00020000), Buffer.from('Mac OS X        '), Buffer.from([0, 2])]);
  return Buffer.concat([magic, places, finder, resources]);
}

const ADDRESSES = Buffer.from('bplist00\xa1\x01_\x10\x20https://example.com/download?a=b\x08\x0a', 'latin1');
const unknown = Buffer.from(Array.from({ length: 256 }, (_, at) => (at * 73) % 256));

/** What is read of an archive with a harmless text and such a file. */
async function read(name: string, bytes: Buffer): Promise<{ text: string; why: string[] }> {
  const { texts, unread } = await readDocument(zipOf({ 'a.txt': 'harmless words', [name]: bytes }));
  return { text: texts.map(({ text }) => text).join('\n'), why: unread.map(({ why }) => why) };
}

describe('the metadata that macOS adds to an archive', () => {
  const name = '__MACOSX/folder/._a.txt';

  it('are read in pieces and are not unread', async () => {
    const quarantine = Buffer.from(`0081;65716571;Safari;${SECRET}`);
    const attributes = { 'com.apple.metadata:kMDItemWhereFroms': ADDRESSES, 'com.apple.quarantine': quarantine };
    const { text, why } = await read(name, doubleOf({ attributes }));
    expect(text).toContain('https://example.com/download?a=b');
    expect(text).toContain(SECRET);
    expect(why).toEqual([]);
  });

  it('are not unread without resources', async () => {
    const attributes = { 'com.apple.metadata:kMDItemWhereFroms': ADDRESSES };
    expect(await read(name, doubleOf({ attributes, resources: Buffer.alloc(0) }))).toMatchObject({ why: [] });
  });

  it.each<[string, Double]>([
    ['they contain resources', { resources: unknown }],
    ['an attribute is a file', { attributes: { a: zipOf({ 'b.txt': 'words' }), b: ADDRESSES } }],
    ['an attribute is large', { attributes: { a: Buffer.concat(Array.from({ length: 20 }, () => unknown)) } }],
  ])('are unread if %s', async (_, double) => {
    expect((await read(name, doubleOf(double))).why).not.toEqual([]);
  });

  it('are unread under another name', async () => {
    const attributes = { 'com.apple.metadata:kMDItemWhereFroms': ADDRESSES };
    expect((await read('a.bin', doubleOf({ attributes }))).why).toEqual(['binary']);
  });
});

describe('the settings of a folder that macOS adds to an archive', () => {
  const settings = Buffer.alloc(6_148);
  settings.write('\0\0\0\x01Bud1', 0, 'latin1');
  uint32(2_048, 4_096, 2_048).copy(settings, 8);
  Buffer.from(SECRET, 'utf16le').swap16().copy(settings, 900);
  settings.fill(0xff, 3_000, 3_040);

  it('are read in pieces, also in UTF-16, and are not unread', async () => {
    const { text, why } = await read('folder/.DS_Store', settings);
    expect(text).toContain(SECRET);
    expect(why).toEqual([]);
  });

  it('are unread if they only begin like that', async () => {
    const forged = Buffer.concat([settings.subarray(0, 8), unknown]);
    expect((await read('folder/.DS_Store', forged)).why).toEqual(['binary']);
  });
});
