import fc from 'fast-check';
import { docxOf, wordOf, zipOf } from '../../test/support/documents.js';
import { rtfTexts } from './formats/rtf.js';
import { readDocument } from './read-document.js';
import type { DocumentReading } from './reading.js';

const SECRET = 'mail@example.com';
const CARD = ['4111', '1111', '1111', '1111'].join('-');
const TYPES = { '[Content_Types].xml': '<?xml version="1.0"?><Types/>' };

const textOf = ({ texts }: DocumentReading): string => texts.map(({ text }) => text).join('\n\n');

describe('a part of an archive that is not sound XML', () => {
  it.each<[string, string]>([
    ['in a tag without an end', `<p ${SECRET}`],
    ['in the name of an attribute', `<p ${SECRET}="x">a</p>`],
    ['in the name of an element', `<p><${SECRET}/></p>`],
    ['in a tag that nothing opened', `<p>a</p></b ${SECRET}>`],
    ['in the second attribute of a name', `<p title="x" title="to ${SECRET}">a</p>`],
    ['in an attribute without a value', `<input ${SECRET}>`],
    ['before a second tag', `<a <b ${SECRET}> c`],
  ])('is read as it is written: a text %s', async (_, markup) => {
    const head = '<?xml version="1.0"?>';
    for (const archive of [
      zipOf({ 'a.html': markup }),
      zipOf({ 'a.xml': head + markup }),
      zipOf({ ...TYPES, 'word/document.xml': head + markup }),
      zipOf({ ...TYPES, 'word/document.xml': markup }),
    ]) {
      expect(textOf(await readDocument(archive))).toContain(SECRET);
    }
  });

  it('is read as it is written although it has the form of a sheet or of shared strings', async () => {
    for (const root of ['worksheet', 'sst']) {
      expect(textOf(await readDocument(zipOf({ ...TYPES, 'a.xml': `<${root}><c ${SECRET}` })))).toContain(SECRET);
    }
  });

  it('is read as it is written in an archive of no known program, even if it is sound XML', async () => {
    const reading = await readDocument(zipOf({ 'a.xml': '<?xml version="1.0"?><list><Bluebird/></list>' }));
    expect(textOf(reading)).toContain('Bluebird');
  });

  it('is the only part of an Office file whose tags are read', async () => {
    const head = '<?xml version="1.0" encoding="UTF-8"?>\n<!-- a --><!DOCTYPE w>\n';
    const sound = `${head}<w:d xmlns:w='x'><w:t a = "1>2" b='c'>x &amp; y</w:t ><![CDATA[<z>]]><w:e/></w:d>\n`;
    const reading = await readDocument(zipOf({ ...TYPES, 'word/document.xml': sound }));
    expect(textOf(reading)).not.toContain('w:t');
    expect(textOf(reading)).toContain('x & y');
  });
});

describe('a value of an attribute', () => {
  it.each([
    `http://www.w3.org/${CARD}`,
    `http://www.w3.org/1999/xhtml/${CARD}`,
    `https://purl.org/dc/${CARD}`,
    `http://schemas.openxmlformats.org/${CARD}`,
    `http://schemas.microsoft.com/office/${CARD}`,
    `urn:schemas-microsoft-com:${CARD}`,
    `urn:oasis:names:tc:opendocument:xmlns:${CARD}:1.0`,
  ])('is read although it begins like a namespace: %s', async (value) => {
    expect(textOf(await readDocument(wordOf(`<w:hyperlink w:history="${value}"/>`)))).toContain(CARD);
  });

  it('is read if the attribute describes something in a single word', async () => {
    const reading = await readDocument(wordOf('<wp:docPr id="1" descr="Bluebird"/><w:jc w:val="center"/>'));
    expect(textOf(reading)).toContain('Bluebird');
    expect(textOf(reading)).not.toContain('center');
  });

  it('is not read if it is a namespace of a known format', async () => {
    const names = [
      'http://www.w3.org/2001/XMLSchema-instance',
      'http://purl.org/dc/terms/',
      'http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink',
      'http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing',
      'http://schemas.microsoft.com/office/word/2010/wordprocessingShape',
      'http://schemas.microsoft.com/office/spreadsheetml/2009/9/main',
      'urn:schemas-microsoft-com:office:office',
      'urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0',
    ];
    const reading = await readDocument(wordOf(names.map((name, at) => `<w:r xmlns:n${at}="${name}"/>`).join('')));
    expect(reading.texts.filter(({ place }) => place === 'document > attributes')).toEqual([]);
    const { texts } = await readDocument(docxOf({ comment: 'x', title: 'y' }));
    expect(texts.filter(({ text }) => text.includes('schemas.'))).toEqual([]);
  });
});

describe('a character of RTF with a substitute for older readers', () => {
  it.each<[string, string]>([
    ['after a group that sets another length', '{\\rtf1\\ansi mail{\\uc9 }\\u64 ?example.com}'],
    ['in a group that inherits the length', '{\\rtf1\\ansi\\uc2 mail{\\u64 ??{x}}example.com}'.replace('{x}', '')],
    ['before a control word as the substitute', '{\\rtf1\\ansi mail\\u64\\emdash example.com}'],
    ['before a line break as the substitute', '{\\rtf1\\ansi mail\\u64\\line example.com}'],
    ['before a symbol and an escape as the substitute', "{\\rtf1\\ansi\\uc2 mail\\u64\\~\\'40example.com}"],
    ['before the end of its group', '{\\rtf1\\ansi {\\uc7 mail\\u64 ?}example.com}'],
    ['without a substitute', '{\\rtf1\\ansi\\uc0 mail\\u64 example.com}'],
    ['with binary data as the substitute', '{\\rtf1\\ansi mail\\u64\\bin3 }{\\example.com}'],
    ['for older readers', '{\\rtf1\\ansi mail\\u32 @example.com}'],
    ['for older readers that a group ends', '{\\rtf1\\ansi\\uc40 {\\u32 mail}@{\\u32 example.com}}'],
  ])('is read as a reader shows it: %s', async (_, rtf) => {
    expect(textOf(await readDocument(Buffer.from(rtf)))).toContain(SECRET);
  });
});

describe('the characters of RTF', () => {
  it('are separated into paragraphs by an escaped line end, and do not include control words without a text', () => {
    expect(rtfTexts('{\\rtf1 one\\\ntwo\\\r\nthree\\constructor  four}').shown).toBe('one\ntwo\nthree four');
  });

  it('are read in their order, whatever the substitutes and groups are', () => {
    const character = fc.tuple(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      fc.nat({ max: 3 }),
      fc.boolean(),
    );
    fc.assert(
      fc.property(fc.array(character), (characters) => {
        const written = characters.map(([text, length, isGroup]) => {
          const units = Array.from(
            { length: text.length },
            (_, at) => `\\u${text.charCodeAt(at)} ${'?'.repeat(length)}`,
          );
          return isGroup ? `{\\uc${length}${units.join('')}}` : `\\uc${length}${units.join('')}\n`;
        });
        const { shown } = rtfTexts(`{\\rtf1\\ansi ${written.join('')}}`);
        expect(shown).toBe(characters.map(([text]) => text).join(''));
      }),
    );
  });
});

describe('a text in an archive that begins like a font or an image', () => {
  const noise = Buffer.from(Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? 1 : 0x9d)));
  const bitmapHead = (bytes: number): Buffer => {
    const head = Buffer.alloc(54);
    head.write('BM', 'latin1');
    head.writeUInt32LE(bytes, 2);
    head.writeUInt32LE(54, 10);
    head.writeUInt32LE(40, 14);
    return head;
  };
  /** One directory with one entry. */
  const TIFF_HEAD = Buffer.concat([Buffer.from('II*\0\x08\0\0\0\x01\0\0\x01\x03\0', 'latin1'), Buffer.alloc(50)]);

  it.each([
    ['BM', '\x28\x2c\x34'],
    ['BM', '\x20\x24\x2c'],
    ['II', '\x34\x2c\x28'],
  ])('is not text if it consists of the pixels of one dark colour: %s %j', async (magic, pixel) => {
    const head = magic === 'BM' ? bitmapHead(54 + 900 + noise.length) : TIFF_HEAD;
    const { texts, unread } = await readDocument(
      zipOf({ a: Buffer.concat([head, Buffer.from(pixel.repeat(300), 'latin1'), noise]) }),
    );
    expect(unread).toEqual([]);
    expect(texts.map(({ text }) => text)).toEqual(['a']);
  });

  it.each(['OTTO', 'BM\0\0\0\0\0\0\0\0', 'true', '\0\x01\0\0', 'wOFF', 'GIF89a', 'ID3'])(
    'is read, and counts as unread: %j',
    async (magic) => {
      const words = `${magic} ${'written to whom '.repeat(40)}${SECRET} `;
      const reading = await readDocument(zipOf({ a: Buffer.concat([Buffer.from(words, 'latin1'), noise]) }));
      expect(textOf(reading)).toContain(SECRET);
      expect(reading.media).toHaveLength(1);
      expect(reading.unread).toEqual([expect.objectContaining({ place: 'file 1', why: 'malformed' })]);
    },
  );

  it.each<[string, string, number, string]>([
    ['in UTF-8 after a font', 'OTTO\xff', 0, 'malformed'],
    ['in UTF-8 after an image', '\xff\xd8\xff', 0, 'malformed'],
    ['in UTF-8 between other bytes', 'OTTO\xff', 200, 'binary'],
    ['in UTF-8 between other bytes after an image', '\x89PNG\r\n\x1a\n', 200, 'binary'],
  ])('is read, and counts as unread, with few letters of ASCII: %s', async (_, magic, others, why) => {
    const words = Buffer.from(`${'机密文件编号'.repeat(20)}${SECRET}`);
    const text = Buffer.concat([Buffer.from(magic, 'latin1'), words, Buffer.alloc(others, 0xff)]);
    const reading = await readDocument(zipOf({ 'notes.txt': text }));
    expect(textOf(reading)).toContain(SECRET);
    expect(reading.unread).toEqual([expect.objectContaining({ place: 'file 1', why })]);
  });
});
