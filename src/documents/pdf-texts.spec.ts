import fc from 'fast-check';
import { deflateSync } from 'node:zlib';
import { pdfDrawing, pdfStream, type PdfBeside } from '../../test/support/documents.js';
import { pdfReplacements } from './formats/pdf-replacements.js';
import { readDocument } from './read-document.js';

const SECRET = 'mail@example.com';
const SPAN = `/Span << /ActualText (${SECRET}) >> BDC BT /F1 12 Tf 40 700 Td (x) Tj ET EMC`;
const wide = Buffer.from(`\ufeff${SECRET}`, 'utf16le').swap16().toString('hex');
const hex = (text: string): string => Buffer.from(text).toString('hex');
/** A form that a page can draw. */
const formOf = (content: Buffer, about: string): Buffer =>
  pdfStream(content, `/Type /XObject /Subtype /Form /BBox [0 0 9 9] ${about}`);
const drawing = (form: Buffer): Buffer =>
  pdfDrawing('/X1 Do', { objects: [form], resources: '/XObject << /X1 1 0 R >>' });

/** LZW with a clear code before every hundred bytes, so that all codes have nine bits. */
function lzw(text: string): Buffer {
  const codes = [...Buffer.from(text)].flatMap((byte, at) => (at % 100 === 0 ? [256, byte] : [byte]));
  const bits = [...codes, 257].map((code) => code.toString(2).padStart(9, '0')).join('');
  return Buffer.from((bits.match(/.{1,8}/g) ?? []).map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2)));
}

function ascii85(bytes: Buffer): Buffer {
  const groups = Array.from({ length: Math.ceil(bytes.length / 4) }, (_, at) => bytes.subarray(at * 4, at * 4 + 4));
  const written = groups.map((group) => {
    let value = Buffer.concat([group, Buffer.alloc(4)]).readUInt32BE(0);
    const digits = Array.from({ length: 5 }, () => {
      const digit = value % 85;
      value = Math.floor(value / 85);
      return String.fromCharCode(33 + digit);
    });
    return digits
      .reverse()
      .join('')
      .slice(0, group.length + 1);
  });
  return Buffer.from(`${written.join('')}~>`);
}

/** Rows of eight bytes as PNG predicts them: each byte is its difference to the byte before it. */
function predicted(text: string): Buffer {
  const bytes = Buffer.from(text.padEnd(Math.ceil(text.length / 8) * 8));
  const rows = Array.from({ length: bytes.length / 8 }, (_, row) =>
    Buffer.from([
      1,
      ...Array.from({ length: 8 }, (_, at) => bytes[row * 8 + at]! - (at === 0 ? 0 : bytes[row * 8 + at - 1]!)),
    ]),
  );
  return Buffer.concat(rows);
}

const object = (...objects: readonly (string | Buffer)[]): Buffer => pdfDrawing('', { objects });
const page = (beside: PdfBeside): Buffer => pdfDrawing('', beside);
const file = (text: string): Buffer => pdfStream(Buffer.from(text), '/Type /EmbeddedFile');

describe('a text that replaces or describes drawn content of a PDF file', () => {
  it.each<[string, Buffer]>([
    ['in a marked content', pdfDrawing(SPAN)],
    ['in UTF-16', pdfDrawing(`/Span << /ActualText <${wide}> >> BDC EMC`)],
    ['in UTF-16 with a mark of its language', pdfDrawing(`/Span << /ActualText <feff001b0065006e001b${wide.slice(4)}> >> BDC EMC`)],
    ['in hexadecimal digits with white space', pdfDrawing(`/Span << /ActualText <${hex(SECRET).replace(/../g, '$& ')}> >> BDC EMC`)],
    ['in UTF-8', pdfDrawing(`/Span << /ActualText <efbbbf${hex(SECRET)}> >> BDC EMC`)],
    ['with escapes', pdfDrawing('/Span << /ActualText (mail\\100exam\\\nple.com) >> BDC EMC')],
    ['under a name with escapes', pdfDrawing(`/Span << /#41ctualTex#74 (${SECRET}) >> BDC EMC`)],
    ['after a comment', pdfDrawing(`/Span << /ActualText % (x)\n (${SECRET}) >> BDC EMC`)],
    ['beside a drawn part', pdfDrawing(`BT /F1 12 Tf 40 700 Td (mail@) Tj ET /Span << /ActualText (example) >> BDC BT (x) Tj ET EMC BT /F1 12 Tf 90 700 Td [(.c) 20 (om)] TJ ET`)],
    ['letter by letter', pdfDrawing([...SECRET].map((letter) => `/Span << /ActualText (${letter}) >> BDC EMC`).join('\n'))],
    ['as an abbreviation written in full', pdfDrawing(`/Span << /E (${SECRET}) >> BDC EMC`)],
    ['in the resources of the page', pdfDrawing('/Span /P1 BDC EMC', { objects: [`<< /ActualText (${SECRET}) >>`], resources: '/Properties << /P1 1 0 R >>' })],
    ['as an object of its own', object('<< /ActualText 2 0 R >>', `(${SECRET})`)],
    ['in an element of the structure beside an alternative text', object(`<< /Type /StructElem /S /Figure /Alt (x) /ActualText (${SECRET}) >>`)],
    ['in an element of no page', object(`<< /Type /StructElem /S /Figure /Alt (${SECRET}) >>`)],
    ['in a stream of objects', object(pdfStream(deflateSync(`9 0 << /ActualText (${SECRET}) >>`), '/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode'))],
    ['as an object in a stream of objects', object('<< /Alt 9 0 R >>', pdfStream(deflateSync(`8 0 9 3 12 (${SECRET})`), '/Type /ObjStm /N 2 /First 8 /Filter [/FlateDecode]'))],
    ['in a form in LZW', drawing(formOf(lzw(SPAN), '/Filter /LZWDecode'))],
    ['in a form in ASCII and zlib', drawing(formOf(ascii85(deflateSync(SPAN)), '/Filter [ /ASCII85Decode /Fl#61teDecode ]'))],
    ['in a form in hexadecimal digits', drawing(formOf(Buffer.from(`${hex(SPAN)}>`), '/Filter /ASCIIHexDecode'))],
    ['in a form of runs', drawing(formOf(Buffer.concat([Buffer.of(SPAN.length - 1), Buffer.from(SPAN), Buffer.of(128)]), '/Filter /RunLengthDecode'))],
    ['in a form whose filter is an object', pdfDrawing('/X1 Do', { objects: [formOf(deflateSync(SPAN), '/Filter 2 0 R'), '/FlateDecode'], resources: '/XObject << /X1 1 0 R >>' })],
    ['in a form with predicted bytes', drawing(formOf(deflateSync(predicted(SPAN)), '/Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 8 >>'))],
    ['in a form that calls itself a picture', drawing(formOf(deflateSync(`${SPAN}${' %x\n'.repeat(40_000)}`), '/Filter /FlateDecode /Subtype /Image'))],
    ['in a form that contains the end of a stream', drawing(formOf(deflateSync(`% endstream\n${SPAN}`, { level: 0 }), '/Filter /FlateDecode'))],
    ['in a hidden note', page({ objects: [`<< /Type /Annot /Subtype /Text /F 2 /Rect [0 0 9 9] /Contents (${SECRET}) >>`], page: '/Annots [1 0 R]' })],
    ['in the subject of a note', page({ objects: [`<< /Type /Annot /Subtype /Text /Rect [0 0 9 9] /Subj (${SECRET}) >>`], page: '/Annots [1 0 R]' })],
    ['in the data of a form in XML', object(pdfStream(deflateSync(`<xfa:datasets xmlns:xfa="http://www.xfa.org/schema/xfa-data/1.0/"><a>mail&#64;example.com</a></xfa:datasets>`), '/Filter /FlateDecode'))],
    ['in the metadata in entities and around a comment', page({ objects: [pdfStream(deflateSync('<x:xmpmeta xmlns:x="adobe:ns:meta/"><a>mail&#64;exam<!-- x -->ple.com</a></x:xmpmeta>'), '/Type /Metadata /Subtype /XML /Filter /FlateDecode')], catalog: '/Metadata 1 0 R' })],
    ['in an associated file', page({ objects: [file(SECRET), '<< /Type /Filespec /F (a.txt) /EF << /F 1 0 R >> >>'], catalog: '/AF [2 0 R]' })],
    ['in an associated file without a type', page({ objects: [pdfStream(deflateSync(SECRET), '/Filter /FlateDecode'), '<< /F (a.txt) /EF << /UF 1 0 R >> >>'], catalog: '/AF [2 0 R]' })],
    ['in a page that calls itself a picture', object(pdfStream(Buffer.from(`${hex(SPAN.padEnd(3_000))}>`), '/Subtype /Image /Filter /ASCIIHexDecode'), '<< /Contents [1 0 R] >>')],
    ['in a stream of objects without a type', object(pdfStream(deflateSync(`8 0 9 3 12 (${SECRET})`), '/N 2 /First 8 /Filter /FlateDecode'), '<< /Alt 9 0 R >>')],
    ['in a stream without a filter', object(pdfStream(Buffer.from(SPAN), '/Filter null'))],
    ['in a stream with a filter that does nothing', object(pdfStream(Buffer.from(SPAN), '/Filter [/Crypt] /DecodeParms [<< /Name /Identity >>]'))],
    ['in an object whose number is not apart', object(`()\nendobj\n77 0obj\n(${SECRET})`, '<< /Alt 77 0 R >>')],
    ['in an associated file whose list is replaced', page({ objects: [pdfStream(deflateSync(SECRET), '/Filter /FlateDecode'), '<< /EF 3 0 R >>', '<< >>\nendobj\n3 0 obj\n<< /F 1 0 R >>'] })],
  ])('is found: %s', async (_, bytes) => {
    const { texts, unread } = await readDocument(bytes);
    expect(texts.map(({ text }) => text).join('\n\n')).toContain(SECRET);
    expect(unread).toEqual([]);
  }); // prettier-ignore

  it('is not reported twice, and neither is a file that is attached by its name', async () => {
    const objects = [file(SECRET), '<< /Type /Filespec /F (a.txt) /EF << /F 1 0 R >> >>'];
    const names = '/Names << /EmbeddedFiles << /Names [(a.txt) 2 0 R] >> >>';
    const { texts } = await readDocument(page({ objects, catalog: names }));
    expect(texts.filter(({ text }) => text.includes(SECRET))).toEqual([{ place: 'attachment 1', text: SECRET }]);
  });

  it.each<[string, Buffer, string]>([
    ['with a filter that is not known', object(pdfStream(Buffer.from('x'), '/Filter /Crypt')), 'malformed'],
    ['with a damaged stream', object(pdfStream(Buffer.of(0x78, 0x9c, 7, 7, 7, 7, 7, 7), '/Filter /FlateDecode')), 'malformed'],
    ['with a filter that no object names', object(pdfStream(deflateSync(SPAN), '/Filter 77 0 R')), 'malformed'],
    ['in lists in lists in lists', object('['.repeat(200) + ']'.repeat(200)), 'malformed'],
    ['with more filters than a reader uses', object(pdfStream(Array.from({ length: 17 }).reduce<Buffer>((inner) => deflateSync(inner), Buffer.from(SPAN)), `/Filter [${'/FlateDecode'.repeat(17)}]`)), 'malformed'],
    ['with strings that are searched for their end again and again', object(`${'/Alt %'.repeat(500)}\n<${'a'.repeat(200_000)}`), 'limit'],
    ['with references that are searched for again and again', object(`${'/Alt 1 %'.repeat(500)}${'a'.repeat(200_000)}\n`), 'limit'],
    ['that unpacks far beyond its size', object(pdfStream(deflateSync(Buffer.alloc(64 * 1024 * 1024, 0x20)), '/Filter /FlateDecode')), 'limit'],
  ])('is reported as unread in a part: %s', async (_, bytes, why) => {
    const { unread } = await readDocument(bytes);
    expect(unread).toEqual([expect.objectContaining({ place: 'replacement texts', why })]);
  }); // prettier-ignore

  it.each<[string, string, PdfBeside]>([
    ['in a font that is not in the resources', '/F9 12 Tf', {}],
    ['in a font without a type', '/F2 12 Tf', { objects: ['<< /Type /Font >>'], page: '/Resources << /Font << /F2 1 0 R >> >>' }],
    ['in a missing font of a graphics state', '/G1 gs', { resources: '/ExtGState << /G1 << /Font [99 0 R 12] >> >>' }],
  ])('is reported as unread if it is drawn %s', async (_, font, beside) => {
    const known = 'BT /F1 12 Tf 40 700 Td (hello) Tj ET';
    const { unread } = await readDocument(pdfDrawing(`${known} BT ${font} 40 600 Td (${SECRET}) Tj ET`, beside));
    expect(unread).toEqual([expect.objectContaining({ place: 'page 1', why: 'malformed' })]);
    expect((await readDocument(pdfDrawing(`${known} BT ${font} ET`, beside))).unread).toEqual([]);
  }); // prettier-ignore

  it('is searched for without an error in files of random content', () => {
    const words = ['1 0 obj', '<<', '>>', '[', ']', '(', ')', '<', '>', '/Alt', '/Filter', '/FlateDecode', '/Length', '%', '\\'];
    const others = ['\n', ' ', '1', '0', 'R', 'stream\n', 'endstream', 'trailer', '/Encrypt', '/Type', '/ObjStm', '/First', '/EF'];
    const word = fc.oneof(fc.constantFrom(...words, ...others), fc.string());
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60 }), fc.boolean(), (parts, isEncrypted) => {
        expect(pdfReplacements(Buffer.from(parts.join('')), 1_000_000, isEncrypted)).toHaveProperty('texts');
      }),
    );
  }); // prettier-ignore

  it('is found whatever its length, with each filter', () => {
    fc.assert(
      fc.property(fc.nat({ max: 3_000 }), fc.nat({ max: 2 }), (length, kind) => {
        const drawn = `${'%x\n'.repeat(length)}${SPAN}`;
        const filters = [
          formOf(lzw(drawn), '/Filter /LZWDecode'),
          formOf(ascii85(Buffer.from(drawn)), '/Filter /ASCII85Decode'),
          formOf(deflateSync(predicted(drawn)), '/Filter /FlateDecode /DecodeParms << /Predictor 15 /Columns 8 >>'),
        ];
        const { texts } = pdfReplacements(object(filters[kind]!), 1_000_000, false);
        expect(texts).toContain(SECRET);
      }),
      { numRuns: 30 },
    );
  });

  it('is not reported as unread because of images, empty pages, or words that look like parts of the format', async () => {
    const picture = pdfStream(deflateSync(Buffer.alloc(9_000, 0xf0)), '/Subtype /Image /Width 9 /Height 9 /Filter /FlateDecode');
    const photo = pdfStream(Buffer.from([0xff, 0xd8, 0xff]), '/Subtype /Image /Width 9 /Height 9 /Filter /DCTDecode');
    const small = pdfStream(Buffer.alloc(30, 0x41), '/Subtype /Image /Filter /LZWDecode /DecodeParms << /EarlyChange 0 >>');
    const empty = pdfStream(Buffer.alloc(0), '/Filter /FlateDecode');
    const cut = pdfStream(deflateSync('% without a checksum').subarray(0, -4), '/Filter /FlateDecode');
    const words = '(a stream of words in /FlateDecode and /Alt)';
    const { unread } = await readDocument(object(picture, photo, small, words.repeat(100), empty, cut));
    expect(unread).toEqual([]);
  }); // prettier-ignore
});
