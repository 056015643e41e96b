import { PDF_PICTURE_FILTERS } from './pdf-filters.js';
import type { PdfObjects, PdfStreamObject } from './pdf-objects.js';
import { pdfNameOf } from './pdf-syntax.js';

/** Images with at most this many pixels are icons and ornaments, in which no words can be read. */
const MOST_ICON_PIXELS = 64 * 64;
/** The head of an image in the content of a page (ISO 32000-1, section 8.9.7). */
const INLINE_IMAGE =
  /(?<![^\0\t\n\f\r ])BI[\0\t\n\f\r ]*(\/(?:(?![\0\t\n\f\r ]BI)[^]){1,1000}?)[\0\t\n\f\r ]ID[\0\t\n\f\r ]/g;
const WIDTH = /\/W(?:idth)?[\0\t\n\f\r ]+(\d{1,9})/;
const HEIGHT = /\/H(?:eight)?[\0\t\n\f\r ]+(\d{1,9})/;
/** The beginning of a glyph of a font that consists of drawings (section 9.6.5). Its text is in the page. */
const GLYPH = /^[\0\t\n\f\r ]*(?:-?[\d.]+[\0\t\n\f\r ]+){2,6}d[01][\0\t\n\f\r ]/;

/**
 * Whether a stream is an image that is larger than an icon. An image without a known size counts, because some readers take the size
 * from its content.
 */
export function isLargeImage(
  objects: PdfObjects,
  { about }: PdfStreamObject,
  filters: readonly string[] | undefined,
): boolean {
  const isImage = pdfNameOf(objects.resolved(about.get('Subtype'))) === 'Image';
  if (!isImage && filters?.some((name) => PDF_PICTURE_FILTERS.has(name)) !== true) return false;
  const [width, height] = ['Width', 'Height'].map((key) =>
    objects.resolved(about.get(key) ?? about.get(key.charAt(0))),
  );
  return typeof width !== 'number' || typeof height !== 'number' || width * height > MOST_ICON_PIXELS;
}

/**
 * Whether the content of a page or form contains an image that is larger than an icon.
 * @param isPage false for content that can be a glyph
 */
export function hasInlineImage(content: string, isPage: boolean): boolean {
  if (!isPage && GLYPH.test(content)) return false;
  for (const [, head = ''] of content.matchAll(INLINE_IMAGE)) {
    const pixels = Number(WIDTH.exec(head)?.[1]) * Number(HEIGHT.exec(head)?.[1]);
    // The size can be written in a form that only some readers understand.
    if (Number.isNaN(pixels) || pixels > MOST_ICON_PIXELS) return true;
  }
  return false;
}
