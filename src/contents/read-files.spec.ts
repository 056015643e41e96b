import { pdfOf } from '../../test/support/documents.js';
import { DEFAULT_DOCUMENT_READER, DocumentReader } from '../documents/index.js';
import { NOTHING_BESIDE } from './embedded-contents.js';
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
