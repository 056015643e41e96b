import { deflateSync } from 'node:zlib';
import { pdfDrawing, pdfOf, sheetOf, wordOf, zipOf } from '../../test/support/documents.js';
import { readDocument } from './read-document.js';

const SECRET = 'mail@example.com';
/** A file in base64. */
const FILE = zipOf({ 'a.txt': `to ${SECRET}` }).toString('base64');
const [FIRST, SECOND] = [FILE.slice(0, 60), FILE.slice(60)];
const URL_OF_FILE = `data:application/zip;base64,${FILE}`;
const URL_OF_TEXT = `data:text/plain;base64,${btoa(`to ${SECRET}`)}`;
const inline = (text: string): string => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
const drawn = (text: string): string => `BT /F1 1 Tf 40 700 Td (${text}) Tj ET`;

describe('a file in base64 in a document', () => {
  it.each<[string, Buffer]>([
    ['in a cell', sheetOf({ cell: inline(FILE) })],
    ['in pieces in a cell', sheetOf({ cell: inline(`${FIRST}<!-- x -->${SECOND}`) })],
    ['in a data URL in a cell', sheetOf({ cell: inline(`see ${URL_OF_TEXT} there`) })],
    ['in a shared string', sheetOf({ cell: '<c t="s"><v>0</v></c>', strings: `<si><t>${URL_OF_FILE}</t></si>` })],
    ['in a string that no cell shows', sheetOf({ strings: `<si><t>${FILE}</t></si>` })],
    ['in a comment in a sheet', sheetOf({ after: `<!-- ${URL_OF_TEXT} -->` })],
    ['in a comment in the strings', sheetOf({ strings: `<!--${FILE}-->` })],
    ['in an attribute of a sheet', sheetOf({ after: `<x note="${FILE}"/>` })],
    ['in an attribute of a text', wordOf(`<w:x w:note="${FILE}"/>`)],
    ['in a comment in a text', wordOf(`<!-- ${URL_OF_TEXT} -->`)],
    ['in the comment of an archive', zipOf({ a: 'x' }, { comment: URL_OF_TEXT })],
    ['on a page of a PDF file', pdfDrawing(drawn(FILE))],
    ['in a data URL on a page of a PDF file', pdfDrawing(drawn(URL_OF_TEXT))],
    ['in pieces on a page of a PDF file', pdfDrawing(`BT /F1 1 Tf 40 700 Td [(${FIRST}) (${SECOND})] TJ ET`)],
    ['in a note in a PDF file', pdfOf({ pages: [['x']], note: FILE })],
    ['in a field of a PDF form', pdfOf({ pages: [['x']], field: URL_OF_FILE })],
    ['in a text that replaces the content of a PDF file', pdfDrawing(`/Span << /ActualText (${FILE}) >> BDC EMC`)],
    ['in pieces in HTML', Buffer.from(`<p>${FIRST}<b>${SECOND}</b></p>`)],
    ['in pieces in RTF', Buffer.from(`{\\rtf1 ${FIRST}{\\b ${SECOND}}}`)],
    ['in an encoded header of a mail', Buffer.from(`Subject: =?utf-8?B?${btoa(URL_OF_TEXT)}?=\r\n\r\nx`)],
  ])('is read: %s', async (_, bytes) => {
    const { texts, unread } = await readDocument(bytes);
    expect(texts.map(({ text }) => text)).toContain(`to ${SECRET}`);
    expect(unread).toEqual([]);
  });

  it('is read once, however many cells show it', async () => {
    const cell = '<c t="s"><v>0</v></c>'.repeat(9);
    const { texts } = await readDocument(sheetOf({ cell, strings: `<si><t>${FILE}</t></si>` }));
    expect(texts.filter(({ text }) => text === `to ${SECRET}`)).toHaveLength(1);
  });

  it('is read up to the same limits as other files', async () => {
    const inCell = (bytes: Buffer): Buffer => sheetOf({ cell: inline(bytes.toString('base64')) });
    const nested = inCell(inCell(inCell(zipOf({ 'a.txt': 'x' }))));
    expect((await readDocument(nested)).unread.map(({ why }) => why)).toEqual(['limit']);
    const bomb = deflateSync(Buffer.alloc(64 * 1024 * 1024, 0x61));
    expect((await readDocument(inCell(bomb))).unread.map(({ why }) => why)).toEqual(['limit']);
  });
});

describe('a picture or an object in an RTF file', () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const unknown = Buffer.from(Array.from({ length: 256 }, (_, at) => (at * 73) % 256));
  const inLines = (bytes: Buffer): string => bytes.toString('hex').replace(/.{40}/g, '$&\r\n');
  const rtf = (group: string): Buffer => Buffer.from(`{\\rtf1\\ansi words ${group} words}`);

  it('is read if it is a file that can be read', async () => {
    const group = `{\\object\\objemb{\\*\\objclass Package}{\\*\\objdata ${inLines(Buffer.from(FILE, 'base64'))}}}`;
    const { texts, unread } = await readDocument(rtf(group));
    expect(texts).toContainEqual({ place: 'object 1 > file 1', text: `to ${SECRET}` });
    expect(unread).toEqual([]);
  });

  it('is listed as an image if it is one, without the digits of its identifier', async () => {
    const group = `{\\pict{\\*\\picprop{\\sp 0}}\\pngblip\\picw1{\\*\\blipuid 00ff}${inLines(png)}}`;
    const { media, unread } = await readDocument(rtf(`${group}{\\b bold}${group}`));
    const image = { type: 'image/png', bytes: png.length };
    expect(media).toEqual([
      { place: 'object 1', ...image },
      { place: 'object 2', ...image },
    ]);
    expect(unread).toEqual([]);
  });

  it('is also found in the group of another picture', async () => {
    const inner = `{\\pict\\pngblip ${inLines(png)}}`;
    const { media } = await readDocument(rtf(`\\pict words {\\object\\objemb{\\*\\objdata ${inLines(png)}}}${inner}`));
    expect(media).toHaveLength(2);
  });

  it.each<[string, string, string, string]>([
    ['its format is unknown', `{\\*\\objdata ${inLines(unknown)}}`, 'object 1', 'binary'],
    ['its group has no end', `{\\*\\objdata ${inLines(unknown)}`, 'object 1', 'binary'],
    ['it is not written in digits', '{\\pict\\pngblip\\bin4 abcd}', '', 'malformed'],
  ])('is reported as unread if %s', async (_, group, place, why) => {
    const { unread } = await readDocument(rtf(group));
    expect(unread).toEqual([expect.objectContaining({ place, why })]);
  });
});
