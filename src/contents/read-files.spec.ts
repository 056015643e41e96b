import { gzipSync } from 'node:zlib';
import { pdfOf, zipOf } from '../../test/support/documents.js';
import { DEFAULT_DOCUMENT_LIMITS, DEFAULT_DOCUMENT_READER, DocumentReader } from '../documents/index.js';
import { NOTHING_BESIDE, type FileToRead } from './embedded-contents.js';
import { withFilesRead, withRequestFilesRead } from './read-files.js';

describe('the documents of a call while too many documents wait', () => {
  const full = new DocumentReader({ ...DEFAULT_DOCUMENT_READER, threads: 1, queue: 0 });
  afterAll(() => full.close());
  const file = { path: 'file', role: 'assistant', bytes: pdfOf({ pages: [['one']] }) } as const;
  const beside = { ...NOTHING_BESIDE, files: [file] };

  it('are read in an answer, which can no longer be refused', async () => {
    const { texts } = await withFilesRead(beside, full, ['account', 'key']);
    expect(texts.map(({ path, text }) => [path, text])).toContainEqual(['file > page 1', 'one']);
  });

  it('cause a request to be refused as overloaded, but not a request without documents', async () => {
    await expect(withRequestFilesRead(beside, full, ['account', 'key'])).rejects.toMatchObject({ type: 'overloaded' });
    expect(await withRequestFilesRead(NOTHING_BESIDE, full, ['account', 'key'])).toEqual(NOTHING_BESIDE);
  });
});

describe('a font in a document', () => {
  const reader = new DocumentReader();
  afterAll(() => reader.close());

  it('counts like an image', async () => {
    // One table of 16 bytes after the list of tables.
    const font = Buffer.from(`4f54544f000100000000000043464620000000000000001c00000010${'9d07'.repeat(8)}`, 'hex');
    const file: FileToRead = { path: 'file', role: 'user', bytes: zipOf({ 'a.otf': font }) };
    const { media, unread } = await withFilesRead({ ...NOTHING_BESIDE, files: [file] }, reader, ['account', 'key']);
    expect(media).toEqual([{ path: 'file > file 1', type: 'font', bytes: font.length }]);
    expect(unread).toEqual([]);
  });
});

describe('the documents of a call together', () => {
  const readers: DocumentReader[] = [];
  afterAll(() => Promise.all(readers.map((reader) => reader.close())));
  const packed = gzipSync('a'.repeat(600));
  const files = [1, 2, 3, 4].map((number): FileToRead => ({ path: `file ${number}`, role: 'user', bytes: packed }));

  it.each<[string, object, number]>([
    ['characters', { textChars: 1_300 }, 2],
    ['unpacked bytes', { unpackedBytes: 1_900 }, 3],
    ['files, of which each document is one', { files: 2 }, 1],
  ])('have one limit, and documents beyond it are unread: %s', async (_, limits, count) => {
    const options = { ...DEFAULT_DOCUMENT_READER, threads: 1, limits: { ...DEFAULT_DOCUMENT_LIMITS, ...limits } };
    const reader = new DocumentReader(options);
    readers.push(reader);
    const { texts, unread } = await withFilesRead({ ...NOTHING_BESIDE, files }, reader, ['account', 'key']);
    expect(texts.map(({ path }) => path)).toEqual(files.slice(0, count).map(({ path }) => `${path} > unpacked`));
    const beyond = files.slice(count).map(({ path, bytes }) => ({ path, why: 'limit', bytes: bytes.length }));
    expect(unread).toEqual(beyond);
  });
});
