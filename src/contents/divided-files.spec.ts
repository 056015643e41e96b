import { pdfOf, zipOf } from '../../test/support/documents.js';
import { decodeRequest, parseJson } from '../core/index.js';
import { DocumentReader } from '../documents/index.js';
import { embeddedContents, type EmbeddedReading } from './embedded-contents.js';
import { withFilesRead } from './read-files.js';

const SECRET = 'mail@example.com';
const ZIP = zipOf({ 'a.txt': `${'to whom it may concern '.repeat(4)}${SECRET}` });
const PDF = pdfOf({ pages: [[`write to ${SECRET}`]] });
const BASE64 = ZIP.toString('base64');
const linesOf = (length: number): string[] => BASE64.match(new RegExp(`.{1,${length}}`, 'g')) ?? [];
/** The base64 with escapes instead of a letter, except at its beginning. */
const escaped = (letter: string, escape: string): string =>
  BASE64.slice(0, 20) + BASE64.slice(20).replaceAll(letter, escape);
const IN_URL = ZIP.toString('latin1').replace(/[^\w.!'()*~-]/g, (character) => {
  return `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
});
const hexOf = (bytes: Buffer): string => Array.from(bytes, (byte) => `0x${byte.toString(16)}`).join(', ');

/** What is read beside the texts of a body. */
function contentsOf(body: unknown): EmbeddedReading {
  const doc = parseJson(JSON.stringify(body));
  return embeddedContents(doc, decodeRequest('generic', doc));
}

describe('a file in numbers', () => {
  const reader = new DocumentReader();
  afterAll(() => reader.close());

  it.each<[string, unknown]>([
    ['a buffer', { file: PDF }],
    ['a typed array', { file: Uint8Array.from(PDF) }],
    ['a list', { file: [...ZIP] }],
    ['a list of signed bytes', { file: [...new Int8Array(ZIP)] }],
    ['JSON in a text', { text: `the tool returned ${JSON.stringify({ file: ZIP })}` }],
    ['JSON over several lines in a text', { text: JSON.stringify([...PDF], null, 2) }],
    ['JSON in JSON in a text', { text: `log: ${JSON.stringify({ a: JSON.stringify(Uint8Array.from(ZIP)) })}` }],
    ['a list of signed bytes in a text', { text: `bytes: [${[...new Int8Array(ZIP)].join(', ')}]` }],
    ['an array of a program in a text', { text: `unsigned char a_zip[] = {\n  ${hexOf(ZIP)}\n};` }],
  ])('is read: %s', async (_, body) => {
    const { texts, unread } = await withFilesRead(contentsOf(body), reader, ['account', 'key']);
    expect(texts.map(({ text }) => text).join('\n')).toContain(SECRET);
    expect(unread).toEqual([]);
  });

  it('is listed as unread if its format is unknown and its object declares a file', () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => (at * 73) % 256));
    const unread = [{ path: 'file.data', why: 'binary', bytes: 256 }];
    expect(contentsOf({ file: bytes }).unread).toEqual(unread);
    expect(contentsOf({ file: [...bytes] })).toMatchObject({ unread: [], texts: [], files: [] });
  });

  it.each<[string, object]>([
    ['small numbers', { result: Array.from({ length: 40 }, (_, at) => (at * 7) % 10) }],
    ['measured values', { bytes: Array.from({ length: 40 }, (_, at) => (at * 73) % 200) }],
    ['pixels', { data: Array.from({ length: 256 }, (_, at) => (at * 73) % 256) }],
    [
      'an account in base64',
      { data: [Buffer.from(Array.from({ length: 64 }, (_, at) => (at * 73) % 256)).toString('base64'), 'base64'] },
    ],
  ])('is not assumed in the result of a tool: %s', (_, result) => {
    for (const dialect of ['generic', 'openai.chat'] as const) {
      const message = { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', ...result }] };
      const doc = parseJson(JSON.stringify({ messages: [message] }));
      expect(embeddedContents(doc, decodeRequest(dialect, doc))).toMatchObject({ unread: [], texts: [], files: [] });
    }
  });

  it('is listed as an image if it is one', () => {
    const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
    expect(contentsOf({ file: [...gif] }).media).toEqual([{ path: 'file', bytes: gif.length, type: 'image/gif' }]);
  });

  it('is read as a document if its numbers are those of letters', () => {
    const { files, texts } = contentsOf({ file: [...Buffer.from(`{\\rtf1 to m\\u97?il@example.com}`)] });
    expect(files).toHaveLength(1);
    expect(texts).toEqual([]);
  });
});

describe('a file in divided base64 in a text', () => {
  it.each<[string, string]>([
    ['in the indented lines of YAML', `file: !!binary |\n    ${linesOf(76).join('\n    ')}\nname: a`],
    ['in the body of an indented mail', `  Content-Type: application/zip\n\n  ${linesOf(76).join('\n  ')}\n\n  --x--`],
    ['in a quotation of a mail', `> ${linesOf(72).join('\n> ')}\n`],
    ['in quoted-printable', `see\r\n${linesOf(75).join('=\r\n')}\r\n`],
    ['in short lines', `see\n${linesOf(32).join('\n')}\n`],
    ['in the strings of a program', `data = ("${linesOf(40).join('"\n        "')}")`],
    ['in a list of JSON', `["${linesOf(40).join('", "')}"]`],
    ['in a list of YAML', `file:\n- ${linesOf(40).join('\n- ')}\n`],
    ['with line ends of JSON', `"file": "${linesOf(76).join('\\n')}"`],
    ['after a word on another line', `see\n${BASE64}`],
    ['with escaped slashes', `"file": "${escaped('/', '\\/')}"`],
    ['with escaped letters', `"file": "${escaped('A', '\\u0041')}"`],
    ['with escapes of a URL', `?file=${escaped('A', '%41')}`],
    ['with escapes of HTML', `<a title="${escaped('A', '&#x41;')}">`],
    ['after an equals sign', `file=${BASE64} is the file`],
    ['after a line end of JSON', `"file": "begin\\n${BASE64}"`],
    ['after an escape of JSON', `"file": "begin\\u003a${BASE64}"`],
    ['after an escaped comma', `data%3Aapplication%2Fzip%3Bbase64%2C${BASE64}`],
    ['in a URL with escapes instead of base64', `see data:application/zip,${IN_URL} there`],
  ])('is read: %s', (_, text) => {
    const { files } = contentsOf({ text });
    expect(files.some(({ bytes }) => bytes.subarray(0, ZIP.length).equals(ZIP))).toBe(true);
  });

  it.each<[string, (files: readonly string[]) => string]>([
    ['a list of JSON', (files) => JSON.stringify(files)],
    ['a list of YAML', (files) => `- ${files.join('\n- ')}\n`],
    ['lines', (files) => files.join('\n')],
    ['lines after a word', (files) => `see the files:\n${files.join('\n')}\n`],
  ])('is a file of its own next to others of one length in %s', (_, written) => {
    const filesOf = (name: string): Buffer[] =>
      ['one', 'two', 'six'].map((word) => zipOf({ [name]: `${word} ${SECRET}` }));
    // Padding would end the first file.
    const files = ['a.txt', 'aa.txt', 'aaa.txt'].map(filesOf).find(([file]) => file!.length % 3 === 0)!;
    expect(new Set(files.map(({ length }) => length)).size).toBe(1);
    const found = contentsOf({ text: written(files.map((file) => file.toString('base64'))) }).files;
    expect(found.map(({ bytes }) => bytes)).toEqual(files);
  });

  it('does not include the words around it', () => {
    for (const text of [`file=${BASE64}\nname=a`, `{"a":"${BASE64}",\n "b":"words"}`, `- ${BASE64}\n- word\n`]) {
      const { files, unread } = contentsOf({ text });
      expect(files.map(({ bytes }) => bytes)).toEqual([ZIP]);
      expect(unread.map(({ why }) => why)).toEqual(['document']);
    }
  });
});

describe('a file in base64 in the strings of a list', () => {
  it('is read', () => {
    const { files } = contentsOf({ file: ['base64', ...linesOf(40)] });
    expect(files.map(({ bytes }) => bytes)).toEqual([ZIP]);
  });
});
