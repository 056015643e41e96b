import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { pdfDrawing, sheetOf, wordOf, zipOf } from '../../test/support/documents.js';
import { readDocument } from './read-document.js';

const SECRET = 'mail@example.com';
const [FIRST, SECOND] = [SECRET.slice(0, 7), SECRET.slice(7)];
const letters = [...SECRET];

function gzipWith(field: 'name' | 'comment' | 'extra'): Buffer {
  const plain = gzipSync('x');
  const text = Buffer.from(SECRET);
  const head = Buffer.from(plain.subarray(0, 10));
  head[3] = { extra: 4, name: 8, comment: 16 }[field];
  const written = field === 'extra' ? Buffer.concat([Buffer.of(text.length, 0), text]) : Buffer.from(`${SECRET}\0`);
  return Buffer.concat([head, written, plain.subarray(10)]);
}

/** Runs of a Word document with the halves of the secret around something. */
function around(between: string): string {
  return `<w:r><w:t>${FIRST}</w:t></w:r>${between}<w:r><w:t>${SECOND}</w:t></w:r>`;
}

function skippedFrame(text: string): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(0x184d2a53, 0);
  head.writeUInt32LE(text.length, 4);
  return Buffer.concat([head, Buffer.from(text)]);
}

function mailOf(coding: string, content: string): Buffer {
  const head = 'From: a\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b=1"\r\n\r\n--b=1\r\n';
  return Buffer.from(`${head}Content-Transfer-Encoding: ${coding}\r\n\r\n${content}\r\n--b=1--\r\n`);
}

const quoted = letters.map((letter) => `=${letter.charCodeAt(0).toString(16).toUpperCase()}`).join('');
const inLines = (bytes: Buffer): string => bytes.toString('base64').replace(/.{76}/g, '$&\r\n');
const drawn = (x: (at: number) => number, y: (at: number) => number): string =>
  letters.map((letter, at) => `BT /F1 12 Tf ${x(at)} ${y(at)} Td (${letter}) Tj ET`).join('\n');

describe('a text in pieces or outside the visible content', () => {
  it.each<[string, Buffer]>([
    ['the name in the head of a gzip file', gzipWith('name')],
    ['the comment in the head of a gzip file', gzipWith('comment')],
    ['a further field in the head of a gzip file', gzipWith('extra')],
    ['the name of the second member of a gzip file', Buffer.concat([gzipSync('x'), gzipWith('name')])],
    ['bytes after a gzip file', Buffer.concat([gzipSync('x'), Buffer.from(SECRET)])],
    ['a zlib stream', deflateSync(SECRET)],
    ['a deflate stream without a head', deflateRawSync(`to ${SECRET}`)],
    ['a brotli stream', brotliCompressSync(`${'to whom '.repeat(20)}${SECRET}`)],
    ['a zstd frame', zstdCompressSync(`${'to whom '.repeat(20)}${SECRET}`)],
    ['a second zstd frame', Buffer.concat([zstdCompressSync('x'), zstdCompressSync(`to ${SECRET}`)])],
    ['a frame that zstd skips', Buffer.concat([skippedFrame(`to ${SECRET}`), zstdCompressSync('x')])],
    ['a zlib stream in an archive', zipOf({ a: deflateSync(SECRET) })],
    ['a mail in quoted-printable', mailOf('quoted-printable', quoted)],
    ['a mail in quoted-printable over two lines', mailOf('quoted-printable', `${FIRST}=\r\n${SECOND}`)],
    ['a mail in base64', mailOf('base64', inLines(Buffer.from(`${'to whom '.repeat(20)}${SECRET}`)))],
    ['an archive in a mail', mailOf('base64', inLines(zipOf({ 'a.txt': `to ${SECRET}` })))],
    ['an encoded header of a mail', Buffer.from(`Subject: =?utf-8?Q?${quoted.slice(0, 18)}?=\r\n =?utf-8?Q?${quoted.slice(18)}?=\r\n\r\nx`)],
    ['a field of characters of a font', wordOf(letters.map((letter) => `<w:r><w:sym w:font="S" w:char="F0${letter.charCodeAt(0).toString(16)}"/></w:r>`).join(''))],
    ['runs that are indented', wordOf(`<w:r>\n <w:t>${FIRST}</w:t>\n</w:r>\n<w:proofErr/> <w:r>\n<w:t>${SECOND}</w:t></w:r>`)],
    ['runs around deleted runs', wordOf(`<w:r><w:t>${FIRST}</w:t></w:r><w:del><w:r><w:delText>x</w:delText></w:r></w:del><w:r><w:t>${SECOND}</w:t></w:r>`)],
    ['runs around hidden runs', wordOf(`<w:r><w:t>${FIRST}</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>x</w:t></w:r><w:r><w:t>${SECOND}</w:t></w:r>`)],
    ['runs around the code of a field', wordOf(`<w:r><w:t>${FIRST}</w:t></w:r><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:t>${SECOND}</w:t></w:r>`)],
    ['runs around inserted runs', wordOf(around('<w:ins><w:r><w:t>x</w:t></w:r></w:ins>'))],
    ['runs around deleted runs with ordinary text', wordOf(around('<w:del><w:r><w:t>x</w:t></w:r></w:del>'))],
    ['runs around moved runs', wordOf(around('<w:moveFrom><w:r><w:t>x</w:t></w:r></w:moveFrom>'))],
    ['runs around a text box', wordOf(around('<w:r><w:pict><w:txbxContent><w:p><w:r><w:t>x</w:t></w:r></w:p></w:txbxContent></w:pict></w:r>'))],
    ['runs around deleted runs, of which one is not hidden', wordOf(around('<w:del><w:r><w:delText>x</w:delText></w:r></w:del>').replaceAll('<w:t>', '<w:rPr><w:vanish w:val="0"/></w:rPr><w:t>'))],
    ['a paragraph of ODF around an annotation', zipOf({ mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': `<?xml version="1.0"?><office:d><text:p>${FIRST}<office:annotation><text:p>x</text:p></office:annotation>${SECOND}</text:p></office:d>` })],
    ['RTF around a group of an unknown kind', Buffer.from(`{\\rtf1 ${FIRST}{\\*\\x junk}${SECOND}}`)],
    ['RTF around a bookmark', Buffer.from(`{\\rtf1 ${FIRST}{\\bkmkstart junk}${SECOND}}`)],
    ['RTF around hidden text', Buffer.from(`{\\rtf1 ${FIRST}{\\v x}\\v y\\v0 ${SECOND}}`)],
    ['HTML that begins like RTF', Buffer.from(`{\\rtf1 x}<p>${FIRST}<span style="display: none">x</span>${SECOND}</p>`)],
    ['a mail with a comment in the name of its encoding', mailOf('(x (y)) Base64', inLines(Buffer.from(`${'to whom '.repeat(20)}${SECRET}`)))],
    ['a mail with the name of its encoding on the next line', mailOf('\r\n base64', inLines(Buffer.from(`${'to whom '.repeat(20)}${SECRET}`)))],
    ['a file in an attribute of HTML in entities', Buffer.from(`<p>x</p><embed src="&#100;ata:text/plain;base64,${btoa(`to ${SECRET}`)}">`)],
    ['a file in a text in an archive', zipOf({ 'a.txt': `see data:text/plain;base64,${btoa(`to ${SECRET}`)}` })],
    ['the header of a sheet between format codes', sheetOf({ after: `<headerFooter><oddHeader>&amp;L&amp;"Arial,Bold"${FIRST}&amp;I&amp;12${SECOND}</oddHeader></headerFooter>` })],
    ['strings that a formula joins', sheetOf({ cell: `<c><f>"${FIRST}" &amp; "${SECOND}"</f></c>` })],
    ['strings that a function joins', sheetOf({ cell: `<c><f>CONCAT(CHAR(109),"${SECRET.slice(1, 7)}","${SECOND}")</f></c>` })],
    ['characters of a cell by their numbers', sheetOf({ cell: `<c t="str"><v>mail_x0040_example.com</v></c>` })],
    ['the pieces of a rich text in a cell', sheetOf({ cell: '<c t="s"><v>0</v></c>', strings: `<si>\n <r><t>${FIRST}</t></r>\n <r><t>${SECOND}</t></r></si>` })],
    ['a rich text around a phonetic reading', sheetOf({ cell: '<c t="s"><v>0</v></c>', strings: `<si><r><t>${FIRST}</t></r><rPh><t>x</t></rPh><r><t>${SECOND}</t></r></si>` })],
    ['hidden pieces of HTML', Buffer.from(`<p>${FIRST}<span style="display: none">x</span>${SECOND}</p>`)],
    ['letters of a PDF file drawn one by one', pdfDrawing(drawn((at) => 40 + at * 12, () => 700))],
    ['letters of a PDF file in another order', pdfDrawing(drawn((at) => 40 + at * 12, () => 700).split('\n').reverse().join('\n'))],
    ['letters of a PDF file from top to bottom', pdfDrawing(drawn(() => 40, (at) => 760 - at * 14))],
    ['letters of a PDF file on a line that goes up and down', pdfDrawing(drawn((at) => 40 + at * 12, (at) => 700 + (at % 2) * 2))],
    ['letters of a PDF file far apart', pdfDrawing(`BT /F1 12 Tf 40 700 Td [${letters.map((letter) => `(${letter})`).join(' -400 ')}] TJ ET`)],
  ])('is found: %s', async (_, bytes) => {
    const { texts, unread } = await readDocument(bytes);
    expect(texts.map(({ text }) => text).join('\n\n')).toContain(SECRET);
    expect(unread).toEqual([]);
  }); // prettier-ignore

  it('keeps its words apart in a PDF file that draws the letters one by one', async () => {
    const word = (text: string, from: number): string =>
      [...text].map((letter, at) => `BT /F1 12 Tf ${from + at * 12} 700 Td (${letter}) Tj ET`).join('\n');
    const { texts } = await readDocument(pdfDrawing(`${word('HEADINGS', 40)}\n${word('OFPAGES', 160)}`));
    expect(texts.find(({ place }) => place.endsWith('letters joined'))?.text).toBe('HEADINGS OFPAGES');
  });

  it('is searched up to a limit in a mail, even if many headers name an encoding', async () => {
    const head = 'Content-Transfer-Encoding: base64\r\n';
    const { texts, unread } = await readDocument(Buffer.from(`${head.repeat(20_000)}\r\n${btoa(`to ${SECRET}`)}\r\n`));
    expect(texts.filter(({ text }) => text === `to ${SECRET}`)).toHaveLength(1);
    expect(unread).toEqual([]);
    const overlapping = Buffer.from(`${head}\r\n`.repeat(20_000));
    expect((await readDocument(overlapping)).unread.map(({ why }) => why)).toContain('limit');
  });

  it('is reported as malformed if it is in a compressed file with a truncated header', async () => {
    const { unread } = await readDocument(Buffer.of(0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 3));
    expect(unread.map(({ why }) => why)).toEqual(['malformed']);
  });

  it('is searched up to a limit in a compressed file', async () => {
    const bomb = deflateSync(Buffer.alloc(64 * 1024 * 1024, 0x61));
    const { texts, unread } = await readDocument(bomb);
    expect([texts, unread.map(({ why }) => why)]).toEqual([[], ['limit']]);
    const members = Buffer.concat(Array.from({ length: 200 }, () => gzipSync(Buffer.alloc(1_000_000))));
    expect((await readDocument(members)).unread.map(({ why }) => why)).toEqual(['limit']);
  }); // prettier-ignore
});
