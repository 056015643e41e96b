import { gzipSync } from 'node:zlib';
import { docxOf, pdfOf, pptxOf, xlsxOf, zipEntry, zipOf } from '../../test/support/documents.js';
import { readDocument } from './read-document.js';
import type { DocumentReading } from './reading.js';

const SECRET = 'mail@example.com';

function placesOf({ texts }: DocumentReading, text = SECRET): string[] {
  return texts.filter((each) => each.text.includes(text)).map(({ place }) => place);
}

describe('readDocument', () => {
  it.each<[string, Buffer, string]>([
    ['a page of a PDF file', pdfOf({ pages: [['first'], ['write to', SECRET]], packed: true }), 'page 2'],
    [
      'a text outside of its page',
      pdfOf({ pages: [[...Array.from({ length: 60 }, () => 'x'), SECRET]], packed: true }),
      'page 1 > as drawn',
    ],
    ['a PDF file in ASCII', pdfOf({ pages: [[`write to ${SECRET}`]] }), 'page 1'],
    ['the properties of a PDF file', pdfOf({ pages: [['x']], title: `for ${SECRET}`, packed: true }), 'properties'],
    ['a note in a PDF file', pdfOf({ pages: [['x']], note: SECRET, packed: true }), 'page 1 > notes and fields'],
    ['a field of a PDF form', pdfOf({ pages: [['x']], field: SECRET }), 'page 1 > notes and fields'],
    [
      'a file attached to a PDF file',
      pdfOf({ pages: [['x']], attachment: { name: 'a.txt', content: Buffer.from(`to ${SECRET}`) } }),
      'attachment 1',
    ],
    ['a paragraph in several runs', docxOf({ paragraphs: [['write to mail@', 'example', '.com now']] }), 'document'],
    ['a comment on a text', docxOf({ comment: SECRET }), 'comments'],
    ['a header', docxOf({ header: SECRET }), 'header 1'],
    ['a footnote', docxOf({ footnote: SECRET }), 'footnotes'],
    ['hidden text', docxOf({ hidden: SECRET }), 'document'],
    ['an alternative text of a picture', docxOf({ alternative: `letter to ${SECRET}` }), 'document > attributes'],
    ['the title of a text', docxOf({ title: SECRET }), 'properties'],
    ['a cell', xlsxOf([{ rows: [['a', SECRET]] }]), 'sheet 1'],
    ['a cell of a hidden sheet', xlsxOf([{ rows: [['a']] }, { rows: [[SECRET]], hidden: true }]), 'sheet 2'],
    ['a string that no cell shows', xlsxOf([{ rows: [['a']] }], [SECRET]), 'cells that no sheet shows'],
    ['a slide', pptxOf([{ text: 'x' }, { text: SECRET }]), 'slide 2'],
    ['notes to a slide', pptxOf([{ text: 'x', notes: SECRET }]), 'slide 1 notes'],
    ['a file in an archive', zipOf({ 'a.txt': `to ${SECRET}` }), 'file 1'],
    ['a document in an archive', zipOf({ 'a.docx': docxOf({ header: SECRET }) }), 'file 1 > header 1'],
    ['the comment of an archive', zipOf({ a: 'x' }, { comment: SECRET }), 'comments'],
    [
      'an archive after many blanks',
      Buffer.concat([Buffer.from(' '.repeat(200_000)), docxOf({ comment: SECRET })]),
      'comments',
    ],
    ['the name of a file in an archive', zipOf({ [`${SECRET}.txt`]: 'x' }), 'names of files'],
    ['a packed text', gzipSync(`to ${SECRET} and others`), 'unpacked'],
    ['HTML in pieces', Buffer.from('<p>write to <b>mail</b>&#64;example<i>.com</i></p>'), 'as shown'],
    ['a comment in HTML', Buffer.from(`<p>a</p><!-- ${SECRET} -->`), 'comments'],
    [
      'the page of a frame',
      Buffer.from('<iframe srcdoc="&lt;p&gt;write to mail&lt;b&gt;@&lt;/b&gt;example.com&lt;/p&gt;"></iframe>'),
      'attributes',
    ],
    ['an attribute in HTML', Buffer.from('<img alt="to mail&#x40;example.com">'), 'attributes'],
    ['RTF in escapes', Buffer.from("{\\rtf1\\ansi write to mail\\'40example.com}"), 'as shown'],
    ['RTF in Unicode', Buffer.from('{\\rtf1\\ansi write to mail\\u64 ?example.com}'), 'as shown'],
    [
      'a part that a comment calls shared strings',
      zipOf({ 'a.xml': `<?xml version="1.0"?><!-- <sst --><w><t>${SECRET}</t></w>` }),
      'file 1',
    ],
    [
      'a part that a comment calls a sheet',
      zipOf({ 'a.xml': `<!-- <worksheet --><w><c t="s"/><v>${SECRET}</v></w>` }),
      'file 1',
    ],
    [
      'shared strings in a second part',
      zipOf({ 'a.xml': '<sst><si><t>x</t></si></sst>', 'b.xml': `<sst><si><t>${SECRET}</t></si></sst>` }),
      'file 2',
    ],
    [
      'a cell that refers to no string',
      zipOf({ 'a.xml': `<worksheet><c t="s"><v>${SECRET}</v></c></worksheet>` }),
      'file 1',
    ],
    ['a text that begins like a font', zipOf({ 'a.txt': `true,${SECRET}` }), 'file 1'],
    ['a text that begins like a recording', gzipSync(`ID3 to ${SECRET}`), 'unpacked'],
    ['a text with the name of a font', zipOf({ 'word/fonts/a.odttf': `to ${SECRET}` }), 'file 1'],
    [
      'ODF',
      zipOf({
        mimetype: 'application/vnd.oasis.opendocument.text',
        'content.xml':
          '<?xml version="1.0"?><office:d><text:p>mail@<text:span>example.com</text:span></text:p></office:d>',
      }),
      'document',
    ],
  ])('finds the texts: %s', async (_, bytes, place) => {
    const reading = await readDocument(bytes);
    expect(placesOf(reading)).toContain(place);
    expect(reading.unread).toEqual([]);
  });

  it('separates cells of a row, and writes numbers in full', async () => {
    const { texts } = await readDocument(xlsxOf([{ rows: [['a', 4111111111111111, 'b']] }]));
    expect(texts.find(({ place }) => place === 'sheet 1')?.text).toContain('a\t4111111111111111\tb');
  });

  it.each<[string, boolean]>([
    ['with compressed pages', true],
    ['in ASCII', false],
  ])('reads a PDF file without its header, or with one that comes late: %s', async (_, packed) => {
    const pdf = pdfOf({ pages: [['x'], [SECRET]], packed });
    const words = Buffer.from('some words '.repeat(200));
    for (const bytes of [pdf.subarray(pdf.indexOf('1 0 obj')), Buffer.concat([words, pdf])]) {
      const reading = await readDocument(bytes);
      expect(reading.formats).toEqual(['pdf']);
      expect(placesOf(reading)).toContain('page 2');
    }
  });

  it.each<[string, string, string[]]>([
    ['before the header', `9 0 obj\n(x)\nendobj\n%PDF-1.7\n`, ['malformed']],
    ['at the first byte of a file without header', '', ['malformed']],
    ['before the header, but only in words', '9 0 objections\n%PDF-1.7\n', []],
    ['only after the header', '%PDF-1.7\n', []],
  ])('reads the objects of a PDF file that begin %s', async (_, beginning, why) => {
    // The first object is the font of the page.
    const rest = pdfOf({ pages: [[SECRET]], packed: true }).subarray('%PDF-1.7\n'.length);
    const reading = await readDocument(Buffer.concat([Buffer.from(beginning), rest]));
    expect(placesOf(reading)).toContain('page 1');
    expect(reading.unread.map((one) => one.why)).toEqual(why);
  });

  it('finds nothing unread in a text file that starts like a PDF file', async () => {
    const reading = await readDocument(Buffer.from(`%PDF-1.4 ${SECRET}`));
    expect(reading.unread).toEqual([]);
  });

  it('reads a file that is both a PDF file and an archive as both', async () => {
    const pdf = pdfOf({ pages: [['one@example.com']], packed: true });
    const both = Buffer.concat([pdf, zipOf({ 'a.txt': 'two@example.com' })]);
    const reading = await readDocument(both);
    expect(placesOf(reading, 'one@example.com')).toEqual(['page 1']);
    expect(placesOf(reading, 'two@example.com').length + reading.unread.length).toBeGreaterThan(0);
  });

  it('reports images in documents as media', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const { media, unread } = await readDocument(zipOf({ 'word/media/image1.png': png }));
    expect(media).toEqual([{ place: 'file 1', type: 'image/png', bytes: png.length }]);
    expect(unread).toEqual([]);
  });
});

describe('unreadable content of a document', () => {
  const binary = Buffer.from(Array.from({ length: 256 }, (_, at) => (at * 73) % 256));
  const bomb = zipOf({ 'a.txt': Buffer.alloc(64 * 1024 * 1024, 0x61) });
  const encrypted = (): Buffer => {
    const { local, entry } = zipEntry('a.txt', Buffer.from('text'), 0, false, 0x801);
    const end = Buffer.from(`PK\x05\x06\0\0\0\0\x01\0\x01${'\0'.repeat(11)}`, 'latin1');
    end.writeUInt32LE(entry.length, 12);
    end.writeUInt32LE(local.length, 16);
    return Buffer.concat([local, entry, end]);
  };
  const hidden = (): Buffer => {
    const { local } = zipEntry('b.txt', Buffer.from(SECRET), 0);
    return Buffer.concat([local, zipOf({ 'a.txt': 'x' })]);
  };

  const twoDirectories = (): Buffer => {
    const inner = zipEntry('b.txt', Buffer.from('two@example.com'), 0, true);
    const { local, entry } = zipEntry('a.txt', Buffer.concat([Buffer.from('words '), inner.local]), 0, true);
    const end = Buffer.from(`PK\x05\x06\0\0\0\0\x01\0\x01${'\0'.repeat(11)}`, 'latin1');
    end.writeUInt32LE(inner.entry.length, 12);
    end.writeUInt32LE(local.length, 16);
    return Buffer.concat([local, entry, inner.entry, end]);
  };

  it.each<[string, Buffer, string]>([
    ['bytes of no known format', binary, 'binary'],
    ['an archive with a second directory before its end record', twoDirectories(), 'malformed'],
    ['bytes of no known format in an archive', zipOf({ 'a.bin': binary }), 'binary'],
    ['an archive with a password', encrypted(), 'encrypted'],
    ['an archive that holds far more than its size', bomb, 'limit'],
    ['an archive with files that its directory does not list', hidden(), 'malformed'],
    [
      'archives in archives in archives',
      [1, 2, 3, 4, 5].reduce((inner) => zipOf({ a: inner }), zipOf({ a: 'x' })),
      'limit',
    ],
    ['an old Office file', Buffer.from('d0cf11e0a1b11ae1'.padEnd(1024, '0'), 'hex'), 'document'],
    [
      'an Office file with a password',
      Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from('EncryptedPackage', 'utf16le')]),
      'encrypted',
    ],
    ['half an archive', zipOf({ 'a.txt': 'text'.repeat(100) }, { stored: true }).subarray(0, 200), 'malformed'],
    [
      'a PDF file in ASCII that cannot be opened',
      Buffer.from('%PDF-1.4\n1 0 obj\n<< /Length 5 >>\nstream\nabcde\nendstream\nendobj\n%%EOF\n'),
      'malformed',
    ],
    ['half a PDF file', Buffer.concat([pdfOf({ pages: [['x']], packed: true }).subarray(0, 40), binary]), 'malformed'],
    [
      'unknown bytes before an empty archive',
      Buffer.concat([binary, Buffer.from(`PK\x05\x06${'\0'.repeat(18)}`)]),
      'archive',
    ],
    [
      'XML that declares its own entities',
      Buffer.from('<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'),
      'malformed',
    ],
  ])('is reported: %s', async (_, bytes, why) => {
    const reading = await readDocument(bytes);
    expect(reading.unread.map((each) => each.why)).toContain(why);
  });

  it('is reported if there are more pages than the limit, and the pages within the limit are read', async () => {
    const reading = await readDocument(pdfOf({ pages: [['one'], ['two'], ['three']], packed: true }), { pages: 2 });
    expect(placesOf(reading, 'two')).toEqual(['page 2']);
    expect(reading.unread).toEqual([expect.objectContaining({ why: 'limit' })]);
  });

  it('is reported if there is more text than the limit', async () => {
    const { unread } = await readDocument(docxOf({ paragraphs: [['x'.repeat(1_000)]] }), { textChars: 500 });
    expect(unread).toEqual([expect.objectContaining({ why: 'limit' })]);
  });

  it('is still searched for readable pieces', async () => {
    const old = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), binary, Buffer.from(SECRET, 'utf16le'), binary]);
    expect(placesOf(await readDocument(old))).toEqual(['readable pieces']);
  });
});
