import { docxOf, pdfOf } from '../../test/support/documents.js';
import { DEFAULT_DOCUMENT_READER, DocumentReader } from './document-reader.js';

const somebody = ['somebody'];

describe('reading documents in threads', () => {
  const reader = new DocumentReader();
  const hasty = new DocumentReader({ ...DEFAULT_DOCUMENT_READER, workMs: 1 });
  const doomed = new DocumentReader({
    ...DEFAULT_DOCUMENT_READER,
    file: new URL('./testdata/dying-worker.ts', import.meta.url),
  });

  afterAll(async () => {
    await Promise.all([reader.close(), hasty.close(), doomed.close()]);
  });

  it('returns the texts of documents', async () => {
    const [pdf, docx] = await Promise.all([
      reader.read(pdfOf({ pages: [['one']], packed: true }), somebody),
      reader.read(docxOf({ paragraphs: [['two']] }), somebody),
    ]);
    expect(pdf).toMatchObject({ formats: ['pdf'], unread: [] });
    expect(pdf.texts).toContainEqual({ place: 'page 1', text: 'one' });
    expect(docx).toMatchObject({ formats: ['docx'], unread: [] });
    expect(docx.texts).toContainEqual({ place: 'document', text: expect.stringContaining('two') as string });
  });

  it('reports an outage instead of a malformed document on a timeout', async () => {
    const pages = Array.from({ length: 500 }, (_, page) => [`page ${page}`]);
    const { texts, unread } = await hasty.read(pdfOf({ pages }), somebody);
    expect({ texts, unread }).toEqual({ texts: [], unread: [expect.objectContaining({ why: 'outage' })] });
  });

  it('reports an outage if the document crashes its thread', async () => {
    const { texts, unread } = await doomed.read(pdfOf({ pages: [['x']] }), somebody);
    expect({ texts, unread }).toEqual({ texts: [], unread: [expect.objectContaining({ why: 'outage' })] });
  });

  it('refuses calls as overloaded while too many documents wait, first the calls of the account that fills the queue', async () => {
    const small = new DocumentReader({ ...DEFAULT_DOCUMENT_READER, threads: 1, queue: 4 });
    const waiting = Array.from({ length: 3 }, () => small.read(pdfOf({ pages: [['x']] }), ['noisy', 'key']));
    expect(() => small.requireRoom(['noisy', 'other key'])).toThrow(expect.objectContaining({ type: 'overloaded' }));
    expect(() => small.requireRoom(['polite', 'key'])).not.toThrow();
    const more = Array.from({ length: 2 }, () => small.read(pdfOf({ pages: [['x']] }), ['third', 'key']));
    expect(() => small.requireRoom(['polite', 'key'])).toThrow(expect.objectContaining({ type: 'overloaded' }));
    await Promise.all([...waiting, ...more]);
    expect(() => small.requireRoom(['noisy', 'key'])).not.toThrow();
    await small.close();
  });
});
