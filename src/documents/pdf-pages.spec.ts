import { pdfOf } from '../../test/support/documents.js';
import { PdfObjects } from './formats/pdf-objects.js';
import { hidesPages, pdfPages } from './formats/pdf-pages.js';
import { readDocument } from './read-document.js';

const SECRET = 'mail@example.com';
/** The numbers of objects that `pdfOf` gives to the page tree, to two pages and to the catalog. */
const [TREE, FIRST, SECOND, CATALOG] = [2, 4, 6, 7];
const twoPages = pdfOf({ pages: [['x'], [SECRET]], packed: true });

function replaced(pdf: Buffer, before: string, after: string): Buffer {
  const text = pdf.toString('latin1');
  expect(text).toContain(before);
  return Buffer.from(text.replace(before, after), 'latin1');
}

/** The file with an appended part that replaces the page tree. */
function withTree(pdf: Buffer, tree: string): Buffer {
  const text = pdf.toString('latin1');
  const previous = /startxref\n(\d+)/.exec(text)?.[1] ?? '';
  const object = `${TREE} 0 obj\n${tree}\nendobj\n`;
  const row = `${String(text.length).padStart(10, '0')} 00000 n \n`;
  const trailer = `trailer\n<< /Size 8 /Root ${CATALOG} 0 R /Prev ${previous} >>\n`;
  const end = `xref\n${TREE} 1\n${row}${trailer}startxref\n${text.length + object.length}\n%%EOF\n`;
  return Buffer.from(text + object + end, 'latin1');
}

describe('pages of a PDF file', () => {
  it.each(['/Count 1', '/Count 0', '/Count 9'])('are unread if the page tree lists others than it counts: %s', async (count) => {
    const { unread } = await readDocument(replaced(twoPages, '/Count 2', count));
    expect(unread.map(({ why }) => why)).toContain('malformed');
  }); // prettier-ignore

  it('are complete if the page tree was replaced by one with fewer pages', async () => {
    const updated = withTree(twoPages, `<< /Type /Pages /Count 1 /Kids [${FIRST} 0 R] >>`);
    const { unread, texts } = await readDocument(updated);
    expect(texts.map(({ place }) => place)).toContain('page 1');
    expect(unread).toEqual([]);
  });

  it('are complete if the page tree was replaced by one in another order', async () => {
    const updated = withTree(twoPages, `<< /Type /Pages /Count 2 /Kids [${SECOND} 0 R ${FIRST} 0 R] >>`);
    expect((await readDocument(updated)).unread).toEqual([]);
  });

  const pagesOf = (...objects: string[]) =>
    pdfPages(new PdfObjects(Buffer.from(objects.map((object) => `${object}\nendobj\n`).join('')), 1_000));
  const leaves = ['3 0 obj << /Type /Page >>', '4 0 obj << /Type /Page >>'];

  it('are unread if the header of a linearized file counts fewer than the page tree', () => {
    const tree = '2 0 obj << /Type /Pages /Count 2 /Kids [3 0 R 4 0 R] >>';
    const pages = pagesOf('1 0 obj << /Linearized 1 /N 1 >>', tree, ...leaves);
    expect(hidesPages(pages, new Set([3]), 1)).toBe(true);
    expect(hidesPages(pages, new Set([3, 4]), 2)).toBe(false);
  });

  it('are unread if the versions of an object are different numbers of pages', () => {
    const tree = '2 0 obj << /Type /Pages /Count 1 /Kids [3 0 R 4 0 R] >>';
    const pages = pagesOf(tree, ...leaves, '4 0 obj << /Type /Pages /Count 0 /Kids [] >>');
    expect(hidesPages(pages, new Set([3]), 1)).toBe(true);
  });

  it('are complete if trees contain trees, and lists of names and fields are no trees', () => {
    const pages = pagesOf(
      '1 0 obj << /Type /Pages /Count 2 /Kids [2 0 R 4 0 R] >>',
      '2 0 obj << /Type /Pages /Count 9 0 R /Kids 8 0 R >>',
      '8 0 obj [3 0 R]',
      '9 0 obj 1',
      '10 0 obj << /Kids [11 0 R] /FT /Tx >>',
      ...leaves,
    );
    expect(hidesPages(pages, new Set([3, 4]), 2)).toBe(false);
  });
});
