import { wordOf, zipOf } from '../../test/support/documents.js';
import { rtfTexts } from './formats/rtf.js';
import { readDocument } from './read-document.js';
import type { DocumentReading } from './reading.js';

/** The word after a byte with which the letter before the word is one character. */
const WORD = 'sesame';
const SWALLOWED = /(?<!x)sesame/;
const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');
const textOf = ({ texts }: DocumentReading): string => texts.map(({ text }) => text).join('\n\n');
const mailOf = (type: string, content: Buffer): Buffer =>
  Buffer.from(`Content-Type: ${type}\r\nContent-Transfer-Encoding: base64\r\n\r\n${content.toString('base64')}\r\n`);

describe('a text in a declared encoding in which a letter can be half of a character', () => {
  it.each<[string, Buffer]>([
    ['a page', bytesOf(`<html><head><meta charset="gbk"></head><p>\x81x${WORD}</p>`)],
    ['a page of which the bytes are also UTF-8', Buffer.from(`<meta charset=gbk><p>\u4f60x${WORD}</p>`)],
    ['XML', bytesOf(`<?xml version="1.0" encoding="Shift_JIS"?><a>\x81x${WORD}</a>`)],
    ['a part of a document', zipOf({ 'a.xml': bytesOf(`<?xml version="1.0" encoding="GBK"?><a>\x81x${WORD}</a>`) })],
    ['a part of a mail', mailOf('text/plain;\r\n charset=big5', Buffer.from(`\u4f60x${WORD}`))],
    ['a text in an archive without a declaration', zipOf({ 'a.txt': bytesOf(`some words \x81x${WORD} and others`) })],
  ])('is read in this encoding: %s', async (_, bytes) => {
    const reading = await readDocument(bytes);
    expect(textOf(reading)).toMatch(SWALLOWED);
    expect(reading.unread).toEqual([]);
  });

  it('is read in the encoding of Japanese mails', async () => {
    const escaped = bytesOf('\x1b$B#s#e#s#a#m#e\x1b(B');
    const reading = await readDocument(mailOf('text/plain; charset=ISO-2022-JP', escaped));
    expect(textOf(reading).normalize('NFKC')).toContain(WORD);
  });
});

describe('a text with a declared encoding in which letters have other bytes', () => {
  it.each<[string, Buffer]>([
    ['a page', Buffer.from('<meta http-equiv="Content-Type" content="text/html; charset=cp037"><p>a</p>')],
    ['XML', Buffer.from('<?xml version="1.0" encoding="utf-7"?><a>b</a>')],
    ['a part of a mail', mailOf('text/plain; charset="cp500"', Buffer.from('some words'))],
    ['RTF', Buffer.from('{\\rtf1\\ansi\\ansicpg500 x}')],
  ])('is unread: %s', async (_, bytes) => {
    const { unread } = await readDocument(bytes);
    expect(unread.map(({ why }) => why)).toContain('malformed');
  });
});

describe('a text with a declared encoding that contains ASCII', () => {
  it.each<[string, Buffer]>([
    ['a page', Buffer.from('<meta charset="iso-8859-15"><meta charset="x-mac-cyrillic"><p>a</p>')],
    ['XML', Buffer.from('<?xml version="1.0" encoding="utf-16"?><a>b</a>')],
    ['a mail', mailOf('text/plain; charset=unknown-8bit', Buffer.from('some words'))],
    ['a document', wordOf('<w:r><w:t>x</w:t></w:r>')],
    ['RTF', Buffer.from('{\\rtf1\\ansi\\ansicpg1251{\\fonttbl{\\f0\\fcharset204 A;}{\\f1\\fcharset238 B;}} x}')],
  ])('is read completely: %s', async (_, bytes) => {
    expect((await readDocument(bytes)).unread).toEqual([]);
  });
});

describe('RTF in a character set of two bytes', () => {
  it('is read in the character set of the file', () => {
    const { decoded, isUnread } = rtfTexts(`{\\rtf1\\ansi\\ansicpg932 \\'93\\'fa\\'96\\'7b \\'81x${WORD}}`);
    expect(decoded.join('\n')).toMatch(SWALLOWED);
    expect(decoded.join('\n')).toContain('\u65e5\u672c');
    expect(isUnread).toBe(false);
  });

  it('is read in the character set of a font', () => {
    const fonts = '{\\fonttbl{\\f0\\fcharset134 A;}}';
    expect(rtfTexts(`{\\rtf1\\ansi${fonts} \\'81x${WORD}}`).decoded.join('\n')).toMatch(SWALLOWED);
  });
});

describe('a mail with a transfer encoding that is not decoded', () => {
  it.each(['x-uuencode', 'uuencode', '(base64) gzip'])('is unread: %s', async (coding) => {
    const mail = Buffer.from(`From: a\r\nContent-Transfer-Encoding: ${coding}\r\n\r\nwords\r\n`);
    expect((await readDocument(mail)).unread.map(({ why }) => why)).toEqual(['malformed']);
  });
});
