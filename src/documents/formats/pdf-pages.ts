import type { PdfObjects } from './pdf-objects.js';
import { isPdfDictionary, isPdfList, pdfNameOf, pdfObjectOf, type PdfDictionary, type PdfValue } from './pdf-syntax.js';

/** The page trees of a PDF file (ISO 32000-1, section 7.7.3), in all versions of the file. */
export interface PdfPages {
  /** The numbers of all objects that a page tree lists as pages. */
  readonly listed: ReadonlySet<number>;
  /** Whether a node of a page tree states another number of pages than it lists. */
  readonly isMiscounted: boolean;
  /** Whether the number of pages of a node depends on the version of the file, because the file was changed by an appended part. */
  readonly isAmbiguous: boolean;
  /** The numbers of pages in the headers of linearized files (annex F), which readers use instead of a page tree. */
  readonly linearized: readonly number[];
}

/**
 * Finds the page trees of a file. The objects in object streams must have been added before.
 *
 * Some readers, such as pdfjs, read as many pages as the tree states; others, such as pypdf, read all pages that the tree lists.
 */
export function pdfPages(objects: PdfObjects): PdfPages {
  const search = new PageSearch(objects);
  for (const value of objects.all()) if (isPdfDictionary(value)) search.visit(value);
  return search;
}

/**
 * Whether another reader of the file finds pages that were not read.
 *
 * @param read the numbers of the objects of the pages that were read
 * @param count the number of pages that the reader found
 */
export function hidesPages(pages: PdfPages, read: ReadonlySet<number>, count: number): boolean {
  if (pages.isMiscounted) return true;
  const isUncertain = pages.isAmbiguous || pages.linearized.includes(count);
  // A page that no certain tree lists was deleted by a later version of the file.
  return isUncertain && [...pages.listed].some((number) => !read.has(number));
}

class PageSearch implements PdfPages {
  readonly listed = new Set<number>();
  readonly linearized: number[] = [];
  isMiscounted = false;
  isAmbiguous = false;
  /** The numbers of pages by object; undefined if the versions of an object have different ones. */
  private readonly counts = new Map<number, number | undefined>();

  constructor(private readonly objects: PdfObjects) {}

  visit(value: PdfDictionary): void {
    if (value.has('Linearized')) {
      const count = this.objects.resolved(value.get('N'));
      if (typeof count === 'number') this.linearized.push(count);
    }
    // Fields of forms and lists of names also have kids, but no number of them.
    if (!value.has('Kids') || !(pdfNameOf(value.get('Type')) === 'Pages' || value.has('Count'))) return;
    const kids = this.objects.resolved(value.get('Kids'));
    const stated = this.objects.resolved(value.get('Count'));
    if (!isPdfList(kids) || (stated === undefined && value.has('Count'))) {
      this.isAmbiguous = true;
      return;
    }
    let count: number | undefined = 0;
    for (const kid of kids) {
      const own = this.countOf(kid);
      count = own === undefined || count === undefined ? undefined : count + own;
    }
    if (count === undefined) this.isAmbiguous = true;
    else if (count !== stated) this.isMiscounted = true;
  }

  private countOf(kid: PdfValue): number | undefined {
    const number = pdfObjectOf(kid);
    // Kids are always references. Readers differ in whether they read other kids.
    if (number === undefined) return undefined;
    if (!this.counts.has(number)) this.counts.set(number, this.countOfObject(number));
    return this.counts.get(number);
  }

  private countOfObject(number: number): number | undefined {
    const counts = new Set<number | undefined>();
    for (const value of this.objects.valuesOf(number)) {
      if (!isPdfDictionary(value)) continue;
      const isNode = value.has('Kids') && pdfNameOf(value.get('Type')) !== 'Page';
      if (!isNode) this.listed.add(number);
      const stated = isNode ? this.objects.resolved(value.get('Count')) : 1;
      counts.add(typeof stated === 'number' ? stated : undefined);
    }
    // An object that is missing counts as one page.
    const [count = counts.size === 0 ? 1 : undefined] = counts;
    return counts.size > 1 ? undefined : count;
  }
}
