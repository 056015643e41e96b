import { deflateRawSync } from 'node:zlib';
import { zipOf } from '../../test/support/documents.js';
import { readDocument } from './read-document.js';

const SECRET = 'mail@example.com';
const HEAD = '<?xml version="1.0"?>';
const TYPES = { '[Content_Types].xml': `${HEAD}<Types/>` };
const KEY = '3f2504e0-4f89-11d3-9a0c-0305e82c33c1';
const FONTS = { 'word/fontTable.xml': `${HEAD}<f><e fontKey="{${KEY.toUpperCase()}}"/></f>` };
/** The parts of a file of the program that writes a part of this name. */
const partsOf = (name: string): Record<string, string> =>
  name.startsWith('word/') ? { ...TYPES, ...FONTS } : { ...TYPES, 'a.xml': `${HEAD}<d/>` };

const u32 = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer);
const big = (value: number): Buffer => u32(value).reverse();
const noise = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, at) => (at * 89 + 7) % 256));

/** A TrueType font with two tables. */
function font(): Buffer {
  const head = Buffer.concat([Buffer.from('\0\x01\0\0\0\x02', 'latin1'), Buffer.alloc(6)]);
  const entry = (name: string, start: number, length: number): Buffer =>
    Buffer.concat([Buffer.from(name), big(0), big(start), big(length)]);
  return Buffer.concat([head, entry('glyf', 44, 400), entry('OS/2', 444, 20), noise(420)]);
}

/** A font as Word embeds it. */
function obfuscated(plain: Buffer): Buffer {
  const key = Buffer.from(KEY.replaceAll('-', ''), 'hex').reverse();
  return Buffer.from(Array.from(plain, (byte, at) => (at < 32 ? byte ^ (key[at % 16] ?? 0) : byte)));
}

/** A font as PowerPoint embeds it. */
function embedded(): Buffer {
  const head = Buffer.alloc(100);
  head.writeUInt32LE(500, 0);
  head.writeUInt32LE(400, 4);
  head.writeUInt32LE(0x00020001, 8);
  head.writeUInt16LE(0x504c, 34);
  return Buffer.concat([head, noise(400)]);
}

function printerSettings(): Buffer {
  const settings = Buffer.alloc(220);
  settings.write('Printer in room 5', 0, 'utf16le');
  settings.writeUInt16LE(0x0401, 64);
  settings.writeUInt16LE(220, 68);
  settings.writeUInt16LE(300, 70);
  return Buffer.concat([settings, noise(300)]);
}

const SAMPLES: readonly (readonly [string, string, Buffer])[] = [
  ['a font of Word', 'word/fonts/font1.odttf', obfuscated(font())],
  ['a font of PowerPoint', 'ppt/fonts/font1.fntdata', embedded()],
  ['settings of a printer of Word', 'word/printerSettings/printerSettings1.bin', printerSettings()],
  ['settings of a printer of Excel', 'xl/printerSettings/printerSettings1.bin', printerSettings()],
];

describe('a part of an Office file that is neither text nor XML', () => {
  it.each(SAMPLES)('is not unread if it is what its name says: %s', async (sample, name, bytes) => {
    const { media, texts, unread } = await readDocument(zipOf({ ...partsOf(name), [name]: bytes }));
    expect(unread).toEqual([]);
    const fonts = [{ place: 'file 3', type: 'font', bytes: bytes.length }];
    expect(media).toEqual(sample.startsWith('a font') ? fonts : []);
    if (media.length === 0) expect(texts.map(({ text }) => text).join()).toContain('Printer in room 5');
  });

  it.each(SAMPLES)('is unread in other archives: %s', async (_, name, bytes) => {
    const others: readonly Record<string, string>[] = [{}, { mimetype: 'x', 'content.xml': `${HEAD}<d/>` }];
    for (const parts of others) {
      const { media, unread } = await readDocument(zipOf({ ...parts, [name]: bytes }));
      expect(media).toEqual([]);
      expect(unread).toEqual([expect.objectContaining({ why: 'binary', bytes: bytes.length })]);
    }
  });

  it.each(SAMPLES)('is unread if its bytes are not what its name says: not %s', async (_, name) => {
    const bytes = noise(600);
    const { media, unread } = await readDocument(zipOf({ ...partsOf(name), [name]: bytes }));
    expect(media).toEqual([]);
    expect(unread).toEqual([{ place: 'file 3', why: 'binary', bytes: bytes.length }]);
  });

  it('is not unread if it lists the positions of pages in a text of LibreOffice', async () => {
    const layout = Buffer.from('010001007005000000', 'hex');
    const parts = { mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': `${HEAD}<d/>` };
    const unreadIn = async (files: Record<string, string | Buffer>): Promise<string[]> =>
      (await readDocument(zipOf(files))).unread.map(({ why }) => why);
    expect(await unreadIn({ ...parts, 'layout-cache': layout })).toEqual([]);
    expect(await unreadIn({ ...parts, 'layout-cache': layout.subarray(0, 8) })).toEqual(['binary']);
    expect(await unreadIn({ 'layout-cache': layout })).toEqual(['binary']);
  });

  it('is unread if no table of fonts contains the key of the font', async () => {
    const { unread } = await readDocument(zipOf({ ...TYPES, 'word/fonts/font1.odttf': obfuscated(font()) }));
    expect(unread.map(({ why }) => why)).toEqual(['binary']);
  });

  it.each<[string, (name: string) => Record<string, string>]>([
    ['an Office file', partsOf],
    ['an archive', () => ({})],
  ])('is unpacked in %s, whatever its name is', async (_, parts) => {
    for (const [, name] of SAMPLES) {
      const { texts, unread } = await readDocument(zipOf({ ...parts(name), [name]: deflateRawSync(`to ${SECRET}`) }));
      expect(texts.map(({ text }) => text)).toContain(`to ${SECRET}`);
      expect(unread).toEqual([]);
    }
  });

  it('is unpacked even if it is also what its name says', async () => {
    // An uncompressed block with the structure of the settings, and a compressed block with the text.
    const settings = printerSettings().subarray(5);
    const block = Buffer.from([0, 0, 0, 0, 0]);
    block.writeUInt16LE(settings.length, 1);
    block.writeUInt16LE(~settings.length & 0xffff, 3);
    const bytes = Buffer.concat([block, settings, deflateRawSync(`to ${SECRET}`)]);
    const { texts } = await readDocument(zipOf({ ...TYPES, 'xl/printerSettings/printerSettings1.bin': bytes }));
    expect(texts.map(({ text }) => text).join('\n')).toContain(SECRET);
  });
});
